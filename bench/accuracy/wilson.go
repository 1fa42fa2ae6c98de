package main

import (
	"fmt"
	"math"
)

// proportion is a share of programs and the interval that holds the true share
// in 95 of 100 repetitions of the suite with other programs.
type proportion struct{ share, low, high float64 }

// wilson gives the interval of a share that was seen over n programs (Wilson,
// 1927). Runs of one program with several seeds are alike, so the share may be
// taken over runs, but n counts programs.
func wilson(share float64, n int) proportion {
	if n == 0 {
		return proportion{math.NaN(), 0, 1}
	}
	const z = 1.959963984540054
	m := float64(n)
	scale := 1 + z*z/m
	middle := (share + z*z/(2*m)) / scale
	half := z / scale * math.Sqrt(share*(1-share)/m+z*z/(4*m*m))
	return proportion{share, max(0, middle-half), min(1, middle+half)}
}

// mean is the mean of two shares over different programs, with the interval
// that follows from theirs (Zou and Donner, 2008).
func mean(a, b proportion) proportion {
	m := (a.share + b.share) / 2
	return proportion{m,
		m - math.Hypot(a.share-a.low, b.share-b.low)/2,
		m + math.Hypot(a.high-a.share, b.high-b.share)/2}
}

// opposite is the share of programs of which the same does not hold.
func opposite(p proportion) proportion { return proportion{1 - p.share, 1 - p.high, 1 - p.low} }

func (p proportion) String() string {
	if math.IsNaN(p.share) {
		return "-"
	}
	return fmt.Sprintf("%.1f %% (%.1f–%.1f)", 100*p.share, 100*p.low, 100*p.high)
}
