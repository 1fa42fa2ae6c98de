package rules_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// network makes the facts of a training in which all is well: modules given as
// "path Type size size", called in this order, initialised as PyTorch does it,
// all held by one optimiser of class Adam and changed by five updates.
func network(modules ...string) *record.Facts {
	f := &record.Facts{
		Framework:  "pytorch",
		Models:     []record.ModelFacts{{Name: "Net", Class: "Net"}},
		Loss:       &record.LossFacts{Name: "loss", Function: "cross_entropy", Reduction: "mean"},
		Network:    &record.NetworkFacts{},
		Parameters: &record.ParameterFacts{Updates: 5},
		Updates:    &record.UpdateFacts{Steps: 5, Norms: []record.Number{1, 1, 1, 1, 1}},
		Graph:      &record.GraphFacts{Complete: true, Head: []string{"cross_entropy", "linear"}, Parts: 1},
	}
	for i, text := range modules {
		addModule(f, int64(i), strings.Fields(text))
	}
	n := int64(len(f.Parameters.List))
	f.Graph.Reached = n
	f.Optimisers = []record.OptimiserFacts{{Class: "Adam", Groups: []record.GroupFacts{{LR: setTo(1e-3), Eps: setTo(1e-8), Betas: []float64{0.9, 0.999}, Parameters: n}}}}
	return f
}

func setTo(x float64) *float64 { return &x }

var kindOf = map[string]string{
	"Linear": record.LinearModule, "Conv2d": record.ConvModule, "BatchNorm2d": record.NormModule, "LayerNorm": record.NormModule, "Dropout": record.DropoutModule,
	"ReLU": record.ActivationKind, "Embedding": record.EmbeddingModule, "LSTM": record.RecurrentModule, "MultiheadAttention": record.AttentionModule, "Factors": "other",
}

// addModule adds one module: Linear in out, Conv2d in out size [groups],
// BatchNorm2d channels, Dropout p, Embedding rows size, LSTM in hidden, Factors
// in out rank.
func addModule(f *record.Facts, order int64, words []string) {
	path, typ := words[0], words[1]
	size := make([]float64, 4)
	for i, w := range words[2:] {
		fmt.Sscan(w, &size[i])
	}
	n := func(i int) int64 { return int64(size[i]) }
	m := record.ModuleFacts{Path: path, Type: typ, Kind: kindOf[typ], Calls: 1, Order: order, Training: true, Settings: map[string]any{}}
	add := func(name string, bias bool, fan int64, v record.ValueFacts, shape ...int64) {
		v.Elements = product(shape)
		f.Parameters.List = append(f.Parameters.List, record.ParameterFact{
			Name: "Net_" + path + "." + name, Module: path, Type: typ, Kind: m.Kind, Shape: shape, Bias: bias,
			Trained: true, Held: true, Changed: true, Gradient: record.GradientFinite, First: &v, FanIn: fan,
		})
		f.Models[0].Parameters += product(shape)
		f.Models[0].Trained += product(shape)
	}
	weighted := func(fan int64, shape ...int64) {
		add("weight", false, fan, evenlyIn(fan), shape...)
		add("bias", true, fan, evenlyIn(fan), shape[0])
		f.Graph.Weighted++
	}
	switch typ {
	case "Linear":
		weighted(n(0), n(1), n(0))
	case "Conv2d":
		groups := max(n(3), 1)
		weighted(n(0)/groups*n(2)*n(2), n(1), n(0)/groups, n(2), n(2))
	case "BatchNorm2d", "LayerNorm":
		add("weight", false, 1, constant(1), n(0))
		add("bias", true, 1, constant(0), n(0))
		m.Settings["momentum"] = 0.1
		f.Graph.NonLinear++
	case "Dropout":
		m.Settings["p"] = size[0]
	case "ReLU":
		f.Graph.NonLinear++
	case "Embedding":
		add("weight", false, 1, normal(0, 1), n(0), n(1))
		f.Graph.Weighted++
	case "LSTM":
		add("weight_ih_l0", false, n(0), evenlyIn(n(1)), 4*n(1), n(0))
		add("weight_hh_l0", false, n(1), evenlyIn(n(1)), 4*n(1), n(1))
		add("bias_ih_l0", true, n(1), evenlyIn(n(1)), 4*n(1))
		f.Graph.Weighted++
		f.Graph.NonLinear++
	case "MultiheadAttention":
		add("in_proj_weight", false, n(0), normal(0, 0.7/math.Sqrt(size[0])), 3*n(0), n(0))
		add("in_proj_bias", true, n(0), constant(0), 3*n(0))
		f.Graph.Weighted++
		f.Graph.NonLinear++
	case "Factors": // of low rank, beside a frozen weight
		add("lora_A", false, n(0), evenlyIn(n(0)), n(2), n(0))
		add("lora_B", false, n(2), constant(0), n(1), n(2))
	}
	f.Network.Modules = append(f.Network.Modules, m)
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// evenlyIn are values that lie evenly within 1/sqrt(fan) of 0.
func evenlyIn(fan int64) record.ValueFacts {
	limit := 1 / math.Sqrt(float64(fan))
	return record.ValueFacts{Min: record.Number(-limit), Max: record.Number(limit), Std: record.Number(limit / math.Sqrt(3))}
}

func normal(mean, std float64) record.ValueFacts {
	return record.ValueFacts{Min: record.Number(mean - 4*std), Max: record.Number(mean + 4*std), Mean: record.Number(mean), Std: record.Number(std)}
}

func constant(x float64) record.ValueFacts {
	return record.ValueFacts{Min: record.Number(x), Max: record.Number(x), Mean: record.Number(x)}
}

// change does something to the parameters of modules; a path that ends with a
// dot means all below, "" all there are, one with a parameter's name that alone.
func change(f *record.Facts, do func(*record.ParameterFact), paths ...string) {
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		if slices.ContainsFunc(paths, func(s string) bool {
			return s == "" || s == p.Module || s == strings.TrimPrefix(p.Name, "Net_") || strings.HasSuffix(s, ".") && strings.HasPrefix(p.Module, s)
		}) {
			do(p)
		}
	}
}

// What can befall a parameter.
func freeze(p *record.ParameterFact) {
	p.Trained, p.Changed, p.Held, p.Gradient = false, false, false, record.GradientMissing
}
func release(p *record.ParameterFact) {
	p.Held, p.Changed, p.Gradient = false, false, record.GradientMissing
}
func cut(p *record.ParameterFact)   { p.Changed, p.Gradient = false, record.GradientMissing }
func still(p *record.ParameterFact) { p.Changed = false }
func flat(p *record.ParameterFact)  { p.Changed, p.Gradient = false, record.GradientZero }

// pretrained gives a parameter values that no initialiser makes.
func pretrained(p *record.ParameterFact) {
	v := *p.First
	if p.Kind == record.NormModule {
		v = normal(0.8, 0.1)
	} else {
		v.Max *= 3
	}
	v.Elements, p.First = p.First.Elements, &v
}

// begin gives parameters other values to begin with.
func begin(v record.ValueFacts) func(*record.ParameterFact) {
	return func(p *record.ParameterFact) {
		w := v
		w.Elements, p.First = p.First.Elements, &w
	}
}

// typed gives parameters a type.
func typed(dtype string) func(*record.ParameterFact) {
	return func(p *record.ParameterFact) { p.DType = dtype }
}

// unreach cuts modules off the loss.
func unreach(f *record.Facts, paths ...string) {
	change(f, func(p *record.ParameterFact) {
		cut(p)
		f.Graph.Unreached = append(f.Graph.Unreached, p.Name)
	}, paths...)
}

// module gives a module of the network.
func module(f *record.Facts, path string) *record.ModuleFacts {
	for i := range f.Network.Modules {
		if f.Network.Modules[i].Path == path {
			return &f.Network.Modules[i]
		}
	}
	panic("no module " + path)
}

// uncalled takes modules out of the forward that was looked at.
func uncalled(f *record.Facts, paths ...string) {
	f.Network.Modules = slices.DeleteFunc(f.Network.Modules, func(m record.ModuleFacts) bool { return slices.Contains(paths, m.Path) })
}

// group is the first group of the first optimiser, which is given a class.
func group(f *record.Facts, class string) *record.GroupFacts {
	f.Optimisers[0].Class = class
	return &f.Optimisers[0].Groups[0]
}

// judged gives what a rule of the default set says of facts: severity, check,
// kind of cause and subject of each finding.
func judged(t *testing.T, name string, f *record.Facts) (said []string, found []record.Finding) {
	t.Helper()
	d, ok := rules.Lookup(name)
	if !ok {
		t.Fatalf("there is no rule %s", name)
	}
	j := newJob(t, rules.Config{Rule: name, Params: d.Default.Params})
	j.engine.Facts(f)
	j.feed(input{step: 1, scalars: map[string]float64{"loss": 1}}, input{step: 2, scalars: map[string]float64{"loss": 1}})
	j.engine.Finish(record.Completed)
	if s := j.status(); s.Status == rules.StatusError {
		t.Fatalf("%s: %s", name, s.Details)
	}
	for _, x := range j.found {
		said = append(said, fmt.Sprintf("%s %s %s %s", x.Severity, x.Check, x.CauseClass, x.Subject))
		if !strings.HasSuffix(x.Message, ".") || strings.Contains(x.Message, "%!") || strings.Contains(x.Message, "  ") || x.Cause == "" || x.Remedy == "" {
			t.Errorf("%s: finding is no sentence, or without cause or remedy: %+v", name, x)
		}
	}
	return said, j.found
}

// factCase is one training: facts, and what the rule says of them.
type factCase struct {
	name  string
	facts *record.Facts
	do    func(*record.Facts)
	want  string // findings as judged gives them, separated by "; "
	says  string // part of the first message
}

func runFacts(t *testing.T, rule string, cases []factCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.do != nil {
				c.do(c.facts)
			}
			said, found := judged(t, rule, c.facts)
			if got := strings.Join(said, "; "); got != c.want {
				t.Errorf("findings are %q, want %q", got, c.want)
			}
			if c.says != "" && (len(found) == 0 || !strings.Contains(found[0].Message, c.says)) {
				t.Errorf("findings are %v, want %q", found, c.says)
			}
		})
	}
}

// Networks that people train.
func classifier() *record.Facts {
	return network("fc1 Linear 20 64", "act1 ReLU", "fc2 Linear 64 64", "act2 ReLU", "fc3 Linear 64 10")
}

func resnet() *record.Facts {
	return network("conv1 Conv2d 3 16 3", "bn1 BatchNorm2d 16", "relu ReLU",
		"layer1.conv1 Conv2d 16 16 3", "layer1.bn1 BatchNorm2d 16", "layer1.relu ReLU", "layer1.conv2 Conv2d 16 16 3", "layer1.bn2 BatchNorm2d 16",
		"layer2.conv1 Conv2d 16 32 3", "layer2.bn1 BatchNorm2d 32", "layer2.relu ReLU", "layer2.conv2 Conv2d 32 32 3", "layer2.bn2 BatchNorm2d 32", "fc Linear 32 10")
}

func transformer() *record.Facts {
	return network("emb Embedding 100 32", "drop Dropout 0.1", "block.attn MultiheadAttention 32", "block.norm LayerNorm 32",
		"block.ff1 Linear 32 128", "block.act ReLU", "block.ff2 Linear 128 32", "block.drop Dropout 0.1", "head Linear 32 100")
}

func mobilenet() *record.Facts {
	return network("stem Conv2d 3 32 3", "bn0 BatchNorm2d 32", "act0 ReLU", "dw Conv2d 32 32 3 32", "pw Conv2d 32 64 1", "bn1 BatchNorm2d 64", "act1 ReLU", "fc Linear 64 10")
}

func lstm() *record.Facts {
	return network("emb Embedding 1000 300", "rnn LSTM 300 16", "fc Linear 16 2")
}

// gan is two models, each with an optimiser.
func gan() *record.Facts {
	f := network("g1 Linear 8 32", "act ReLU", "g2 Linear 32 2", "d1 Linear 2 32", "act2 ReLU", "d2 Linear 32 1")
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		model := map[byte]string{'g': "Generator", 'd': "Discriminator"}[p.Module[0]]
		p.Name = model + "_" + p.Module + p.Name[strings.LastIndex(p.Name, "."):]
	}
	f.Network.Modules = f.Network.Modules[:3] // of the first model only
	f.Models = []record.ModelFacts{{Name: "Generator", Class: "Generator"}, {Name: "Discriminator", Class: "Discriminator"}}
	o := f.Optimisers[0]
	g := o.Groups[0]
	g.Parameters = 4
	o.Groups = []record.GroupFacts{g}
	f.Optimisers = []record.OptimiserFacts{o, o}
	f.Loss.Function = "binary_cross_entropy"
	f.Graph.Head = []string{"binary_cross_entropy", "sigmoid", "linear"}
	return f
}

// twoHeads is a trunk with two outputs.
func twoHeads() *record.Facts {
	return network("trunk Linear 20 64", "act ReLU", "a Linear 64 5", "b Linear 64 7")
}
