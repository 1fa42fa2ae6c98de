package view

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// Evidence says in one sentence what a finding's check measured, and its limit, in the
// words of the check. words gives what a name stands for, as TensorWords does. A finding
// of a rule that is not built in has no such words: its numbers are given as they are.
// It is "" where a finding of an earlier version lacks what the words need.
func Evidence(f record.Finding, words func(string) string) string {
	c, ok := builtinCheck(&f)
	if !ok {
		return ownNumbers(&f, words)
	}
	text, err := f.Evidence(c.Evidence, words)
	if err != nil {
		return ""
	}
	return text
}

var catalogue = sync.OnceValue(rules.Catalogue)

// builtinCheck is the check of a finding, as it is today.
func builtinCheck(f *record.Finding) (*rule.Check, bool) {
	d, ok := rule.Find(catalogue(), f.Rule)
	if !ok {
		return nil, false
	}
	return d.Check(f.Check)
}

// comparisons are the comparators of findings in words, before a limit.
var comparisons = map[string]string{
	"<": "below", "<=": "at or below", ">": "above", ">=": "at or above", "=": "equal to", "==": "equal to", "!=": "other than",
}

// ownNumbers are those of a finding of a rule of the user's own. What an expression
// compares is its value, not its subject.
func ownNumbers(f *record.Finding, words func(string) string) string {
	var out []string
	subject := upperWords(f.Subject, words)
	if expression, ok := f.Context["expression"].(string); ok {
		subject = expression
	}
	switch {
	case f.Observed != f.Threshold: // equal where no number is compared
		text := fmt.Sprintf("%s is %s %s", record.Digits(float64(f.Observed)), comparisonOf(f.Comparator), record.Digits(float64(f.Threshold)))
		if subject != "" {
			text = subject + ": " + text
		}
		out = append(out, text)
	case subject != "":
		out = append(out, subject)
	}
	keys := make([]string, 0, len(f.Context))
	for k := range f.Context {
		if k != "muted_because" && k != "expression" { // no evidence, or there already
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		if text := sentence(strings.ReplaceAll(k, "_", " "), record.Named(record.Plainly(f.Context[k]), words)); text != "" {
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
		return record.Upper(text)
	}
	return name
}

func comparisonOf(c string) string {
	if word, ok := comparisons[c]; ok {
		return word
	}
	return c
}

// sentence says one thing of the evidence; "" of what has no short form. What
// numbers and lists count is in the name itself, so it is before them.
func sentence(name string, v any) string {
	if x, ok := v.(bool); ok {
		if !x {
			name = "not " + name
		}
		return record.Upper(name)
	}
	text := record.ValueText(v)
	if text == "" {
		return ""
	}
	return record.Upper(name) + ": " + text
}
