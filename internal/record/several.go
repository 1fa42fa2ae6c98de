package record

import "strconv"

// Several is a number of things with their word: "1 step", "1,200 steps". Where
// more than one are not called the word with an s, that is given, too: "biases".
func Several(n int64, one string, more ...string) string {
	word := one
	switch {
	case n == 1:
	case len(more) > 0:
		word = more[0]
	default:
		word += "s"
	}
	return Grouped(n) + " " + word
}

// Grouped is a number with its thousands apart: "161,924".
func Grouped(n int64) string { return grouped(strconv.FormatInt(n, 10)) }
