package main

import (
	"slices"
	"time"
)

// at is a quantile of durations.
func at(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

func round(d time.Duration) string { return d.Round(time.Millisecond).String() }

func spread(list []time.Duration) string { return round(at(list, 0.5)) + ", " + round(at(list, 1)) }

// missed says that the median is over the goal.
func missed(list []time.Duration, limit time.Duration) string {
	if at(list, 0.5) > limit {
		return " **missed**"
	}
	return ""
}
