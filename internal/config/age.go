package config

import (
	"fmt"
	"strings"
	"time"
)

// ParseAge reads a length of time in minutes, hours, days or weeks: 30m, 12h, 7d,
// 4w.
func ParseAge(s string) (time.Duration, error) {
	s = strings.TrimSpace(s)
	if n, ok := strings.CutSuffix(strings.ToLower(s), "m"); ok {
		if m, err := decimal(strings.TrimSpace(n)); err == nil && m >= 0 && m <= 60*24*366 {
			return time.Duration(m * float64(time.Minute)), nil
		}
	}
	age, is, err := parseAge(s)
	if err == nil && !is {
		err = fmt.Errorf("%q is not an age", s)
	}
	if err != nil {
		return 0, &hinted{err, "write minutes, hours, days or weeks: 30m, 12h, 7d, 4w"}
	}
	return age, nil
}

// Hint is what an error of this package advises, or "".
func Hint(err error) string { return hintOf(err) }
