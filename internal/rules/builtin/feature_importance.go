package builtin

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// featureNeeds asks for the collection and for what the pattern names.
func featureNeeds(p rule.Params, regex ...string) []rule.Need {
	return []rule.Need{{Selector: rule.Selector{Collections: []string{"feature_importance"}, Regex: regex}, Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats}}
}

// feature is the importance of one feature.
type feature struct {
	Name  string      `json:"name"`
	Share rule.Number `json:"share"` // of the importance of all features
}

// importances sorts scalars called …feature_importance/TYPE/FEATURE by type, in
// the order of names. Their values are averaged over workers.
func importances(v *rule.View, selector int) (types []string, byType map[string][]feature) {
	byType = map[string][]feature{}
	for _, l := range meanLosses(v, selector) {
		kind, name, ok := splitImportance(l.name)
		if !ok || !finite(l.value) {
			continue
		}
		if byType[kind] == nil {
			types = append(types, kind)
		}
		byType[kind] = append(byType[kind], feature{name, rule.Number(l.value)})
	}
	slices.Sort(types)
	return types, byType
}

func splitImportance(name string) (kind, feature string, ok bool) {
	_, rest, ok := strings.Cut(name, "feature_importance/")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "/")
}

// shares makes values into shares of their sum, largest first, and counts the
// features that have none. Equal ones keep the order of names.
func shares(values []feature) (out []feature, unused int) {
	sum := 0.0
	for _, f := range values {
		if f.Share > 0 {
			out = append(out, f)
			sum += float64(f.Share)
		} else {
			unused++
		}
	}
	for i := range out {
		out[i].Share /= rule.Number(sum)
	}
	slices.SortStableFunc(out, func(a, b feature) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	return out, unused
}
