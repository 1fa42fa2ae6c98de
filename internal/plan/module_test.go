package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestModule(t *testing.T) {
	in, out := Watch{record.Input, Every(7)}, Watch{record.Output, Every(7)}
	select7 := func(s Selector) []Collection { return []Collection{{Name: "mine", Selector: s, Schedule: Every(7)}} }
	named := func(name string) []Collection { return []Collection{{Name: name, Schedule: Every(7)}} }
	re := func(s ...string) []Collection { return select7(Selector{Regex: s}) }
	for _, c := range []struct {
		name      string
		cs        []Collection
		path, typ string
		want      []Watch
	}{
		{"nothing asked", nil, "relu", "ReLU", nil},
		{"relu_output by class", named("relu_output"), "features.3", "ReLU", []Watch{out}},
		{"relu_output by class ReLU6", named("relu_output"), "features.3", "ReLU6", []Watch{out}},
		{"relu_output by name", named("relu_output"), "layer1.0.relu", "Custom", []Watch{out}},
		{"relu_output, other class", named("relu_output"), "features.4", "LeakyReLU", nil},
		{"relu_input", named("relu_input"), "features.3", "ReLU", []Watch{in}},
		{"inputs of the root", named(Inputs), "", "Net", []Watch{in}},
		{"inputs of others", named(Inputs), "fc", "Linear", nil},
		{"outputs of the root", named(Outputs), "", "Net", []Watch{out}},
		{"layers", named(Layers), "fc", "Linear", []Watch{in, out}},
		{"layers and the root", named(Layers), "", "Net", nil},
		{"all", named(All), "fc", "Linear", []Watch{in, out}},
		{"weights need no module", named(Weights), "weight_head", "Linear", nil},
		{"losses need no module", named(Losses), "loss_fn", "CrossEntropyLoss", nil},
		{"output by pattern", re(`fc_output`), "fc", "Linear", []Watch{out}},
		{"both by pattern", re(`^fc`), "fc", "Linear", []Watch{in, out}},
		{"third output", re(`_output_2$`), "fc", "Linear", []Watch{out}},
		{"path in the middle", re(`encoder\.layers\.\d+\.linear1_input`), "encoder.layers.11.linear1", "Linear", []Watch{in}},
		{"attention weights", re(`attention_output_1`), "attention", "MultiheadAttention", []Watch{out}},
		{"attention written by hand", re(`softmax_output`), "blocks.0.softmax", "Softmax", []Watch{out}},
		{"pattern of a weight", re(`fc\.weight`), "fc", "Linear", nil},
		{"root by class name", re(`Net_output_0`), "", "Net", []Watch{out}},
		{"names", select7(Selector{Names: []string{"fc_output_17"}}), "fc", "Linear", []Watch{out}},
		{"names of others", select7(Selector{Names: []string{"fc1_output_17", "fc_output_x", "fc_output_"}}), "fc", "Linear", nil},
		{"classes", select7(Selector{ModuleTypes: []string{"Linear"}, Side: record.Input}), "fc", "Linear", []Watch{in}},
		{"kinds", select7(Selector{Kinds: []record.Kind{record.Output}}), "fc", "Linear", []Watch{out}},
		{"included collection", select7(Selector{Collections: []string{"relu_output"}}), "act", "ReLU", []Watch{out}},
	} {
		p := must(t, Options{}, c.cs)
		if d := cmp.Diff(c.want, p.Module(c.path, c.typ)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, d)
		}
	}
}

func TestModuleByNeeds(t *testing.T) {
	p := must(t, Options{}, nil,
		Need{By: "dead_relu", Selector: Selector{Regex: []string{".*relu_output"}, ModuleTypes: []string{"ReLU"}, Side: record.Output}, Schedule: Every(10), Want: Stats},
		Need{By: "dead_relu_tight", Selector: Selector{Collections: []string{"relu_output"}}, Schedule: Every(20), Want: Stats},
		Need{By: "saturated", Selector: Selector{Collections: []string{"relu_output"}}, Schedule: Every(3), Want: Stats},
	)
	want := []Watch{{record.Output, Every(10).yielding()}, {record.Output, Every(3).yielding()}} // 20 is covered by 10
	if d := cmp.Diff(want, p.Module("act", "ReLU")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got := p.Module("fc", "Linear"); got != nil {
		t.Errorf("fc is watched: %v", got)
	}
}

// A module is watched when, and only when, one of its tensors would be
// captured if it had the name and kind that the hook gives it.
func TestModuleAgreesWithDecide(t *testing.T) {
	plans := []*Plan{
		must(t, Options{}, []Collection{{Name: "relu_output", Schedule: Every(2)}}),
		must(t, Options{}, []Collection{{Name: Outputs, Schedule: Every(2)}, {Name: Layers, Schedule: Every(3)}}),
		must(t, Options{SaveAll: true, Every: 1}, nil),
		must(t, Options{}, []Collection{regex("mine", Every(2), Raw, `^fc_output_0`, `act`)}),
		must(t, Options{}, nil, Need{By: "r", Selector: Selector{Collections: []string{"sigmoid_input"}}, Schedule: Every(2)}),
	}
	modules := []WireModule{{"", "Net"}, {"fc", "Linear"}, {"act", "ReLU"}, {"block.relu", "Identity"}, {"gate", "Sigmoid"}, {"sigmoid", "X"}}
	for i, p := range plans {
		for _, m := range modules {
			watched := map[record.Kind]bool{}
			for _, w := range p.Module(m.Path, m.Type) {
				watched[w.Side] = true
			}
			for _, side := range []record.Kind{record.Input, record.Output} {
				mod := module{m.Path, m.Type}
				ti := info(side, mod.prefix(side)+"0", m.Path, m.Type)
				if got := len(p.Decide(ti).Requests) > 0; got != watched[side] {
					t.Errorf("plan %d: %s is captured: %v, its module is watched: %v", i, ti.Name, got, watched[side])
				}
			}
		}
	}
}
