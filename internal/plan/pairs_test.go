package plan

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A rule looks for its pairs under the key it made from its own schedule; no
// merge may change it.
func TestKeysOfPairsSurviveTheMerge(t *testing.T) {
	weights := Selector{Collections: []string{Weights}}
	schedules := []Schedule{
		Every(50, record.Train),
		Every(50), // same key, other modes
		{{Every: 7, Off: true}, {Every: 2}, {Off: true}, {Off: true}},
		{{Off: true}, {Every: 2}, {Off: true}, {Off: true}}, // same steps, other key
		{{}, {Off: true}, {Off: true}, {Off: true}},
	}
	var needs []Need
	for _, s := range schedules {
		needs = append(needs, Need{By: "r", Selector: weights, Schedule: s, Want: Stats, Pairs: []Pair{{Lag: 1}}})
	}
	d := must(t, Options{Every: 10}, nil, needs...).Decide(weight)
	keys := map[string]bool{}
	for _, r := range d.Requests {
		for _, p := range r.Pairs {
			keys[p.Key(r.Schedule)] = true
		}
	}
	for _, s := range schedules {
		if key := (Pair{Lag: 1}).Key(s); !keys[key] {
			t.Errorf("%s is lost, there are %v", key, keys)
		}
	}
}
