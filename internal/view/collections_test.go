package view

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// What was asked for while the job ran is counted too: a collection with a
// pattern of its own, and one that is captured more closely for some steps.
func TestCollectionsCountsWhatCameLater(t *testing.T) {
	p, err := plan.New(plan.Options{Framework: "pytorch"}, []plan.Collection{
		{Name: "heads", Selector: plan.Selector{Regex: []string{`head\.`}}, Schedule: plan.Every(10), Want: plan.Stats},
		{Name: "gradients@40", Selector: plan.Selector{Collections: []string{plan.Gradients}}, Schedule: plan.Every(1, record.Train), Want: plan.Raw},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	infos := []record.TensorInfo{
		{Name: "head.weight", Kind: record.Weight, Collections: []string{plan.Weights}},
		{Name: "stem.weight", Kind: record.Weight, Collections: []string{plan.Weights}},
		{Name: "gradient/stem.weight", Kind: record.Gradient, Collections: []string{plan.Gradients}},
	}
	got := map[string][]string{}
	for _, c := range Collections(record.Run{Plan: []record.PlanChange{{Plan: b}}}, infos) {
		got[c.Name] = append(got[c.Name], c.Tensors...)
	}
	for name, want := range map[string]string{"heads": "head.weight", "gradients@40": "gradient/stem.weight"} {
		if !slices.Equal(got[name], []string{want}) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// What a rule finds by the type of modules or by a pattern is counted for it,
// though it is no collection that a tensor is in.
func TestCollectionsCountsWhatRulesFind(t *testing.T) {
	p, err := plan.New(plan.Options{Framework: "pytorch"}, nil, []plan.Need{
		{By: "dead_relu", Selector: plan.Selector{Regex: []string{".*relu_output"}, ModuleTypes: []string{"ReLU"}, Side: record.Output}, Schedule: plan.Every(10), Want: plan.Stats},
		{By: "vanishing_gradient", Selector: plan.Selector{Collections: []string{plan.Gradients}}, Schedule: plan.Every(10), Want: plan.Stats},
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	infos := []record.TensorInfo{
		{Name: "act_output_0", Kind: record.Output, Module: "act", ModuleType: "ReLU"},
		{Name: "act_input_0", Kind: record.Input, Module: "act", ModuleType: "ReLU"},
		{Name: "my.relu_output_0", Kind: record.Output, Module: "my.relu", ModuleType: "Custom"},
		{Name: "gradient/fc.weight", Kind: record.Gradient, Collections: []string{plan.Gradients}},
	}
	got := map[string][]string{}
	for _, c := range Collections(record.Run{Plan: []record.PlanChange{{Plan: b}}}, infos) {
		got[c.Name] = append(got[c.Name], c.Tensors...)
	}
	if want := []string{"act_output_0", "my.relu_output_0"}; !slices.Equal(got["dead_relu"], want) {
		t.Errorf("dead_relu looks at %q, want %q", got["dead_relu"], want)
	}
	if want := []string{"gradient/fc.weight"}; !slices.Equal(slices.Compact(got[plan.Gradients]), want) {
		t.Errorf("the gradients are %q, want %q", got[plan.Gradients], want)
	}
}
