package record

import "fmt"

// Seconds is a length of time in a unit that suits it.
func Seconds(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	case seconds < 0.1:
		return fmt.Sprintf("%.1f ms", seconds*1e3)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", seconds*1e3)
	case seconds < 100:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%d min %02d s", int(seconds)/60, int(seconds)%60)
	}
	return fmt.Sprintf("%d h %02d min", int(seconds)/3600, int(seconds)/60%60)
}
