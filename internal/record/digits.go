package record

import (
	"math"
	"strconv"
	"strings"
)

// Digits spells a number with three significant digits as a person writes it:
// "0.318", "5,210", "12,300"; with a power of ten only where it is very large
// or very small: "3e+06", "1.2e-07".
func Digits(x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Inf"
	case math.IsInf(x, -1):
		return "-Inf"
	case a >= 999.5 && a < 999_500:
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
		return grouped(strconv.FormatFloat(rounded, 'f', 0, 64))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Times spells a factor with three significant digits, without a power of ten:
// "12.5", "5,210", "3 million", "1.2 billion".
func Times(x float64) string {
	for _, big := range []struct {
		unit float64
		name string
	}{{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}} {
		if a := math.Abs(x); a >= big.unit*0.9995 && a < 999.5e12 {
			return strconv.FormatFloat(x/big.unit, 'g', 3, 64) + " " + big.name
		}
	}
	return Digits(x)
}

// grouped puts the thousands of an integer apart.
func grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
