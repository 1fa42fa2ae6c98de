package ranking

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/vigil-ml/vigil/internal/record"
)

// ByValue is what the metric is in the runs with one value of a parameter. Unlike a rank
// correlation it shows an optimum in the middle, and goes for words.
type ByValue struct {
	Value  *string       `json:"value" doc:"null: runs that do not have the parameter"`
	Runs   int           `json:"runs" doc:"How many of those that can be trusted"`
	Best   record.Number `json:"best"`
	Median record.Number `json:"median"`
}

const mostGroups = 8 // values of a parameter that are told apart

// groupsOf are those of a parameter, numbers ascending and runs without it last; none
// where there are too many, or one only.
func groupsOf(values []*string, places []Place, better string) []ByValue {
	words := spelled(values)
	metric := map[string][]float64{}
	first := map[string]*string{}
	for i, p := range places {
		if p.trusted() {
			metric[words[i]] = append(metric[words[i]], float64(p.Value))
			first[words[i]] = values[i]
		}
	}
	groups := []ByValue{}
	if len(metric) < 2 || len(metric) > mostGroups {
		return groups
	}
	for word, list := range metric {
		slices.Sort(list)
		g := ByValue{Value: first[word], Runs: len(list), Best: record.Number(list[0]), Median: record.Number((list[(len(list)-1)/2] + list[len(list)/2]) / 2)}
		if better == "more" {
			g.Best = record.Number(list[len(list)-1])
		}
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(x, y ByValue) int { return compareValues(x.Value, y.Value) })
	return groups
}

// compareValues puts numbers into order, then words, and what is not there last.
func compareValues(x, y *string) int {
	if x == nil || y == nil {
		return cmp.Compare(btoi(x == nil), btoi(y == nil))
	}
	a, notA := strconv.ParseFloat(*x, 64)
	b, notB := strconv.ParseFloat(*y, 64)
	if notA != nil || notB != nil {
		return cmp.Or(cmp.Compare(btoi(notA != nil), btoi(notB != nil)), cmp.Compare(*x, *y))
	}
	return cmp.Compare(a, b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
