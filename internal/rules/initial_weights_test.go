package rules_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestInitialWeights(t *testing.T) {
	exploding := func(f *record.Facts) {
		x, y := record.ValueFacts{Std: 1}, record.ValueFacts{Std: 5000}
		module(f, "fc1").Input = &record.TensorFacts{Values: &x}
		module(f, "fc1").Output, module(f, "fc2").Output, module(f, "fc3").Output = &record.TensorFacts{Values: &y}, &record.TensorFacts{Values: &y}, &record.TensorFacts{Values: &x}
	}
	deep := func() *record.Facts {
		return network("fc1 Linear 64 64", "a ReLU", "fc2 Linear 64 64", "b ReLU", "fc3 Linear 64 64", "c ReLU", "fc4 Linear 64 10")
	}
	tiny := func(f *record.Facts) { change(f, begin(normal(0, 1e-4)), "fc1.weight", "fc2.weight", "fc3.weight") }
	runFacts(t, "initial_weights", []factCase{
		{"all zero", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0)), "")
			change(f, flat, "fc1", "fc2", "fc3.weight")
		}, "error zero_weights initialisation fc1", "All weights of fc1, fc2 and fc3 were initialised with 0 and fc1, fc2 and fc3 have not changed since"},
		{"all weights zero under random biases", classifier(), func(f *record.Facts) { change(f, begin(constant(0)), "fc1.weight", "fc2.weight", "fc3.weight") },
			"warning zero_weights initialisation fc1", "The weights of every layer (fc1, fc2 and fc3) were initialised with 0"},
		{"in a sequence", network("0 Linear 8 8", "1 ReLU", "2 Linear 8 8"), func(f *record.Facts) {
			change(f, begin(constant(1)), "")
		}, "error equal_weights initialisation 0", "All weights of layer 0 start with the same value (1 in layer 0)"},
		{"two in a row", deep(), func(f *record.Facts) {
			change(f, begin(constant(0)), "fc2", "fc3")
			change(f, flat, "fc1", "fc2", "fc3.weight")
		}, "error zero_weights initialisation fc2", ""},
		{"one step is too few", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0)), "")
			f.Parameters.Updates = 1
		}, "", ""},

		{"constant", classifier(), func(f *record.Facts) { change(f, begin(constant(0.5)), "") }, "error equal_weights initialisation fc1", "All weights of fc1 and fc2 start with the same value (0.5 in fc1), so the 64 units of the"},
		{"deviations that begin as one number beside random means", classifier(), func(f *record.Facts) {
			deviation := f.Parameters.List[0]
			deviation.Name, deviation.First = deviation.Name+"_rho", &record.ValueFacts{Elements: 1280, Min: -3, Max: -3, Mean: -3}
			f.Parameters.List = append(f.Parameters.List, deviation)
		}, "", ""},
		{"constant under random biases", classifier(), func(f *record.Facts) { change(f, begin(constant(1)), "fc1.weight", "fc2.weight", "fc3.weight") }, "warning equal_weights initialisation fc1", ""},
		{"one constant layer", classifier(), func(f *record.Facts) { change(f, begin(constant(0.1)), "fc2") }, "warning equal_weights initialisation fc2", ""},
		{"means at first, of the trend and of the season", network("season Linear 48 12", "trend Linear 48 12"), func(f *record.Facts) { change(f, begin(constant(1./48)), "season", "trend") }, "", ""},
		{"constant depthwise", mobilenet(), func(f *record.Facts) { change(f, begin(constant(1./9)), "dw") }, "", ""},
		{"constant and frozen", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0.1)), "fc1")
			change(f, freeze, "fc1")
		}, "", ""},

		{"two tables of one value", factors(), func(f *record.Facts) { change(f, begin(constant(0.1)), "users", "items") }, "error equal_weights initialisation users", "All entries of users and items start with the same value"},
		{"two tables of zeros that wait for each other", factors(), func(f *record.Facts) {
			change(f, begin(constant(0)), "users", "items")
			change(f, flat, "users", "items")
		}, "error zero_weights initialisation users", "users and items have not changed since"},
		{"one table of zeros", factors(), func(f *record.Facts) { change(f, begin(constant(0)), "users") }, "", ""},
		{"tables of zeros that move", factors(), func(f *record.Facts) { change(f, begin(constant(0)), "users", "items") }, "", ""},
		{"a table of ones before a layer", network("scale Embedding 10 32", "fc Linear 32 10"), func(f *record.Facts) { change(f, begin(constant(1)), "scale") }, "", ""},

		{"deviation of 1", network("fc1 Linear 784 256", "a ReLU", "fc2 Linear 256 64", "b ReLU", "fc3 Linear 64 10"), func(f *record.Facts) { change(f, begin(normal(0, 1)), "fc1.weight", "fc2.weight", "fc3.weight") },
			"warning large_weights initialisation fc1", "fc1 has std 1, where 0.0505 is usual for 784 inputs"},
		{"large and exploding", classifier(), func(f *record.Facts) {
			change(f, begin(normal(0, 10)), "fc1.weight", "fc2.weight", "fc3.weight")
			exploding(f)
		}, "error large_weights initialisation fc2", ""},
		{"one large layer", deep(), func(f *record.Facts) { change(f, begin(normal(0, 3)), "fc2.weight") }, "warning large_weights initialisation fc2", ""},
		{"half as large", deep(), func(f *record.Facts) { change(f, begin(normal(0, 1)), "fc2.weight") }, "", ""},
		{"between 0 and 1", classifier(), func(f *record.Facts) {
			change(f, begin(record.ValueFacts{Max: 1, Mean: 0.5, Std: record.Number(1 / math.Sqrt(12))}), "fc1.weight", "fc2.weight", "fc3.weight")
		}, "warning one_sided_weights initialisation fc1", "those of fc1 have mean 0.5"},
		{"too small", deep(), tiny, "warning small_weights initialisation fc1", "fc1 has std 0.0001, where 0.177 is usual for 64 inputs"},
		{"small with normalisation", network("fc1 Linear 64 64", "n1 LayerNorm 64", "fc2 Linear 64 64", "n2 LayerNorm 64", "fc3 Linear 64 64", "n3 LayerNorm 64", "fc4 Linear 64 10"), tiny, "info small_weights initialisation fc1", ""},
		{"small, and nothing is known of the loss yet", classifier(), func(f *record.Facts) { change(f, begin(normal(0, 1e-3)), "fc1.weight", "fc2.weight", "fc3.weight") }, "", ""},
		{"only the last is small", deep(), func(f *record.Facts) { change(f, begin(normal(0, 1e-4)), "fc4.weight") }, "", ""},
		{"large state of a recurrent layer", lstm(), func(f *record.Facts) { change(f, begin(normal(0, 10)), "rnn.weight_hh_l0", "fc.weight") }, "warning large_weights initialisation rnn", ""},
	})
}

// Weights that come from an earlier training are not judged as initial ones, and those
// that are new next to them are.
func TestInitialWeightsOfLoadedLayers(t *testing.T) {
	come := func(p *record.ParameterFact) { p.Loaded = true }
	differ := func(x record.Number) func(*record.ParameterFact) {
		return func(p *record.ParameterFact) { p.Uneven = &x }
	}
	body := []string{"fc1", "fc2"}
	large := begin(normal(0, 5))
	runFacts(t, "initial_weights", []factCase{
		{"large, as drawn", classifier(), func(f *record.Facts) { change(f, large, "fc1.weight", "fc2.weight") }, "warning large_weights initialisation fc2", ""},
		{"large, and loaded", classifier(), func(f *record.Facts) {
			change(f, large, "fc1.weight", "fc2.weight")
			change(f, come, body...)
		}, "", ""},
		{"large, and rows differ as training makes them", classifier(), func(f *record.Facts) {
			change(f, large, "fc1.weight", "fc2.weight")
			change(f, differ(9), "fc1.weight", "fc2.weight")
		}, "", ""},
		{"large, and rows differ as in a small layer that was drawn", classifier(), func(f *record.Facts) {
			change(f, large, "fc1.weight", "fc2.weight")
			change(f, differ(3.8), "fc1.weight", "fc2.weight")
		}, "warning large_weights initialisation fc2", ""},
		{"a new head that is too large behind a loaded body", classifier(), func(f *record.Facts) {
			change(f, large, "")
			change(f, come, body...)
		}, "warning large_weights initialisation fc3", "The initial weights of fc3 are too large"},
		{"a loaded layer of one value", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0.5)), "fc1.weight", "fc2.weight")
			change(f, come, "fc1")
		}, "warning equal_weights initialisation fc2", "All weights of fc2 start with the same value"},
		{"a loaded layer of zeros", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0)), "fc1", "fc2")
			change(f, flat, "fc1", "fc2")
			change(f, come, body...)
		}, "", ""},
		{"loaded tables of one value", factors(), func(f *record.Facts) {
			change(f, begin(constant(0.1)), "users", "items")
			change(f, come, "users", "items")
		}, "", ""},
		{"a loaded table of large values", network("users Embedding 40 8", "items Embedding 30 8", "fc Linear 8 1"), func(f *record.Facts) {
			change(f, begin(normal(0, 40)), "users")
			change(f, begin(normal(0, 1)), "items")
			change(f, come, "users")
		}, "", ""},
	})
}

// factors is a factorisation: two tables, and biases.
func factors() *record.Facts {
	return network("users Embedding 40 8", "items Embedding 30 8", "user_bias Embedding 40 1", "item_bias Embedding 30 1")
}

// Weights that are small, but not so small that they are a fault by themselves,
// are one where the loss does not move.
func TestSmallInitialWeights(t *testing.T) {
	small := func(std float64, modules ...string) *record.Facts {
		f := network(modules...)
		for _, m := range modules {
			if name, typ, _ := strings.Cut(m, " "); strings.HasPrefix(typ, "Linear") {
				change(f, begin(normal(0, std)), name+".weight")
			}
		}
		return f
	}
	three := []string{"fc1 Linear 64 64", "a ReLU", "fc2 Linear 64 64", "b ReLU", "fc3 Linear 64 10"}
	normalised := []string{"fc1 Linear 64 64", "n1 LayerNorm 64", "fc2 Linear 64 64", "n2 LayerNorm 64", "fc3 Linear 64 10"}
	stands := noisy(0.02, stepAt(0, 0, math.Log(10)))
	arriving := func(std float64) *record.Facts { // std: of what the last layer gets
		f := small(0.01, "norm LayerNorm 64", "q Linear 64 64", "k Linear 64 64", "v Linear 64 64", "o Linear 64 64", "head Linear 64 10")
		last := &f.Network.Modules[len(f.Network.Modules)-1]
		last.Input = &record.TensorFacts{DType: "F32", Values: &record.ValueFacts{Std: record.Number(std)}}
		return f
	}
	cases := []struct {
		name string
		c    curve
		want string
	}{
		{"the loss stands", curve{steps: 120, loss: stands, facts: small(1e-3, three...)}, "small_weights"},
		{"deviations of 0.01 in a deep network", curve{steps: 120, loss: stands, facts: small(0.01, append(three, "c ReLU", "fc4 Linear 10 10")...)}, "small_weights"},
		{"the loss falls", curve{steps: 120, loss: noisy(0.02, falling(2.3, 0.5, 40)), facts: small(1e-3, three...)}, ""},
		{"the loss falls after a while", curve{steps: 120, loss: noisy(0.02, func(n int64) float64 { return math.Log(10) * min(1, 1.4-0.01*float64(n)) }), facts: small(1e-3, three...)}, ""},
		{"the job is short", curve{steps: 50, loss: stands, facts: small(1e-3, three...)}, ""},
		{"usual weights", curve{steps: 120, loss: stands, facts: small(0.1, three...)}, ""},
		{"normalisation brings the signal back", curve{steps: 120, loss: stands, facts: small(1e-3, normalised...)}, ""},
		{"a transformer: one normalisation for several layers", curve{steps: 120, loss: stands, facts: arriving(0.9)}, ""},
		{"a normalisation before the signal fades", curve{steps: 120, loss: stands, facts: arriving(0.001)}, "small_weights"},
		{"a rate with which nothing moves yet, as at the start of a long warm-up", curve{steps: 120, loss: stands, facts: func() *record.Facts {
			f := small(0.01, append(three, "c ReLU", "fc4 Linear 10 10")...)
			group(f, "Adam").LR = setTo(1e-7)
			return f
		}()}, ""},
		{"a usual rate", curve{steps: 120, loss: stands, facts: func() *record.Facts {
			f := small(0.01, append(three, "c ReLU", "fc4 Linear 10 10")...)
			group(f, "Adam").LR = setTo(1e-4)
			return f
		}()}, "small_weights"},
		{"one layer is small", curve{steps: 120, loss: stands, facts: func() *record.Facts {
			f := network(three...)
			change(f, begin(normal(0, 1e-4)), "fc3.weight")
			return f
		}()}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, f := range c.c.judge(t, "initial_weights") {
				got += f.Check
			}
			if got != c.want {
				t.Errorf("findings are %q, want %q", got, c.want)
			}
		})
	}
}

// A table of zeros that nobody trains, and one that hides another.
func TestTablesOfEmbeddings(t *testing.T) {
	tagger := func() *record.Facts {
		return network("tok Embedding 200 32", "pos Embedding 24 32", "fc1 Linear 32 64", "act ReLU", "fc2 Linear 64 7")
	}
	filled := func(i int, std float64, trained bool) func(*record.Facts) {
		return func(f *record.Facts) {
			p := &f.Parameters.List[i]
			v := constant(0)
			if std > 0 {
				v = normal(0, std)
			}
			v.Elements = p.First.Elements
			p.First, p.Trained, p.Changed = &v, trained, trained
		}
	}
	one := func() *record.Facts {
		return network("emb Embedding 1000 300", "fc1 Linear 300 16", "act ReLU", "fc2 Linear 16 2")
	}
	runFacts(t, "initial_weights", []factCase{
		{"zeros for vectors", one(), filled(0, 0, false), "warning frozen_zeros initialisation emb", "every token looks the same"},
		{"vectors of others", one(), filled(0, 0.4, false), "", ""},
		{"zeros beside another table", tagger(), filled(1, 0, false), "", ""},
		{"positions that hide the words", tagger(), filled(1, 50, true), "warning large_table initialisation pos", "the second has no effect"},
		{"large, and frozen", tagger(), filled(1, 50, false), "", ""},
		{"larger", tagger(), filled(1, 5, true), "", ""},
		{"tables of other widths", network("user Embedding 200 32", "age Embedding 24 4", "fc1 Linear 36 64", "act ReLU", "fc2 Linear 64 7"), filled(1, 50, true), "", ""},
	})
}

// A module that was to be loaded, and whose names are not those of the file.
func TestInitialWeightsNothingLoaded(t *testing.T) {
	load := func(change func(l *record.LoadFact)) func(f *record.Facts) {
		l := record.LoadFact{
			Module: "Encoder", Given: 6, Missing: 6, Parameters: 6,
			Unexpected: []string{"_orig_mod.0.weight", "_orig_mod.0.bias"}, Absent: []string{"0.weight", "0.bias"},
		}
		if change != nil {
			change(&l)
		}
		return func(f *record.Facts) { f.Parameters.Loads = []record.LoadFact{l} }
	}
	runFacts(t, "initial_weights", []factCase{
		{"frozen", classifier(), load(nil), "error nothing_loaded initialisation Encoder", "0 of 6 tensors were loaded into Encoder: load_state_dict(strict=False) was given names such as _orig_mod.0.weight, and Encoder has 0.weight. Its weights are those from before that call, and they are frozen."},
		{"trained", classifier(), load(func(l *record.LoadFact) { l.Trained = true }), "warning nothing_loaded initialisation Encoder", "from before that call."},
		{"some names fitted", classifier(), load(func(l *record.LoadFact) { l.Matched, l.Missing = 1, 5 }), "", ""},
		{"loaded in another way", classifier(), load(func(l *record.LoadFact) { l.Loaded = 2 }), "", ""},
		{"nothing was given", classifier(), load(func(l *record.LoadFact) { l.Given, l.Unexpected = 0, nil }), "", ""},
	})
	for _, c := range []struct{ given, has, want string }{
		{"_orig_mod.0.weight", "0.weight", `k[len("_orig_mod."):]`},
		{"0.weight", "module.0.weight", `{"module." + k: v`},
		{"optimizer", "0.weight", "strict=True"},
	} {
		f := classifier()
		load(func(l *record.LoadFact) { l.Unexpected, l.Absent = []string{c.given}, []string{c.has} })(f)
		if _, found := judged(t, "initial_weights", f); len(found) != 1 || !strings.Contains(found[0].Remedy, c.want) {
			t.Errorf("%s for %s: %+v", c.given, c.has, found)
		}
	}
}
