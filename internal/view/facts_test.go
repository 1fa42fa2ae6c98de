package view

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestFacts(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	warm := func(to *float64) []record.OptimiserFacts {
		return []record.OptimiserFacts{{Class: "AdamW", LR: number(3e-6), WarmUp: &record.WarmUpFacts{Step: 9, To: to}}}
	}
	copies := func(paths ...string) []record.ModelFacts {
		m := record.ModelFacts{Name: "Task", Class: "Task", Parameters: 83, Trained: 83}
		for _, p := range paths {
			m.Copies = append(m.Copies, record.CopyFacts{Path: p, Of: "net", Class: "Net", Parameters: 83})
		}
		return []record.ModelFacts{m}
	}
	for name, c := range map[string]struct {
		facts record.Facts
		want  Fact
	}{
		"a copy":                         {record.Facts{Models: copies("average")}, Fact{"copies", "average (Net, 83 parameters) is a copy of net and does not train"}},
		"many copies":                    {record.Facts{Models: copies("a", "b", "c", "d", "e", "f", "g")}, Fact{"copies", "a (Net, 83 parameters) is a copy of net and does not train; b (Net, 83 parameters) is a copy of net and does not train; c (Net, 83 parameters) is a copy of net and does not train; d (Net, 83 parameters) is a copy of net and does not train; e (Net, 83 parameters) is a copy of net and does not train; and 2 more"}},
		"a rate that rises":              {record.Facts{Optimisers: warm(nil)}, Fact{"rate", "AdamW 3e-06 (at step 9, rising)"}},
		"and a scheduler says to what":   {record.Facts{Optimisers: warm(number(0.003))}, Fact{"rate", "AdamW 3e-06 (warm-up, rises to 0.003)"}},
		"what it scales is no rate":      {record.Facts{Optimisers: warm(number(1))}, Fact{"rate", "AdamW 3e-06 (at step 9, rising)"}},
		"a rate that rose":               {record.Facts{Optimisers: warm(number(1)), Schedule: &record.ScheduleFacts{Steps: []int64{9, 100, 200}, Rates: []float64{3e-6, 0.002, 0.001}}}, Fact{"rate", "AdamW 3e-06 (warm-up, rose to 0.002)"}},
		"a rate that a schedule changes": {record.Facts{Optimisers: []record.OptimiserFacts{{Class: "AdamW", LR: number(0.00299), Set: number(0.003)}}}, Fact{"rate", "AdamW 0.003, scheduled"}},
		"a rate that is as it was":       {record.Facts{Optimisers: []record.OptimiserFacts{{Class: "AdamW", LR: number(0.003)}}}, Fact{}},
		"no copy, and nothing is warmed": {record.Facts{Models: copies()}, Fact{}},
	} {
		got := Fact{}
		if facts := Facts(&c.facts); len(facts) > 0 {
			got = facts[0]
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
