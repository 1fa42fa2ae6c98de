package record

import (
	"fmt"
	"math"
	"strconv"
)

// Seconds is a length of time in units that suit it: 62.6 ms, 4.2 s, 3 min 12 s,
// 2 h 05 min, 3 d 4 h. The page writes it the same way (duration in
// web/app/core/format.js).
func Seconds(seconds float64) string {
	size, sign := math.Abs(seconds), ""
	if seconds < 0 {
		sign = "\u2212"
	}
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	switch {
	case math.IsNaN(seconds):
		return "\u2013"
	case size == 0:
		return "0 s"
	case size < 0.9995e-3:
		return sign + digits(size*1e6) + " µs"
	case size < 0.9995:
		return sign + digits(size*1e3) + " ms"
	case size < 59.95:
		return sign + digits(size) + " s"
	case math.Round(size) < 3600:
		return sign + pair(math.Round(size), 60, "min", "%02.0f s")
	case math.Round(size/60) < 48*60:
		return sign + pair(math.Round(size/60), 60, "h", "%02.0f min")
	}
	return sign + pair(math.Round(size/3600), 24, "d", "%.0f h")
}

// pair is an amount of small units as so many large ones, and what is left of it.
func pair(small, each float64, unit, rest string) string {
	text := fmt.Sprintf("%.0f %s", math.Floor(small/each), unit)
	if left := math.Mod(small, each); left > 0 {
		text += " " + fmt.Sprintf(rest, left)
	}
	return text
}
