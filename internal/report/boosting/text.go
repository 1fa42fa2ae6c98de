package boosting

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// short spells a number for a person.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// four spells a share with four places.
func four(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// percent spells a share.
func percent(x float64) string {
	p := 100 * x
	switch {
	case p != 0 && math.Abs(p) < 0.1:
		return strconv.FormatFloat(p, 'g', 1, 64) + " %"
	case p == math.Trunc(p):
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

// thousands groups the digits.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// list names at most n numbers.
func list(x []int, n int) string {
	parts := make([]string, 0, n+1)
	for _, v := range x[:min(n, len(x))] {
		parts = append(parts, strconv.Itoa(v))
	}
	if len(x) > n {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
