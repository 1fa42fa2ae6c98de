package main

import (
	"math"
	"testing"
)

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		share     float64
		n         int
		low, high float64
	}{
		// Newcombe (1998), table I, method 3.
		{81.0 / 263, 263, 0.2553, 0.3662},
		{15.0 / 148, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1.0 / 29, 29, 0.0061, 0.1718},
		{1, 20, 0.8389, 1},
	} {
		p := wilson(c.share, c.n)
		if math.Abs(p.low-c.low) > 6e-5 || math.Abs(p.high-c.high) > 6e-5 {
			t.Errorf("%v of %d: %v to %v, want %v to %v", c.share, c.n, p.low, p.high, c.low, c.high)
		}
	}
	if got := wilson(math.NaN(), 0).String(); got != "-" {
		t.Errorf("no program: %q", got)
	}
}

func TestMeanOfShares(t *testing.T) {
	a := wilson(0.9, 50)
	if m := mean(a, a); m.share != a.share || m.low <= a.low || m.high >= a.high {
		t.Errorf("the mean of two alike, %v, is to have a narrower interval than each, %v", m, a)
	}
	if got, want := opposite(proportion{0.25, 0.1, 0.5}), (proportion{0.75, 0.5, 0.9}); got != want {
		t.Errorf("opposite: %v, want %v", got, want)
	}
}
