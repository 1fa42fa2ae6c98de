package config

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// ages are the units of an age.
var ages = []struct {
	suffix string
	each   time.Duration
}{{"h", time.Hour}, {"d", 24 * time.Hour}, {"w", 7 * 24 * time.Hour}}

// ParseKeep reads what raw tensors may take, how old they may become, or both
// with a comma between: 20GB, 7d, 20GB,7d. What is not named is 0 and does not
// bound: who asks for a week gets the whole week.
func ParseKeep(s string) (bytes int64, age time.Duration, err error) {
	sized, aged := "", ""
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		d, isAge, err := parseAge(part)
		switch {
		case err != nil:
			return 0, 0, err
		case isAge && aged != "":
			return 0, 0, twice(s, "ages", aged, part)
		case isAge:
			age, aged = d, part
			continue
		}
		n, err := ParseSize(part)
		switch {
		case err != nil && strings.TrimSpace(s) == "":
			return 0, 0, &hinted{fmt.Errorf("it is empty"), keepHint}
		case err != nil && part == "":
			return 0, 0, &hinted{fmt.Errorf("%q has an empty part beside a comma", s), keepHint}
		case err != nil:
			return 0, 0, &hinted{fmt.Errorf("%q is neither a size nor an age", part), keepHint}
		case sized != "":
			return 0, 0, twice(s, "sizes", sized, part)
		}
		bytes, sized = n, part
	}
	return bytes, age, nil
}

const keepHint = "write a size (20GB, 1.5GiB), an age (12h, 7d, 4w), or both: 20GB,7d"

func twice(s, what, a, b string) error {
	return &hinted{fmt.Errorf("%q names two %s, %s and %s", s, what, a, b), "give at most one size and one age: 20GB,7d"}
}

// parseAge reads a number of hours, days or weeks; isAge is false for a text
// that does not end with their letter after a number.
func parseAge(s string) (age time.Duration, isAge bool, err error) {
	for _, u := range ages {
		if len(s) < 2 || !strings.EqualFold(s[len(s)-1:], u.suffix) {
			continue
		}
		n, err := decimal(strings.TrimSpace(s[:len(s)-1]))
		if err != nil {
			return 0, false, nil
		}
		// Beyond a century the number is a slip, and would not fit much longer.
		if d := n * float64(u.each); d < float64(time.Minute) || d > 100*365*24*float64(time.Hour) || math.IsNaN(d) {
			return 0, true, &hinted{fmt.Errorf("the age %q is not between a minute and a hundred years", s), keepHint}
		}
		return time.Duration(n * float64(u.each)), true, nil
	}
	return 0, false, nil
}

// MinFree is what raw tensors leave free of the disk: a share of it or bytes.
type MinFree struct {
	Share float64 `json:"share,omitempty"` // 0.05: 5 %
	Bytes int64   `json:"bytes,omitempty"`
}

// ParseMinFree reads a share (5%) or a size (10GB).
func ParseMinFree(s string) (MinFree, error) {
	if share, err := ParsePercent(s); err == nil {
		return MinFree{Share: share}, nil
	}
	n, err := ParseSize(s)
	if err != nil || n == 0 {
		return MinFree{}, &hinted{fmt.Errorf("%q is neither a share nor a size of the disk", s), "write a share (5%) or a size (10GB)"}
	}
	return MinFree{Bytes: n}, nil
}
