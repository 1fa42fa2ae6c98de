package config

import (
	"fmt"
	"strings"
)

// Nearest is the candidate that a word was most likely meant to be: the one
// with the fewest letters to change, add, drop or swap, or one that the word
// begins. It is empty when nothing is near enough to be worth naming.
func Nearest(word string, candidates []string) string {
	w := plain(word)
	best, least := "", max(2, len(w)/2)+1
	for _, c := range candidates {
		p := plain(c)
		d := distance(w, p)
		if len(w) >= 3 && (strings.HasPrefix(p, w) || strings.HasPrefix(w, p)) {
			d = min(d, 1)
		}
		if n := common(w, p); n >= 4 && 3*n >= 2*len(w) {
			d = min(d, 2)
		}
		if d < least || d == least && best != "" && len(c) < len(best) {
			best, least = c, d
		}
	}
	return best
}

// common is the number of letters that two words begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// plain makes spellings that differ in case and joints alike.
func plain(s string) string {
	if len(s) > 200 {
		s = s[:200]
	}
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(s))
}

// distance counts single-letter changes, a swap of neighbours as one.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// Suggest makes a hint from the nearest candidate, or lists them all.
func Suggest(word string, candidates []string) string {
	if n := Nearest(word, candidates); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return "known are " + strings.Join(candidates, ", ")
}
