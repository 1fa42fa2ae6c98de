package plan

import (
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// What optimisers keep is captured where its collection, its name or a pattern
// that means it asks for it, in training only; hooks are asked for it then.
func TestOptimizerState(t *testing.T) {
	weight := record.TensorInfo{Name: "Net_fc.weight", Kind: record.Weight}
	state := record.TensorInfo{Name: "Adam/Net_fc.weight/exp_avg_sq", Kind: record.State}
	for _, c := range []struct {
		name       string
		collection Collection
		held       bool // the state is in the collection
		asked      bool // the hook is asked for state
	}{
		{"its collection", Collection{Name: OptimizerVariables}, true, true},
		{"a collection that includes it", Collection{Name: "mine", Selector: Selector{Collections: []string{OptimizerVariables}}}, true, true},
		{"its name", Collection{Name: "mine", Selector: Selector{Names: []string{state.Name}}}, true, true},
		{"its kind", Collection{Name: "mine", Selector: Selector{Kinds: []record.Kind{record.State}}}, true, true},
		{"the key", Collection{Name: "mine", Selector: Selector{Regex: []string{`exp_avg_sq$`}}}, true, true},
		{"another key", Collection{Name: "mine", Selector: Selector{Regex: []string{`exp_avg$`}}}, false, true},
		{"a key without its words", Collection{Name: "mine", Selector: Selector{Regex: []string{`fc\.weight/.*_sq`}}}, true, true},
		{"the optimiser", Collection{Name: "mine", Selector: Selector{Regex: []string{`^Adam/`}}}, true, true},
		{"the parameter", Collection{Name: "mine", Selector: Selector{Regex: []string{`fc\.weight`}}}, false, false},
		{"everything", Collection{Name: "mine", Selector: Selector{Regex: []string{`.*`}}}, false, false},
		{"every tensor", Collection{Name: All}, false, false},
		{"weights", Collection{Name: Weights}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.collection.Schedule = Every(7)
			p, err := New(Options{}, []Collection{c.collection}, nil)
			if err != nil {
				t.Fatal(err)
			}
			d := p.Decide(state)
			if got := slices.Contains(d.Collections, c.collection.Name); got != c.held {
				t.Errorf("in the collection: %t", got)
			}
			if got := d.Want(record.Train, 7) != 0; got != c.held {
				t.Errorf("captured in TRAIN: %t", got)
			}
			if d.Want(record.Eval, 7) != 0 || d.Want(record.Predict, 7) != 0 {
				t.Error("captured where nothing is trained")
			}
			asked := false
			for _, m := range p.Wire([]WireTensor{{ID: 0, Info: weight}}, nil).Modules {
				asked = asked || m.Side == record.State && m.Path == ""
			}
			if asked != c.asked {
				t.Errorf("the hook is asked: %t", asked)
			}
		})
	}
	for name, want := range map[string]string{"Adam/Net_a.b/exp_avg": "Net_a.b", "SGD/R_x/y/momentum_buffer": "R_x/y", "gradient/Net_w": "", "loss": "", "/": ""} {
		if got := StateParameter(name); got != want {
			t.Errorf("the parameter of %q is %q", name, got)
		}
	}
}
