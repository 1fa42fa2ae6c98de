package view

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
)

// comparisons are the comparators of findings in words, before a limit.
var comparisons = map[string]string{
	"<": "below", "<=": "at or below", ">": "above", ">=": "at or above", "=": "equal to", "==": "equal to", "!=": "other than",
}

// Evidence says a finding's numbers in sentences. words gives what a name stands
// for, as TensorWords does.
func Evidence(f record.Finding, words func(string) string) string {
	var out []string
	switch subject := upperWords(f.Subject, words); {
	case f.Observed != f.Threshold: // equal where a fact is told, not a number compared
		text := fmt.Sprintf("%s is %s %s", record.Digits(float64(f.Observed)), comparisonOf(f.Comparator), record.Digits(float64(f.Threshold)))
		if f.Comparator == "of" { // a count, not a comparison
			text = fmt.Sprintf("%s of %s", record.Digits(float64(f.Observed)), record.Digits(float64(f.Threshold)))
		}
		if subject != "" {
			text = subject + ": " + text
		}
		out = append(out, text)
	case subject != "":
		out = append(out, subject)
	}
	keys := make([]string, 0, len(f.Context))
	for k := range f.Context {
		if k != "muted_because" { // no evidence
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		if text := sentence(strings.ReplaceAll(k, "_", " "), called(plainly(f.Context[k]), words)); text != "" {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, ". ") + "."
}

// TensorWords gives names of tensors in words; all else stays as it is. The script's
// names stand between quotes.
func TensorWords(infos []record.TensorInfo, quote string) func(string) string {
	at := make(map[string]int, len(infos))
	for i := range infos {
		at[infos[i].Name] = i
	}
	return func(name string) string {
		if i, ok := at[name]; ok {
			return infos[i].Words(quote)
		}
		return name
	}
}

// upperWords begins a sentence with the words for a name; a name itself stays.
func upperWords(name string, words func(string) string) string {
	if text := words(name); text != name {
		return upper(text)
	}
	return name
}

// called puts the words for names into a value.
func called(v any, words func(string) string) any {
	switch x := v.(type) {
	case string:
		return words(x)
	case []any:
		for i := range x {
			x[i] = called(x[i], words)
		}
	}
	return v
}

func comparisonOf(c string) string {
	if word, ok := comparisons[c]; ok {
		return word
	}
	return c
}

// plainly is a value as JSON has it, whatever it was made of.
func plainly(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(b, &out) != nil {
		return nil
	}
	return out
}

// sentence says one thing of the evidence; "" of what has no short form. What
// numbers and lists count is in the name itself, so it stands before them.
func sentence(name string, v any) string {
	text := ""
	switch x := v.(type) {
	case bool:
		if !x {
			name = "not " + name
		}
		return upper(name)
	case []any:
		text = listText(x)
	default:
		text = wordOf(v)
	}
	if text == "" {
		return ""
	}
	return upper(name) + ": " + text
}

// upper begins a sentence.
func upper(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
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
		return record.Digits(x)
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
