package slow_test

import (
	"fmt"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// bodyAndHead are facts of a network whose head alone is trained, while backward goes
// through 18 operations of its body as well, and 2 of the head.
func bodyAndHead(change ...func(*rule.Facts)) *rule.Facts {
	f := &rule.Facts{
		Graph:  &record.GraphFacts{Nodes: 40, Complete: true, Wasted: &record.WastedFacts{Operations: 18, Of: 20}},
		Inputs: &record.InputFacts{Tensors: []rule.TensorFacts{{Shape: []int64{32, 3, 16, 16}}}},
		Parameters: &record.ParameterFacts{List: []rule.ParameterFact{
			{Name: "body.0.weight", Module: "body.0", Kind: record.ConvModule, Shape: []int64{64, 64, 3, 3}, Trained: true, Wasted: true},
			{Name: "head.weight", Module: "head", Kind: record.LinearModule, Shape: []int64{10, 64}, Trained: true, Held: true, Changed: true},
		}},
		Network: &record.NetworkFacts{Modules: []rule.ModuleFacts{
			{Path: "body.0", Kind: record.ConvModule, Calls: 1, Output: &rule.TensorFacts{Shape: []int64{32, 64, 16, 16}}},
			{Path: "head", Kind: record.LinearModule, Calls: 1, Output: &rule.TensorFacts{Shape: []int64{32, 10}}},
		}},
	}
	for _, c := range change {
		c(f)
	}
	return f
}

func TestUntrainedBackward(t *testing.T) {
	body := func(f *rule.Facts) *rule.ParameterFact { return &f.Parameters.List[0] }
	for _, c := range []struct {
		name  string
		facts *rule.Facts
		other float64 // seconds of a step next to its passes
		want  string  // "severity subject share gain"
	}{
		{"a body that no optimiser has", bodyAndHead(), 0.005, "warning body 0.57 0.0"},
		{"outside of the model", bodyAndHead(func(f *rule.Facts) {
			f.Parameters.Outside = []rule.ParameterFact{*body(f)}
			f.Parameters.Outside[0].Module = "ResNet.0"
			f.Parameters.List, f.Network.Modules = f.Parameters.List[1:], f.Network.Modules[1:]
		}), 0.005, "warning ResNet 0.57 0.0"},
		{"some of the operations, and most of the arithmetic", bodyAndHead(func(f *rule.Facts) { f.Graph.Wasted.Operations = 12 }), 0.005, "warning body 0.38 0.0"},
		{"all is trained, or ends before it", bodyAndHead(func(f *rule.Facts) { f.Graph.Wasted, body(f).Wasted = nil, false }), 0.005, ""},
		{"small layers before a large one", bodyAndHead(func(f *rule.Facts) {
			body(f).Shape, f.Network.Modules[0].Output.Shape = []int64{4, 3, 3, 3}, []int64{32, 4, 2, 2}
			f.Parameters.List[1].Shape = []int64{1000, 1000}
		}), 0.005, ""},
		{"an embedding", bodyAndHead(func(f *rule.Facts) { body(f).Kind = record.EmbeddingModule }), 0.005, ""},
		{"it changes all the same", bodyAndHead(func(f *rule.Facts) { body(f).Changed = true }), 0.005, ""},
		{"a graph that was not seen to its end", bodyAndHead(func(f *rule.Facts) { f.Graph.Complete = false }), 0.005, ""},
		{"more parameters than are listed", bodyAndHead(func(f *rule.Facts) { f.Parameters.More = 7 }), 0.005, ""},
		{"backward takes little of the time", bodyAndHead(), 1, ""},
		{"nothing is known", nil, 0.005, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, _ := judge(t, &slow.Training, training{
				parts:   map[rule.StepPart]float64{rule.Forward: 0.03, rule.Backward: 0.06, rule.OtherPart: c.other},
				seconds: 95, cores: 2, used: 1, facts: c.facts,
			})
			got := ""
			for _, v := range found {
				if v.Check == "untrained_backward" {
					got += fmt.Sprintf("%s %s %.2f %.1f", v.Severity, v.Subject, v.Share, v.Gain)
				}
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
