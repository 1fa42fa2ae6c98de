package plan

import (
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// What losses are given is watched only when somebody asks for it.
func TestRoles(t *testing.T) {
	label, prediction := record.Label, record.Prediction
	collect := func(name string, s Selector) []Collection {
		return []Collection{{Name: name, Selector: s, Schedule: Every(5), Want: Stats, By: []string{"--collect"}}}
	}
	for _, c := range []struct {
		name        string
		options     Options
		collections []Collection
		needs       []Need
		want        []record.Kind
	}{
		{name: "by default"},
		{name: "other activations", collections: collect(Layers, Selector{})},
		{name: "labels", collections: collect(Labels, Selector{}), want: []record.Kind{label}},
		{name: "both by one that includes them", collections: collect("given", Selector{Collections: []string{Labels, Predictions}}), want: []record.Kind{label, prediction}},
		{name: "by kind", collections: collect("given", Selector{Kinds: []record.Kind{prediction}}), want: []record.Kind{prediction}},
		{name: "all", options: Options{SaveAll: true}, want: []record.Kind{label, prediction}},
		{name: "a circle", collections: append(collect("a", Selector{Collections: []string{"b"}}), collect("b", Selector{Collections: []string{"a"}})...)},
		{name: "a rule", needs: []Need{{By: "r", Selector: Selector{Collections: []string{Predictions}}, Schedule: Every(7), Want: Stats}}, want: []record.Kind{prediction}},
	} {
		p, err := New(c.options, c.collections, c.needs)
		if err != nil {
			t.Fatal(err)
		}
		var got []record.Kind
		for _, m := range p.Wire(nil, []WireModule{{"CrossEntropyLoss", "CrossEntropyLoss"}, {"act", "ReLU"}}).Modules {
			if m.Path == "" {
				got = append(got, m.Side)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: watched are %v, want %v", c.name, got, c.want)
		}
	}
}

// Labels are inputs of their module too, and requests for readings are united.
func TestLabelsDecided(t *testing.T) {
	tokens := Tokens{Values: "0"}
	needs := []Need{
		{By: "a", Selector: Selector{Collections: []string{Labels}}, Schedule: Every(2), Want: Stats, Readings: []Reading{Classes{Set: "x"}}},
		{By: "b", Selector: Selector{Regex: []string{"_input_1$"}}, Schedule: Every(2), Want: Stats, Readings: []Reading{tokens, Classes{Set: "x"}}},
		{By: "c", Selector: Selector{ModuleTypes: []string{"MyLoss"}, Side: record.Input}, Schedule: Every(3), Want: Raw},
	}
	p, err := New(Options{}, nil, needs)
	if err != nil {
		t.Fatal(err)
	}
	d := p.Decide(record.TensorInfo{Name: "MyLoss_input_1", Kind: record.Label, Module: "MyLoss", ModuleType: "MyLoss"})
	if !slices.Contains(d.Collections, Labels) || !slices.Contains(d.Collections, Layers) || slices.Contains(d.Collections, Inputs) {
		t.Errorf("collections are %v", d.Collections)
	}
	if len(d.Requests) != 2 || len(d.Requests[0].Readings) != 2 || d.Requests[1].Want != Raw {
		t.Errorf("requests are %+v", d.Requests)
	}
	if d := p.Decide(record.TensorInfo{Name: "labels", Kind: record.Custom}); !slices.Contains(d.Collections, Labels) {
		t.Errorf("what the script saves as labels is in %v", d.Collections)
	}
	for _, r := range []Reading{tokens, Classes{}, Images{}} {
		if ReadingText(r) == "" || ReadingText(r) == r.Key() {
			t.Errorf("%s is not explained", r.Key())
		}
	}
}
