package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// weight is an announced parameter of so many elements.
func weight(module, name string, elements int64, more ...func(*record.TensorInfo)) record.TensorInfo {
	t := record.TensorInfo{Name: strings.TrimPrefix(module+"."+name, "."), Kind: record.Weight, Module: module, ModuleType: "Some", Shape: []int64{elements}}
	for _, f := range more {
		f(&t)
	}
	return t
}

// calls are modules in the order of their calls, by "path kind".
func calls(list ...string) []record.ModuleFacts {
	var out []record.ModuleFacts
	for i, text := range list {
		path, kind, _ := strings.Cut(text, " ")
		out = append(out, record.ModuleFacts{Path: path, Type: "Some", Kind: kind, Order: int64(i)})
	}
	return out
}

func uncalled(paths ...string) (out []record.UncalledFact) {
	for _, p := range paths {
		out = append(out, record.UncalledFact{Path: p, Type: "Some"})
	}
	return out
}

func TestNetwork(t *testing.T) {
	alias := func(t *record.TensorInfo) { t.AliasOf = "another" }
	part := func(t *record.TensorInfo) { t.Part = &record.Part{Of: []int64{8, 2}} }
	loose := func(t *record.TensorInfo) { t.ModuleType = "LooseRoot" }
	bias := func(t *record.TensorInfo) { t.Kind = record.Bias }
	gradient := func(t *record.TensorInfo) { t.Kind = record.Gradient }
	for _, tt := range []struct {
		name      string
		facts     *record.Facts
		announced []record.TensorInfo
		want      string
		total     string
	}{
		{"a tree", &record.Facts{Network: &record.NetworkFacts{Modules: calls("", "body", "body.fc")}},
			[]record.TensorInfo{weight("body.fc", "weight", 12), weight("body.fc", "bias", 4, bias), weight("body.fc", "weight", 12, gradient), weight("body.fc", "tied", 12, alias), weight("body", "scale", 2, part)},
			"0 (root) 0, 1 body 16, 2 fc 16", "3 modules, 32 parameters"},
		{"lists of modules and of parameters, and what is never called", &record.Facts{Network: &record.NetworkFacts{
			Modules: calls("", "first", "blocks.1", "norms.0", "blocks.0"), Uncalled: uncalled("unused", "blocks", "gains", "norms")}},
			[]record.TensorInfo{weight("", "scale", 3), weight("unused", "weight", 5), weight("blocks", "own", 7), weight("blocks.0", "weight", 11), weight("blocks.1", "weight", 13), weight("gains", "0", 17), weight("first", "weight", 19)},
			"0 (root) 3, 1 first 19, 1 blocks 7, 2 1 13, 1 norms 0, 2 0 0, 2 blocks.0 11, 1 unused 5, 1 gains 17", "9 modules, 75 parameters"},
		{"a part of what is one thing", &record.Facts{Network: &record.NetworkFacts{Modules: calls("", "att attention", "head"), Uncalled: uncalled("att.out", "late")}},
			[]record.TensorInfo{weight("late", "w", 2), weight("att.out", "w", 3), weight("att", "w", 4)},
			"0 (root) 0, 1 att 4, 2 out 3, 1 head 0, 1 late 2", "5 modules, 9 parameters"},
		{"further models, and what is in no module", &record.Facts{Network: &record.NetworkFacts{Modules: calls("", "fc"), Uncalled: uncalled("unused")}},
			[]record.TensorInfo{weight("unused", "w", 2), weight("fc", "w", 3), weight("D.fc", "w", 4), weight("", "Adam_param_0", 5, loose)},
			"0 (root) 0, 1 fc 3, 2 D.fc 4, 0 (in no module) 5, 1 unused 2", "5 modules, 14 parameters"},
		{"more modules than were recorded", &record.Facts{Network: &record.NetworkFacts{Modules: calls("", "a"), More: 3}},
			[]record.TensorInfo{weight("a", "w", 2), weight("b", "w", 3)}, "0 (root) 0, 1 a 2, 1 b 3", "5 modules, 5 parameters"},
		{"not looked at", nil, []record.TensorInfo{weight("b", "w", 2), weight("a", "w", 3)}, "0 b 2, 0 a 3", "2 modules, 5 parameters"},
		{"nothing", nil, nil, "", "0 modules, 0 parameters"},
	} {
		n := NetworkOf(tt.facts, tt.announced)
		var got []string
		for _, l := range n.Layers {
			got = append(got, fmt.Sprintf("%d %s %d", l.Depth, l.Label, l.Parameters))
		}
		if text := strings.Join(got, ", "); text != tt.want || n.Total() != tt.total {
			t.Errorf("%s: %s; %s, want\n%s; %s", tt.name, text, n.Total(), tt.want, tt.total)
		}
		var rest int64
		if len(n.Layers) > 1 {
			shown, _, more := n.First(1)
			if rest = shown[0].Parameters + more; rest != n.Parameters {
				t.Errorf("%s: the first layer and the rest hold %d parameters, all %d", tt.name, rest, n.Parameters)
			}
		}
	}
}

// Tensors are in the order of their modules; what is of no module comes first.
func TestTensorsInCallOrder(t *testing.T) {
	o := callOrderOf(&record.Facts{Network: &record.NetworkFacts{Modules: calls("", "b", "a"), Uncalled: uncalled("never")}})
	list := []record.TensorInfo{
		{Name: "b_out", Kind: record.Output, Module: "b"}, {Name: "loss", Kind: record.Loss}, weight("never", "w", 1), weight("a", "w", 1), {Name: "gradient/a.w", Kind: record.Gradient, Module: "a"},
		weight("", "w", 1), weight("b", "w", 1), weight("D", "w", 1),
	}
	slices.SortStableFunc(list, func(a, b record.TensorInfo) int { return cmp.Compare(o.ofTensor(&a), o.ofTensor(&b)) })
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
	}
	if got, want := strings.Join(names, " "), "loss w b_out b.w a.w gradient/a.w D.w never.w"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
