package record

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Upper begins a sentence.
func Upper(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// ValueText is a value, as JSON has it, or a list of values: "1, 2 and 3".
func ValueText(v any) string {
	if list, ok := v.([]any); ok {
		return listText(list)
	}
	return wordOf(v)
}

// mostListed is how many values of a list are given one by one.
const mostListed = 8

// listText lists values: "1, 2 and 3"; of many the first and the last ones.
func listText(list []any) string {
	words := make([]string, len(list))
	for i, v := range list {
		if words[i] = wordOf(v); words[i] == "" {
			return ""
		}
	}
	switch n := len(words); {
	case n == 0:
		return "none"
	case n == 1:
		return words[0]
	case n > mostListed:
		return fmt.Sprintf("%s … %s (%d in all)", strings.Join(words[:3], ", "), strings.Join(words[n-2:], ", "), n)
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// longestWord bounds what is shown of a text.
const longestWord = 120

// wordOf is one value; "" of what has parts.
func wordOf(v any) string {
	switch x := v.(type) {
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return fmt.Sprintf("%.0f", x)
		}
		return Digits(x)
	case string:
		if len(x) <= longestWord {
			return x
		}
	case bool:
		return fmt.Sprint(x)
	case map[string]any:
		if len(x) > mostListed {
			return ""
		}
		var parts []string
		for k, e := range x {
			word := wordOf(e)
			if word == "" {
				return ""
			}
			parts = append(parts, k+" "+word)
		}
		slices.Sort(parts)
		return strings.Join(parts, ", ")
	}
	return ""
}
