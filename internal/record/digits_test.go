package record

import (
	"math"
	"testing"
)

func TestDigitsAndTimes(t *testing.T) {
	for _, c := range []struct {
		x             float64
		digits, times string
	}{
		{0, "0", "0"},
		{0.31594, "0.316", "0.316"},
		{-2.5, "-2.5", "-2.5"},
		{12.34, "12.3", "12.3"},
		{999.4, "999", "999"},
		{999.9, "1,000", "1,000"},
		{5213, "5,210", "5,210"},
		{-36_941, "-36,900", "-36,900"},
		{999_400, "999,000", "999,000"},
		{999_900, "1e+06", "1 million"},
		{3_000_000, "3e+06", "3 million"},
		{1.234e9, "1.23e+09", "1.23 billion"},
		{7e13, "7e+13", "70 trillion"},
		{1e20, "1e+20", "1e+20"},
		{1.234e-7, "1.23e-07", "1.23e-07"},
		{math.NaN(), "NaN", "NaN"},
		{math.Inf(-1), "-Inf", "-Inf"},
	} {
		if got := Digits(c.x); got != c.digits {
			t.Errorf("Digits(%v) = %q, want %q", c.x, got, c.digits)
		}
		if got := Times(c.x); got != c.times {
			t.Errorf("Times(%v) = %q, want %q", c.x, got, c.times)
		}
	}
}
