package builtin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// inBrackets reads the numbers of a quantity such as cell[3,5]; ok is false for
// another quantity.
func inBrackets(quantity, name string) (numbers []int64, ok bool) {
	rest, ok := strings.CutPrefix(name, quantity)
	if !ok {
		return nil, false
	}
	rest, ok = strings.CutSuffix(rest, "]")
	for text := range strings.SplitSeq(rest, ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, ok
}

// unless is a selector for a pattern; while the pattern is the default, it is
// the collection that stands for it, which also goes by the type of modules.
func unless(pattern []string, def, collection string) rule.Selector {
	if slices.Equal(pattern, []string{def}) {
		return rule.Selector{Regex: pattern, Collections: []string{collection}}
	}
	return rule.Selector{Regex: pattern}
}

// listOf reads a list of numbers.
func listOf(of string, p rule.Params, name string, ok func(float64) bool, hint string) ([]float64, error) {
	var out []float64
	for _, text := range p.List(name) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !finite(x) || !ok(x) {
			return nil, &rule.ParamError{Rule: of, What: name, Message: fmt.Sprintf("parameter %q: %q is not allowed", name, text), Hint: hint}
		}
		out = append(out, x)
	}
	return out, nil
}

// skips are the reasons for which a comparison of classes cannot be made, as
// they are told and counted.
var skips = []string{rule.ClassNotLabels, rule.ClassNotPredictions, rule.ClassLengths, rule.ClassTooMany}

func shareText(part, all float64) string { return fmt.Sprintf("%.3g %%", 100*part/all) }
