package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Evidence fills a check's words, as rule.Check has them, with what the finding has
// measured. words gives what a name means. The error names what it lacks.
func (f *Finding) Evidence(template string, words func(string) string) (string, error) {
	if template == "" {
		return "", errors.New("say evidence: the check has no words for it")
	}
	text, err := (&blanks{f, words}).fill(template)
	if err != nil {
		return "", fmt.Errorf("say evidence of %s/%s: %w", f.Rule, f.Check, err)
	}
	if strings.HasPrefix(template, "{subject}") && words(f.Subject) == f.Subject {
		return text + ".", nil // a name stays as it is
	}
	return Upper(text) + ".", nil
}

// blanks fills the words of a check with what a finding has. The blanks are those that
// rule.Check.Evidence describes.
type blanks struct {
	f     *Finding
	words func(string) string
}

// fill puts values into all blanks of a text.
func (b *blanks) fill(text string) (string, error) {
	var out strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		end := closing(text, open)
		if end < 0 {
			return "", fmt.Errorf("%q has a bracket that is not closed", text)
		}
		value, err := b.one(text[open+1 : end])
		if err != nil {
			return "", err
		}
		out.WriteString(text[:open])
		out.WriteString(value)
		text = text[end+1:]
	}
}

// closing is where the bracket that opens there is closed.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// one is the text of one blank.
func (b *blanks) one(blank string) (string, error) {
	if name, texts, choice := strings.Cut(blank, "?"); choice {
		yes, no := either(texts)
		if b.true(name) {
			return b.fill(yes)
		}
		return b.fill(no)
	}
	name, format, _ := strings.Cut(blank, ":")
	v, ok := b.value(name)
	if !ok {
		return "", fmt.Errorf("it has no %q", name)
	}
	text, ok := spelt(v, format)
	if !ok {
		return "", fmt.Errorf("%q has %v, which is not written as %q", name, v, format)
	}
	return text, nil
}

// either cuts two texts apart at the bar that is in no bracket.
func either(texts string) (yes, no string) {
	for i, depth := 0, 0; i < len(texts); i++ {
		switch texts[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				return texts[:i], texts[i+1:]
			}
		}
	}
	return texts, ""
}

// value is one of a finding by its name, as JSON has it, with names of tensors in words.
func (b *blanks) value(name string) (any, bool) {
	switch name {
	case "observed":
		return float64(b.f.Observed), true
	case "threshold":
		return float64(b.f.Threshold), true
	case "subject":
		return b.words(b.f.Subject), b.f.Subject != ""
	}
	v, ok := b.f.Context[name]
	if !ok {
		return nil, false
	}
	v = Named(Plainly(v), b.words)
	return v, v != nil
}

// true reports whether a finding has something there that is not nothing.
func (b *blanks) true(name string) bool {
	v, ok := b.value(name)
	switch x := v.(type) {
	case bool:
		return x
	case float64:
		return x != 0
	case string:
		return x != ""
	case []any:
		return len(x) > 0
	}
	return ok
}

// spelt is a value in a format; false where that is not for such values.
func spelt(v any, format string) (string, bool) {
	x, number := numberOf(v)
	list, several := v.([]any)
	switch {
	case format == "":
		text := ValueText(v)
		return text, text != ""
	case format == "%" && number:
		return Digits(100*x) + " %", true
	case format == "times" && number:
		return Times(x), true
	case format == "seconds" && number:
		return Seconds(x), true
	case format == "bytes" && number:
		return Bytes(x), true
	case format == "shape" && several:
		if len(list) == 0 {
			return "one number", true
		}
		return "[" + strings.Join(wordsOf(list), " × ") + "]", true
	case format == "range" && several && len(list) == 2:
		return strings.Join(wordsOf(list), " to "), true
	case format == "back" && several: // from the last to the first
		words := wordsOf(list)
		slices.Reverse(words)
		return strings.Join(words, ", "), true
	}
	return "", false
}

// numberOf is a number, also one that JSON spells as a text.
func numberOf(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case string:
		if x == "NaN" || strings.HasSuffix(x, "Inf") {
			n, err := strconv.ParseFloat(x, 64)
			return n, err == nil
		}
	}
	return math.NaN(), false
}

func wordsOf(list []any) []string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = wordOf(v)
	}
	return words
}

// Named puts the words for names into a value.
func Named(v any, words func(string) string) any {
	switch x := v.(type) {
	case string:
		return words(x)
	case []any:
		for i := range x {
			x[i] = Named(x[i], words)
		}
	}
	return v
}

// Plainly is a value as JSON has it, whatever it was made of.
func Plainly(v any) any {
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
