package rules_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// curve is a training as the rules on curves see it: a loss at every step, and
// two weights of mean magnitude size, which single updates change by a share
// of that and which get some way in 50 steps.
type curve struct {
	set    string // of rules; default by default
	ended  string // status of the run; completed by default
	steps  int64
	loss   func(n int64) float64
	size   func(n int64) float64 // nil: one
	update float64               // by single updates
	span   float64               // in 50 steps
	spans  func(n int64) float64 // the same by the step at which they end; nil: always span
	behind float64               // what b.weight moves of that in 50 steps; 0: all
	pull   float64               // gradient to weight
	eval   func(n int64) float64 // after every tenth step; nil: no evaluation
	asks   int64                 // before every so many steps the model is called without gradients; 0: never
	names  []string              // of the losses; nil: loss
	dtype  string                // of the weights
	skips  int64                 // all but one of so many updates are skipped after an overflow; 0: none is
	facts  *record.Facts
}

// forgotten falls for a hundred steps, and then lies where a guess of ten classes has it.
func forgotten(n int64) float64 {
	if n < 100 {
		return falling(2.4, 1.4, 20)(n)
	}
	return 2.31
}

// judge runs one rule of the default set over a curve; half-way its state is
// saved and the rest is judged by another engine.
func (c curve) judge(t *testing.T, name string) []record.Finding {
	t.Helper()
	set, err := rules.Set(cmp.Or(c.set, "default"), "pytorch")
	if err != nil {
		t.Fatal(err)
	}
	var configs []rules.Config
	for _, x := range set {
		if x.Rule == name {
			configs = append(configs, x)
		}
	}
	if len(configs) != 1 {
		t.Fatalf("%s is %d times in the default set", name, len(configs))
	}
	found := []record.Finding{}
	start := func() *rules.Engine {
		e, err := rules.NewEngine(rules.Options{Configs: configs, OnFinding: func(f record.Finding) { found = append(found, f) }})
		if err != nil {
			t.Fatal(err)
		}
		e.Announce("worker_0", c.infos())
		e.Facts(c.facts)
		return e
	}
	e := start()
	steps := c.completes()
	for i, s := range steps {
		if i == len(steps)/2 {
			state, err := e.Save()
			if err != nil {
				t.Fatal(err)
			}
			e = start()
			if err := e.Restore(state); err != nil {
				t.Fatal(err)
			}
		}
		e.Observe(s)
	}
	e.Finish(cmp.Or(c.ended, record.Completed))
	if s := e.Statuses()[0]; s.Status == rules.StatusError {
		t.Fatalf("status is %+v", s)
	}
	for _, f := range found {
		saysMean(t, f)
	}
	return found
}

// saysMean looks at a message with the level that the loss has come to: it is a mean,
// and the message has to say so.
func saysMean(t *testing.T, f record.Finding) {
	t.Helper()
	level, ok := f.Context["last_mean"].(float64)
	if !ok || !strings.Contains(f.Message, "loss") {
		return
	}
	for _, verb := range []string{" stands at ", " steps the loss is ", " falls no more at ", " it was ", " loss is still "} {
		_, after, found := strings.Cut(f.Message, verb)
		if found && !strings.Contains(after, "(mean of the last ") {
			t.Errorf("%s/%s gives a mean (%g) that it does not call one: %s", f.Rule, f.Check, level, f.Message)
		}
	}
}

func (c curve) infos() []record.TensorInfo {
	var out []record.TensorInfo
	for _, n := range c.lossNames() {
		out = append(out, record.TensorInfo{Name: n, Kind: record.Loss})
	}
	for i, n := range []string{"a.weight", "b.weight"} {
		out = append(out, record.TensorInfo{Name: n, Kind: record.Weight, Shape: []int64{16, 16}, Order: i, DType: c.dtype}, record.TensorInfo{Name: "gradient/" + n, Kind: record.Gradient, Shape: []int64{16, 16}, Order: i})
	}
	return out
}

func (c curve) lossNames() []string {
	if c.names == nil {
		return []string{"loss"}
	}
	return c.names
}

// completes spells the training as the agent would.
func (c curve) completes() []*record.Complete {
	var out []*record.Complete
	global, evals := int64(0), int64(0)
	add := func(s *record.Step) {
		s.Worker, s.Step, s.Time = "worker_0", global, epoch.Add(time.Duration(global)*time.Second)
		global++
		out = append(out, rules.NewComplete([]*record.Step{s}))
	}
	for n := range c.steps {
		if c.asks > 0 && n%c.asks == 0 {
			add(&record.Step{Mode: record.Eval, ModeStep: evals})
			evals++
		}
		s := &record.Step{Mode: record.Train, ModeStep: n, Skipped: c.skips > 0 && n%c.skips != 0}
		for _, name := range c.lossNames() {
			s.Scalars = append(s.Scalars, record.Scalar{Name: name, Value: c.loss(n)})
		}
		c.weights(s, n)
		add(s)
		if c.eval != nil && n%10 == 9 {
			add(&record.Step{Mode: record.Eval, ModeStep: evals, Scalars: []record.Scalar{{Name: "loss", Value: c.eval(n)}}})
			evals++
		}
	}
	return out
}

func (c curve) weights(s *record.Step, n int64) {
	size := 1.0
	if c.size != nil {
		size = c.size(n)
	}
	for _, w := range []string{"a.weight", "b.weight"} {
		if n%10 == 0 {
			for name, x := range map[string]float64{w: size, "gradient/" + w: c.pull * size} {
				st := record.TensorStats{Tensor: name}
				st.Stats.Count, st.Stats.Min, st.Stats.Max, st.Stats.L1 = 256, -x, x, 256*x
				s.Stats = append(s.Stats, st)
			}
		}
		pair := func(sch plan.Schedule, from int64, diff float64) {
			key := plan.Pair{Lag: 1}.Key(sch)
			s.Derived = append(s.Derived, record.Derived{Tensor: w, Stat: key + "." + plan.PairMeanAbsDiff, From: from, Value: diff * size},
				record.Derived{Tensor: w, Stat: key + "." + plan.PairMeanAbsFrom, From: from, Value: size})
		}
		if n > 0 && n%50 == 0 {
			span := c.span
			if c.spans != nil {
				span = c.spans(n)
			}
			if w == "b.weight" && c.behind > 0 {
				span *= c.behind
			}
			pair(plan.Every(50, record.Train, record.Global), n-50, span)
		}
		if n > 0 && n%200 == 0 {
			pair(plan.Every(200, record.Train, record.Global), n-200, 4*c.span)
		}
		for _, at := range []int64{2, 11, 31, 61, 101, 151, 201} {
			if n == at {
				pair(singleUpdates(), n-1, c.update)
			}
		}
	}
}

// singleUpdates is the schedule that the rules ask for, as the plan has it.
func singleUpdates() plan.Schedule {
	d, _ := rules.Lookup("learning_rate")
	p, _ := d.Parse(nil)
	for _, n := range d.Needs(p) {
		if len(n.Schedule[record.Train].Steps) > 0 {
			return n.Schedule
		}
	}
	return plan.Schedule{}
}

// noisy is a level with noise, a share of it.
func noisy(share float64, level func(n int64) float64) func(int64) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	return func(n int64) float64 { return level(n) * (1 + share*r.NormFloat64()) }
}

// at gives level before a step, and after it another.
func stepAt(step int64, before, after float64) func(int64) float64 {
	return func(n int64) float64 {
		if n < step {
			return before
		}
		return after
	}
}

func falling(from, to, scale float64) func(int64) float64 {
	return func(n int64) float64 { return to + (from-to)*math.Exp(-float64(n)/scale) }
}

// classes are the facts of a classification whose ten labels occur equally
// often.
func classes() *record.Facts {
	counts := map[string]int64{}
	for i := range 10 {
		counts[fmt.Sprint(i)] = 64
	}
	return &record.Facts{
		Loss:   &record.LossFacts{Function: "cross_entropy", Module: "CrossEntropyLoss", Reduction: "mean"},
		Labels: &record.LabelFacts{DType: "I64", Counts: counts, Elements: 640, Predictions: &record.TensorFacts{Shape: []int64{64, 10}}},
	}
}

// came are the facts of a classification with weights that were loaded, but for those of
// its last layer.
func came() *record.Facts {
	f := classifier()
	f.Loss, f.Labels = classes().Loss, classes().Labels
	change(f, func(p *record.ParameterFact) { p.Loaded = true }, "fc1", "fc2")
	return f
}

// adamAt are the facts of a training by Adam at a rate.
func adamAt(rate float64) *record.Facts {
	f := classifier()
	f.Loss, f.Labels = classes().Loss, classes().Labels
	group(f, "Adam").LR = setTo(rate)
	return f
}

// aliveAtFirst are the facts of a training whose first updates had gradients.
func aliveAtFirst() *record.Facts {
	f := classes()
	f.Updates = &record.UpdateFacts{Steps: 8, Norms: []record.Number{0.8, 1.1, 3}}
	return f
}

// decaying are the facts of a training with weight decay.
func decaying(decay float64) *record.Facts {
	f := classes()
	f.Optimisers = []record.OptimiserFacts{{Class: "Adam", Groups: []record.GroupFacts{{Parameters: 4, WeightDecay: setTo(decay)}}}}
	return f
}

// faint are the facts of the same whose first layer gets inputs from 0 to most.
func faint(most float64) *record.Facts {
	f := classes()
	f.Network = &record.NetworkFacts{Modules: []record.ModuleFacts{{Path: "conv1", Type: "Conv2d", Kind: record.ConvModule, Order: 1, Input: &record.TensorFacts{
		DType: "F32", Shape: []int64{64, 1, 8, 8}, Values: &record.ValueFacts{Elements: 4096, Max: record.Number(most), Mean: record.Number(most / 3), Std: record.Number(most / 3)},
	}}}}
	return f
}

// behindStill are the facts of the same with a network of which the first layers get no
// gradient, or are frozen as they began.
func behindStill(cut bool) *record.Facts {
	f := classifier()
	if cut {
		unreach(f, "fc1", "fc2")
	} else {
		change(f, begin(evenlyIn(64)), "fc1.weight", "fc2.weight", "fc3.weight")
		change(f, freeze, "fc1", "fc2")
	}
	c := classes()
	f.Loss, f.Labels = c.Loss, c.Labels
	return f
}

// drawnStill are the facts of behindStill with weights that were drawn from a normal
// distribution as wide as the usual one, and biases that are zero.
func drawnStill(bias float64) *record.Facts {
	f := behindStill(false)
	change(f, begin(normal(0, 0.072)), "fc1.weight", "fc2.weight")
	change(f, begin(constant(0)), "fc1.bias")
	if bias != 0 {
		change(f, begin(normal(0, bias)), "fc2.bias")
	} else {
		change(f, begin(constant(0)), "fc2.bias")
	}
	return f
}

// started are the facts of a training whose loss nothing is known of, and whose
// weights began as PyTorch leaves them, or with something else.
func started(with func(*record.ParameterFact)) *record.Facts {
	f := classifier()
	f.Loss = &record.LossFacts{}
	if with != nil {
		change(f, with, "")
	}
	return f
}

func functionFacts(module, function string) *record.Facts {
	f := classes()
	f.Loss.Module, f.Loss.Function = module, function
	return f
}

// strides are the facts of a classifier whose small weights are updated by Adam with
// these rates at the begin and at the end.
func strides(rate, last float64) *record.Facts {
	f := classes()
	f.Optimisers = []record.OptimiserFacts{{Class: "AdamW", LR: &rate}}
	f.Schedule = &record.ScheduleFacts{At: 1, Steps: []int64{9, 250}, Rates: []float64{rate, last}}
	f.Parameters = &record.ParameterFacts{At: 1, Updates: 9}
	for i := range 5 {
		f.Parameters.List = append(f.Parameters.List, record.ParameterFact{
			Name: fmt.Sprint("Net_", i), Shape: []int64{32, 32}, Trained: true, Held: true, Gradient: record.GradientFinite, Changed: true,
			First: &record.ValueFacts{Elements: 1024, Min: -0.07, Max: 0.06, Std: 0.02},
		})
	}
	return f
}

// grouped gives the first two weights a rate of their own.
func grouped(f *record.Facts, rate float64) *record.Facts {
	for i := range f.Parameters.List {
		f.Parameters.List[i].LR = f.Optimisers[0].LR
		if i < 2 {
			f.Parameters.List[i].LR = &rate
		}
	}
	return f
}

// divided has the loss be a sum that is divided by something.
func divided(f *record.Facts) *record.Facts {
	f.Loss.Reduction = "sum"
	f.Graph = &record.GraphFacts{At: 1, Head: []string{"div", "cross_entropy", "linear"}, Parts: 1}
	return f
}

// focal is a loss of the script's own that weighs binary cross-entropy, given labels of that range.
func focal(least, most float64) *record.Facts {
	f := functionFacts("FocalLoss", "")
	f.Graph = &record.GraphFacts{At: 1, Head: []string{"mean", "mul", "binary_cross_entropy_with_logits", "linear"}, Parts: 1}
	f.Labels = &record.LabelFacts{Loss: "FocalLoss", DType: "F32", Range: []float64{least, most}}
	f.Optimisers = []record.OptimiserFacts{{Class: "Adam"}}
	return f
}

// rises falls for a hundred steps, and then rises as fast.
func rises(n int64) float64 { return 1 + math.Abs(float64(n)-100)/200 }

// oneBatch are facts of a training that gets the same 64 samples at every step.
func oneBatch(do func(*record.InputFacts)) *record.Facts {
	f := classifier()
	f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{64, 24}}}, Steps: 8, Distinct: 1, Renewed: 7}
	if do != nil {
		do(f.Inputs)
	}
	return f
}

func TestCurves(t *testing.T) {
	ln10 := math.Log(10)
	cycle := func(n int64) float64 { return 0.2 + 1.2*float64(100-n%100)/100*math.Exp(-float64(n)/150) }
	oneSpike := func(n int64) float64 {
		if n >= 120 && n < 132 {
			return 3
		}
		return 0.5
	}
	inputs := classes()
	inputs.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Values: &record.ValueFacts{Min: -3, Max: 900}}}, Distinct: 5}
	tokens := classes()
	tokens.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "I64", Values: &record.ValueFacts{Min: 0, Max: 900}}}, Distinct: 5}
	bothSides := classes()
	bothSides.Graph = &record.GraphFacts{Head: []string{"add", "cross_entropy", "matmul"}, Parts: 1}
	values := functionFacts("MSELoss", "mse_loss")
	values.Graph = &record.GraphFacts{Head: []string{"mse_loss", "linear"}, Parts: 1}
	values.Labels = &record.LabelFacts{DType: "F32", Shape: []int64{64, 8}, Elements: 1600, Std: setTo(2), Mean: setTo(0)}
	values.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{64, 9}}}, Distinct: 5}
	returns := functionFacts("MSELoss", "mse_loss")
	returns.Graph, returns.Inputs = values.Graph, values.Inputs
	returns.Labels = &record.LabelFacts{DType: "F32", Shape: []int64{64, 1}, Elements: 1600, Std: setTo(2), Mean: setTo(0)}
	policy := &record.Facts{Loss: &record.LossFacts{}, Graph: &record.GraphFacts{Head: []string{"mean", "mul", "gather"}, Parts: 1}, Optimisers: make([]record.OptimiserFacts, 1)}
	single := &record.Facts{Loss: &record.LossFacts{}, Inputs: &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{1, 3}}}, Distinct: 9}}
	summed := classes()
	summed.Loss.Reduction = "sum"
	twoOptimisers := classes()
	twoOptimisers.Optimisers = make([]record.OptimiserFacts, 2)
	folds := func(at ...int64) *record.Facts {
		f := classes()
		for _, n := range at {
			f.Trainings = append(f.Trainings, record.TrainingFacts{At: n})
		}
		return f
	}
	step := func(n int64) float64 { return float64(1 + n/10) }
	cases := []struct {
		name string
		rule string
		c    curve
		want string // severity, check and cause class; "" for silence
	}{
		{"explodes and stays", "learning_rate", curve{steps: 60, loss: noisy(0.1, stepAt(3, 2, 500)), update: 0.5}, "error exploded learning-rate"},
		{"explodes, weights tripled", "learning_rate", curve{steps: 60, loss: stepAt(3, 2, 500), size: stepAt(5, 1, 4)}, "error exploded learning-rate"},
		{"samples one by one, the first of them lucky", "learning_rate", curve{steps: 60, loss: func(n int64) float64 {
			if n == 0 {
				return 0.008
			}
			return 0.14 * (1 + 0.7*math.Sin(float64(n)))
		}, update: 0.5, facts: single}, ""},
		{"samples one by one that explode", "learning_rate", curve{steps: 90, loss: stepAt(30, 2, 500), update: 0.5, facts: single}, "error exploded learning-rate"},
		{"explodes from far below the variance of the labels", "learning_rate", curve{steps: 60, loss: stepAt(3, 0.02, 0.5), update: 0.5, facts: values}, ""},
		{"a rate lowered to nothing with every batch", "learning_rate", curve{steps: 310, loss: noisy(0.05, falling(1.5, 1.1, 20)), span: 0.05, spans: stepAt(60, 0.05, 0), pull: 0.05}, "warning decayed_early learning-rate"},
		{"lowered to nothing when all is learnt", "learning_rate", curve{steps: 310, loss: noisy(0.05, falling(1.5, 0.05, 20)), spans: stepAt(60, 0.05, 0), pull: 0.05}, ""},
		{"lowered to nothing where gradients are none", "learning_rate", curve{steps: 310, loss: noisy(0.05, falling(1.5, 1.1, 20)), spans: stepAt(60, 0.05, 0), pull: 1e-5}, ""},
		{"lowered to nothing towards the end", "learning_rate", curve{steps: 610, loss: noisy(0.05, falling(1.5, 1.1, 20)), spans: stepAt(360, 0.05, 0), pull: 0.05}, ""},
		{"lowered, not to nothing", "learning_rate", curve{steps: 310, loss: noisy(0.05, falling(1.5, 1.1, 20)), spans: stepAt(60, 0.05, 0.005), pull: 0.05}, ""},
		{"explodes, weights still", "learning_rate", curve{steps: 60, loss: stepAt(3, 2, 500), update: 0.01}, ""},
		{"explodes and recovers", "learning_rate", curve{steps: 200, loss: func(n int64) float64 { return falling(1, 0.3, 80)(n) + 400*math.Exp(-float64(n)/8)*min(1, float64(n)) }, update: 0.5}, ""},
		{"one spike", "learning_rate", curve{steps: 200, loss: func(n int64) float64 { return stepAt(100, 2, 2)(n) + 98*map[bool]float64{true: 1}[n == 100] }, update: 0.5}, "error loss_stuck_high learning-rate"},
		{"jumps, then nothing is learnt", "learning_rate", curve{steps: 150, loss: noisy(0.02, func(n int64) float64 { return 2.3 + 900*map[bool]float64{true: 1}[n == 2] }), update: 0.6}, "error loss_stuck_high learning-rate"},
		{"stays up for a while, then nothing is learnt", "learning_rate", curve{steps: 150, loss: noisy(0.02, func(n int64) float64 { return 2.3 + 9*map[bool]float64{true: 1}[n > 0 && n < 15] }), update: 0.6}, "error loss_stuck_high learning-rate"},
		{"jumps, then learns", "learning_rate", curve{steps: 150, loss: func(n int64) float64 { return falling(2.3, 0.1, 30)(n) + 900*map[bool]float64{true: 1}[n == 2] }, update: 0.6}, ""},
		{"jumps, and comes half of the way back", "learning_rate", curve{steps: 220, loss: noisy(0.02, func(n int64) float64 { return 1.6 + 70*map[bool]float64{true: 1}[n == 2] - 0.5*min(1, float64(n)) }), update: 0.6}, "warning loss_recovered_partly learning-rate"},
		{"jumps, and goes on falling", "learning_rate", curve{steps: 220, loss: func(n int64) float64 { return falling(1.6, 0.1, 120)(n) + 70*map[bool]float64{true: 1}[n == 2] }, update: 0.6}, ""},
		{"what was learnt is lost", "learning_rate", curve{steps: 300, loss: noisy(0.1, func(n int64) float64 { return falling(1.1, 0.01, 20)(n) + 0.6*map[bool]float64{true: 1}[n > 200] }), update: 0.3}, "warning loss_rose_again learning-rate"},
		{"another fold", "learning_rate", curve{steps: 300, loss: noisy(0.1, func(n int64) float64 { return falling(1.1, 0.01, 20)(n) + 0.6*map[bool]float64{true: 1}[n > 200] }), update: 0.3, facts: folds(201)}, ""},
		{"what was learnt is lost in the second fold", "learning_rate", curve{steps: 400, loss: noisy(0.1, func(n int64) float64 { return falling(1.1, 0.01, 20)(n%100) + 0.6*map[bool]float64{true: 1}[n > 330] }), update: 0.3, facts: folds(100, 200)}, "warning loss_rose_again learning-rate"},
		{"lost in a training after one whose optimiser still lives", "learning_rate", curve{steps: 300, loss: noisy(0.1, func(n int64) float64 { return falling(1.1, 0.01, 20)(n) + 0.6*map[bool]float64{true: 1}[n > 200] }), update: 0.3, names: []string{"loss/1"}}, "warning loss_rose_again learning-rate"},
		{"folds", "loss_spike", curve{steps: 400, loss: noisy(0.05, func(n int64) float64 { return falling(4, 0.3, 20)(n % 100) }), facts: folds(100, 200, 300)}, ""},
		{"another task", "learning_rate", curve{steps: 300, loss: noisy(0.1, stepAt(200, 0.01, 1)), update: 0.01}, ""},
		{"learns, and forgets all of it", "learning_rate", curve{steps: 300, loss: noisy(0.02, forgotten), update: 0.3, facts: classes()}, "warning unlearnt learning-rate"},
		{"learns, forgets and learns again", "learning_rate", curve{steps: 300, loss: noisy(0.02, func(n int64) float64 { return forgotten(n) - 0.01*max(0, float64(n)-200) }), update: 0.3, facts: classes()}, ""},
		{"forgets by small updates", "learning_rate", curve{steps: 300, loss: noisy(0.02, forgotten), update: 0.01, facts: classes()}, ""},
		{"swings while it falls", "learning_rate", curve{steps: 200, loss: func(n int64) float64 { return (2 + float64(n%2)*3) * math.Exp(-float64(n)/60) }, update: 0.3}, ""},
		{"noise of small batches", "learning_rate", curve{steps: 300, loss: noisy(0.5, falling(2, 0.5, 80)), update: 0.01}, ""},
		{"weights of two layers thrown far, where something is learnt", "learning_rate", curve{steps: 220, loss: noisy(0.02, falling(2.4, 1.7, 20)), size: stepAt(1, 0.03, 0.3), spans: stepAt(60, 5, 0.3), update: 0.02, facts: classes()}, ""},
		{"a policy that is certain of one answer", "learning_rate", curve{steps: 220, loss: stepAt(0, 0, -1e-12), size: stepAt(1, 0.06, 1.2), spans: stepAt(60, 40, 1e-7), update: 0.6, pull: 1e-13, facts: policy}, "warning collapsed learning-rate"},
		{"a policy that has learnt", "learning_rate", curve{steps: 220, loss: stepAt(0, 0, -1e-12), size: stepAt(1, 0.03, 0.1), spans: stepAt(60, 1, 1e-7), update: 0.1, pull: 1e-13, facts: policy}, ""},
		{"thrown to where nothing is learnt", "learning_rate", curve{steps: 150, loss: noisy(0.02, stepAt(0, 0, 2.3)), size: stepAt(1, 0.1, 5), update: 0.01}, "error stuck learning-rate"},
		{"small weights thrown to where nothing is learnt", "learning_rate", curve{steps: 150, loss: noisy(0.02, stepAt(0, 0, 2.3)), size: stepAt(1, 0.02, 0.5), spans: stepAt(60, 24, 0.02), update: 0.01, facts: classes()}, "warning weights_grown learning-rate"},
		{"weights as small as a transformer's thrown to an ordinary scale", "learning_rate", curve{steps: 150, loss: noisy(0.02, stepAt(0, 0, 2.3)), size: stepAt(1, 0.02, 0.2), spans: stepAt(60, 10, 0.02), update: 0.01, facts: classes()}, "warning weights_grown learning-rate"},
		{"the same, and they are no more than three times as large", "learning_rate", curve{steps: 150, loss: noisy(0.02, stepAt(0, 0, 2.3)), size: stepAt(1, 0.06, 0.2), spans: stepAt(60, 2.3, 0.02), update: 0.01, facts: classes()}, ""},
		{"small weights thrown, and something is learnt", "learning_rate", curve{steps: 150, loss: noisy(0.02, falling(2.3, 1.5, 20)), size: stepAt(1, 0.02, 0.5), spans: stepAt(60, 24, 0.02), update: 0.01, facts: classes()}, ""},
		{"small weights that come to their usual size", "learning_rate", curve{steps: 150, loss: noisy(0.02, stepAt(0, 0, 2.3)), size: stepAt(1, 0.02, 0.06), spans: stepAt(60, 2, 0.5), update: 0.01, facts: classes()}, ""},
		{"a rate larger than the weights", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 1.5, 20)), update: 0.01, facts: strides(0.06, 0.06)}, "warning large_updates learning-rate"},
		{"the same, of a sum that is divided by the labels", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 1.5, 20)), update: 0.01, facts: divided(strides(0.06, 0.06))}, "warning large_updates learning-rate"},
		{"a rate larger than the weights, and much is learnt", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 0.9, 20)), update: 0.01, facts: strides(0.06, 0.06)}, ""},
		{"a rate larger than the weights, and the loss falls", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 1.2, 120)), update: 0.01, facts: strides(0.06, 0.06)}, ""},
		{"a rate that is highest at first, where the loss stands", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 2, 20)), update: 0.01, facts: strides(0.2, 0.01)}, "warning large_updates learning-rate"},
		{"the same, and half of it is learnt at the end", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 0.8, 120)), update: 0.01, facts: strides(0.2, 0.01)}, ""},
		{"the same, and the loss falls while it is high", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 1.3, 60)), update: 0.01, facts: strides(0.2, 0.01)}, ""},
		{"a rate of one group that is larger than its weights", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 2.2, 20)), update: 0.01, facts: grouped(strides(0.001, 0.001), 0.5)}, "warning large_updates learning-rate"},
		{"the same, and something is learnt", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 1.7, 20)), update: 0.01, facts: grouped(strides(0.001, 0.001), 0.5)}, ""},
		{"a group of a fitting rate", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 2.2, 20)), update: 0.01, facts: grouped(strides(0.001, 0.001), 0.01)}, ""},
		{"a rate that is lowered", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 1.5, 20)), update: 0.01, facts: strides(0.06, 0.02)}, ""},
		{"a rate of the size of the weights", "learning_rate", curve{steps: 250, loss: noisy(0.02, falling(2.4, 1.5, 20)), update: 0.01, facts: strides(0.02, 0.02)}, ""},
		{"small initial weights", "learning_rate", curve{steps: 150, loss: noisy(0.02, stepAt(90, 2.3, 1.5)), size: stepAt(20, 1e-3, 0.1), update: 0.8}, ""},
		{"negative losses", "learning_rate", curve{steps: 100, loss: stepAt(5, -1, 900), update: 0.5}, ""},
		{"two optimisers", "learning_rate", curve{steps: 100, loss: stepAt(5, 1, 900), update: 0.5, names: []string{"loss", "loss/1"}}, ""},
		{"two optimisers by the facts", "learning_rate", curve{steps: 100, loss: stepAt(5, 1, 900), update: 0.5, facts: twoOptimisers}, ""},

		{"crawls", "learning_rate", curve{steps: 300, loss: noisy(0.01, func(n int64) float64 { return 2.35 - 1e-5*float64(n) }), update: 1e-5, span: 4.5e-4, pull: 0.1, facts: classes()}, "warning too_low learning-rate"},
		{"crawls, in 16 bits, whose rounding takes updates away", "learning_rate", curve{steps: 300, dtype: "BF16", loss: noisy(0.01, func(n int64) float64 { return 2.35 - 1e-5*float64(n) }), update: 1e-5, span: 4.5e-4, pull: 0.1, facts: classes()}, ""},
		{"crawls, a short job", "learning_rate", curve{steps: 130, loss: noisy(0.01, stepAt(0, 0, 2.35)), update: 1e-5, span: 4.5e-4, pull: 0.1, facts: classes()}, "warning too_low learning-rate"},
		{"crawls where it was initialised, whatever the loss", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 1.2)), update: 1e-6, span: 1e-5, pull: 0.1, facts: started(nil)}, "warning too_low learning-rate"},
		{"crawls where it was initialised, under a loss below zero", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, -0.4)), update: 1e-6, span: 1e-5, pull: 0.1, facts: started(nil)}, "warning too_low learning-rate"},
		{"crawls where it was initialised, under a noisy loss", "learning_rate", curve{steps: 300, loss: noisy(0.3, stepAt(0, 0, 0.5)), update: 1e-6, span: 1e-5, pull: 0.1, facts: started(nil)}, "warning too_low learning-rate"},
		{"crawls, and rounding keeps some where they are", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 1.2)), update: 1e-6, span: 1e-5, behind: 1e-5, pull: 0.1, facts: started(nil)}, "warning too_low learning-rate"},
		{"some do not move at all", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 2.35)), update: 1e-5, span: 4.5e-4, behind: 1e-5, pull: 0.1, facts: classes()}, ""},
		{"crawls from what was trained before", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 1.2)), update: 1e-6, span: 1e-5, pull: 0.1, facts: started(pretrained)}, ""},
		{"gets away from where it was initialised", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 1.2)), update: 9e-5, span: 3e-3, pull: 0.1, facts: started(nil)}, ""},
		{"crawls, and the loss falls all the same", "learning_rate", curve{steps: 300, loss: noisy(0.01, falling(1.2, 0.9, 100)), update: 1e-6, span: 1e-5, pull: 0.1, facts: started(nil)}, ""},
		{"crawls where it was initialised, without gradients", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 1.2)), update: 1e-6, span: 1e-5, facts: started(nil)}, ""},
		{"crawls, without facts", "learning_rate", curve{steps: 450, loss: noisy(0.01, stepAt(0, 0, 2.35)), update: 1e-5, span: 4.5e-4, pull: 0.1}, "warning too_low learning-rate"},
		{"fine-tuning", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 0.35)), update: 1e-5, span: 4.5e-4, pull: 0.1, facts: classes()}, ""},
		{"trembles at the floor", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 2.35)), update: 1e-5, span: 7e-5, pull: 0.1, facts: classes()}, ""},
		{"no gradient", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 2.35)), update: 1e-5, span: 4.5e-4, pull: 1e-5, facts: classes()}, ""},
		{"slow, but falls", "learning_rate", curve{steps: 300, loss: noisy(0.01, func(n int64) float64 { return 2.35 - 1e-3*float64(n) }), update: 1e-5, span: 4.5e-4, pull: 0.1, facts: classes()}, ""},
		{"moves as usual", "learning_rate", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 2.35)), update: 1e-3, span: 4.5e-2, pull: 0.1, facts: classes()}, ""},

		{"leaps and stays, weights grow", "loss_spike", curve{steps: 300, loss: noisy(0.05, stepAt(150, 0.5, 4)), size: stepAt(150, 1, 3)}, "warning spike learning-rate"},
		{"leaps and stays, weights do not", "loss_spike", curve{steps: 300, loss: noisy(0.05, stepAt(150, 0.5, 4))}, "info spike unknown"},
		{"leaps and recovers", "loss_spike", curve{steps: 300, loss: noisy(0.05, oneSpike)}, "info spike unknown"},
		{"one odd batch", "loss_spike", curve{steps: 300, loss: noisy(0.05, func(n int64) float64 { return 0.5 + 9*map[bool]float64{true: 1}[n%40 == 39] })}, ""},
		{"warm restarts", "loss_spike", curve{steps: 400, loss: noisy(0.05, cycle)}, ""},
		{"tiny losses leap", "loss_spike", curve{steps: 300, loss: func(n int64) float64 {
			return 1e-4 + 2*math.Exp(-float64(n)/4) + 0.05*map[bool]float64{true: 1}[n > 200 && n < 220]
		}}, ""},
		{"zero", "loss_spike", curve{steps: 200, loss: stepAt(0, 0, 0)}, ""},

		{"labels shuffled", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: classes()}, "warning chance_level labels"},
		{"a guess, and no gradient is left", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, facts: classes()}, "warning chance_level activation"},
		{"a guess after weights were thrown, and no gradient is left", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, size: stepAt(1, 1, 4), facts: classes()}, "warning chance_level learning-rate"},
		{"a guess, and gradients that came at first are gone", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, facts: aliveAtFirst()}, "warning chance_level learning-rate"},
		{"a guess while weights of 16 bits creep one way", "loss_flat", curve{steps: 300, dtype: "BF16", loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.02, update: 4e-4, pull: 0.1, facts: classes()}, "warning chance_level not-updated"},
		{"a guess while weights creep one way", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.02, update: 4e-4, pull: 0.1, facts: classes()}, "warning chance_level learning-rate"},
		{"weights that a decay draws to nothing", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 1.3)), size: falling(1, 0.001, 40), span: 0.5, pull: 0.1, facts: decaying(1e-2)}, "warning shrunk regularisation"},
		{"weights that become smaller under a decay", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 1.3)), size: falling(1, 0.2, 40), span: 0.5, pull: 0.1, facts: decaying(1e-2)}, ""},
		{"weights that a strong decay holds down while most errors are left", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 1.4)), size: falling(1, 0.2, 40), span: 0.5, pull: 0.1, facts: decaying(5e-2)}, "warning held_by_weight_decay regularisation"},
		{"the same, and the loss comes down", "loss_flat", curve{steps: 300, loss: noisy(0.02, falling(2.3, 0.9, 40)), size: falling(1, 0.2, 40), span: 0.5, pull: 0.1, facts: decaying(5e-2)}, ""},
		{"the same, and the weights grow", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 1.4)), size: falling(1, 1.2, 40), span: 0.5, pull: 0.1, facts: decaying(5e-2)}, ""},
		{"weights that become nothing, and no decay", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 1.3)), size: falling(1, 0.001, 40), span: 0.5, pull: 0.1, facts: decaying(0)}, ""},
		{"a guess behind layers that no gradient reaches", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: behindStill(true)}, "warning chance_level not-updated"},
		{"a guess behind layers that are frozen at random", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: behindStill(false)}, "warning chance_level not-updated"},
		{"a guess behind layers that were drawn from a normal distribution and frozen", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: drawnStill(0)}, "warning chance_level not-updated"},
		{"a guess behind layers that were trained before", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: drawnStill(0.1)}, "warning chance_level labels"},
		{"a guess from inputs that are far too small", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: faint(0.0039)}, "warning chance_level data-scaling"},
		{"a guess from inputs that are as usual", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: faint(1)}, "warning chance_level labels"},
		{"learns from inputs that are far too small", "loss_flat", curve{steps: 300, loss: noisy(0.05, falling(ln10, 0.3, 40)), span: 0.05, pull: 0.1, facts: faint(0.0039)}, ""},
		{"learns behind layers that are frozen at random", "loss_flat", curve{steps: 300, loss: noisy(0.05, falling(ln10, 0.3, 40)), span: 0.05, pull: 0.1, facts: behindStill(false)}, ""},
		{"pairs shuffled apart, seen from both sides", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 2*ln10)), span: 0.05, pull: 0.1, facts: bothSides}, "warning chance_level labels"},
		{"twice the guess of one loss", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 2*ln10)), span: 0.05, facts: classes()}, ""},
		{"noise that is not the one that was added", "loss_flat", curve{steps: 400, loss: noisy(0.1, stepAt(0, 0, 4)), span: 0.05, pull: 0.1, facts: values}, "warning chance_level labels"},
		{"returns that can hardly be foretold", "loss_flat", curve{steps: 400, loss: noisy(0.1, stepAt(0, 0, 4)), span: 0.05, facts: returns}, ""},
		{"values, a short job", "loss_flat", curve{steps: 150, loss: noisy(0.1, stepAt(0, 0, 4)), span: 0.05, facts: values}, ""},
		{"values that are learnt a little", "loss_flat", curve{steps: 400, loss: noisy(0.1, falling(4, 3.7, 60)), span: 0.05, facts: values}, ""},
		{"values learnt, and lost again", "loss_flat", curve{steps: 400, loss: noisy(0.02, func(n int64) float64 { return 4 - 3*map[bool]float64{true: 1}[n > 40 && n < 90] }), span: 0.05, facts: values}, ""},
		{"labels shuffled, and the job is stopped", "loss_flat", curve{steps: 300, ended: record.Stopped, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, facts: classes()}, ""},
		{"labels shuffled, and the job fails", "loss_flat", curve{steps: 300, ended: record.Failed, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, facts: classes()}, ""},
		{"labels shuffled, a long job", "loss_flat", curve{steps: 1500, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, pull: 0.1, facts: classes()}, "warning chance_level labels"},
		{"a plateau, then progress", "loss_flat", curve{steps: 400, loss: noisy(0.02, func(n int64) float64 { return ln10 / (1 + math.Exp(float64(n-300)/20)) }), span: 0.05, facts: classes()}, ""},
		{"a plateau that begins to give way", "loss_flat", curve{steps: 400, loss: noisy(0.005, func(n int64) float64 { return ln10 * (1 - 0.02*max(0, float64(n-320)/80)) }), span: 0.05, facts: classes()}, ""},
		{"learns", "loss_flat", curve{steps: 300, loss: noisy(0.05, falling(ln10, 0.3, 40)), span: 0.05, facts: classes()}, ""},
		{"weights stand still", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 1e-4, facts: classes()}, ""},
		{"no labels seen", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05}, ""},
		{"too short", "loss_flat", curve{steps: 80, loss: noisy(0.02, stepAt(0, 0, ln10)), span: 0.05, facts: classes()}, ""},
		{"tags shuffled, each with its frequency", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.42)), span: 0.05, pull: 0.1, facts: places([]int64{64, 8}, 0.42)}, "warning chance_level labels"},
		{"tags, whose frequencies alone are told", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.42)), span: 0.05, facts: places([]int64{64, 8}, 0.5)}, ""},
		{"masks shuffled", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.56)), span: 0.05, pull: 0.1, facts: places([]int64{64, 1, 8, 8}, 0.45)}, "warning chance_level labels"},
		{"masks of three classes shuffled", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.473)), span: 0.05, pull: 0.1, facts: masks(0.44)}, "warning chance_level labels"},
		{"masks of three classes, of which nobody knows the places", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.473)), span: 0.05, pull: 0.1, facts: masks(0.49)}, ""},
		{"masks that are learnt, with a Dice loss added", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.56)), span: 0.05, pull: 0.1, facts: withDice(places([]int64{64, 1, 8, 8}, 0.45))}, ""},
		{"masks that are hard to tell", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.48)), span: 0.05, facts: places([]int64{64, 1, 8, 8}, 0.45)}, ""},
		{"a divergence that outweighs", "loss_flat", curve{steps: 300, loss: noisy(0.02, falling(1.5, 0.99, 20)), span: 0.05, facts: code("divergence", 1)}, "warning reconstruction_outweighed loss"},
		{"the same, with weights of 16 bits", "loss_flat", curve{steps: 300, dtype: "BF16", loss: noisy(0.02, falling(1.5, 0.99, 20)), span: 0.05, facts: code("divergence", 1)}, ""},
		{"the same, summed over places", "loss_flat", curve{steps: 300, loss: noisy(0.02, falling(90, 63.9, 20)), span: 0.05, facts: code("divergence", 64)}, "warning reconstruction_outweighed loss"},
		{"a penalty that outweighs", "loss_flat", curve{steps: 300, loss: noisy(0.02, falling(1.5, 0.99, 20)), span: 0.05, facts: code("magnitudes", 1)}, "warning reconstruction_outweighed loss"},
		{"a code that holds something", "loss_flat", curve{steps: 300, loss: noisy(0.02, falling(1.5, 0.9, 20)), span: 0.05, facts: code("divergence", 1)}, ""},
		{"a code that begins to hold something", "loss_flat", curve{steps: 300, loss: noisy(0.005, func(n int64) float64 { return 1.2 - 0.0007*float64(n) }), span: 0.05, facts: code("divergence", 1)}, ""},
		{"something else is added", "loss_flat", curve{steps: 300, loss: noisy(0.02, falling(1.5, 0.99, 20)), span: 0.05, facts: code("other", 1)}, ""},
		{"zero, as all gradients are", "loss_flat", curve{steps: 150, loss: stepAt(0, 0, 0), span: 0.01}, "error zero_gradients not-updated"},
		{"the same over one batch, as all gradients are", "loss_flat", curve{steps: 150, loss: stepAt(0, 0, 1.25), pull: 0.1}, "error constant_gradients not-updated"},
		{"zero for a while", "loss_flat", curve{steps: 150, loss: stepAt(120, 0, 1), span: 0.01}, ""},
		{"zero, and gradients come", "loss_flat", curve{steps: 150, loss: stepAt(0, 0, 0), size: falling(1, 0.5, 50), pull: 0.1}, ""},
		{"zero in a trial", "loss_flat", curve{steps: 40, loss: stepAt(0, 0, 0)}, ""},
		{"the same to the last bit", "loss_flat", curve{steps: 150, loss: stepAt(0, 0, 1.25), pull: 0.1, facts: inputs}, "warning constant structure"},
		{"the same to the last bit, and no gradient", "loss_flat", curve{steps: 150, loss: stepAt(0, 0, 1.25), facts: inputs}, "error zero_gradients not-updated"},
		{"floor of a fine-tuning", "loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, 0.8)), span: 0.05, facts: classes()}, ""},

		{"probabilities for logarithms", "impossible_loss", curve{steps: 40, loss: noisy(0.05, stepAt(0, 0, -0.3)), facts: functionFacts("NLLLoss", "nll_loss")}, "error negative output-activation"},
		{"labels beyond one", "impossible_loss", curve{steps: 40, loss: noisy(0.05, stepAt(0, 0, -30)), facts: functionFacts("BCEWithLogitsLoss", "binary_cross_entropy_with_logits")}, "error negative labels"},
		{"a loss of one's own, made of one for yes and no, with labels 1 and 2", "impossible_loss", curve{steps: 40, loss: noisy(0.05, stepAt(20, 0.3, -3)), facts: focal(1, 2)}, "error negative labels"},
		{"the same with labels 0 and 1", "impossible_loss", curve{steps: 40, loss: noisy(0.05, stepAt(20, 0.3, -3)), facts: focal(0, 1)}, ""},
		{"the same with labels 1 and 2 that it converts", "impossible_loss", curve{steps: 40, loss: noisy(0.05, stepAt(20, 0.5, 0.3)), facts: focal(1, 2)}, ""},
		{"another loss later", "impossible_loss", curve{steps: 200, loss: stepAt(120, 1, -2), facts: classes()}, ""},
		{"a loss by hand", "impossible_loss", curve{steps: 40, loss: stepAt(0, 0, -0.3), facts: functionFacts("", "cross_entropy")}, ""},
		{"a divergence", "impossible_loss", curve{steps: 40, loss: stepAt(0, 0, -0.3), facts: functionFacts("KLDivLoss", "kl_div")}, ""},
		{"rounding", "impossible_loss", curve{steps: 40, loss: stepAt(5, 1, -1e-8), facts: classes()}, ""},
		{"certain of wrong answers", "impossible_loss", curve{steps: 40, loss: falling(300, 2, 10), facts: classes()}, "warning start initialisation"},
		{"certain of wrong answers, with weights that were loaded", "impossible_loss", curve{steps: 40, loss: falling(300, 2, 10), facts: came()}, "warning start data-scaling"},
		{"input not scaled", "impossible_loss", curve{steps: 40, loss: falling(300, 2, 10), facts: inputs}, "warning start data-scaling"},
		{"numbers of tokens are no scale", "impossible_loss", curve{steps: 40, loss: falling(300, 2, 10), facts: tokens}, "warning start initialisation"},
		{"a sum over the batch", "impossible_loss", curve{steps: 40, loss: falling(300, 2, 10), facts: summed}, ""},

		{"does not move", "loss_not_decreasing", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 2.3)), pull: 0.1, facts: classes()}, "error no_updates learning-rate"},
		{"does not move, in 16 bits", "loss_not_decreasing", curve{set: "default,experimental", steps: 300, dtype: "BF16", loss: noisy(0.01, stepAt(0, 0, 2.3)), pull: 0.1, facts: classes()}, "error rounded_away not-updated"},
		{"hardly moves", "loss_not_decreasing", curve{steps: 300, loss: noisy(0.01, stepAt(0, 0, 2.3)), span: 1e-5, pull: 0.1, facts: classes()}, "error plateau learning-rate"},
		{"hardly moves, in 16 bits", "loss_not_decreasing", curve{set: "default,experimental", steps: 300, dtype: "BF16", loss: noisy(0.01, stepAt(0, 0, 2.3)), span: 1e-5, pull: 0.1, facts: classes()}, "error rounded_away not-updated"},
		{"hardly moves, in 16 bits, at a rate that would move 32", "loss_not_decreasing", curve{set: "default,experimental", steps: 300, dtype: "F16", loss: noisy(0.01, stepAt(0, 0, 2.3)), span: 1e-5, pull: 0.1, facts: adamAt(1e-5)}, "error rounded_away not-updated"},
		{"hardly moves, in 16 bits, at a rate that would not move 32 either", "loss_not_decreasing", curve{steps: 300, dtype: "F16", loss: noisy(0.01, stepAt(0, 0, 2.3)), span: 1e-5, pull: 0.1, facts: adamAt(1e-8)}, "error plateau learning-rate"},
		{"hardly moves, as most updates are skipped", "loss_not_decreasing", curve{steps: 300, skips: 10, loss: noisy(0.01, stepAt(0, 0, 2.3)), span: 1e-5, pull: 0.1, facts: classes()}, ""},
		{"crawls, as most updates are skipped", "learning_rate", curve{steps: 300, skips: 10, loss: noisy(0.01, func(n int64) float64 { return 2.35 - 1e-5*float64(n) }), update: 1e-5, span: 4.5e-4, pull: 0.1, facts: classes()}, ""},

		{"hardly begun", "too_few_updates", curve{steps: 40, loss: noisy(0.002, func(n int64) float64 { return 2.35 - 0.008*float64(n) }), facts: classes()}, "warning still_falling epochs"},
		{"still on its way", "too_few_updates", curve{steps: 200, loss: noisy(0.01, func(n int64) float64 { return 2.35 - 0.008*float64(n) }), facts: classes()}, "info still_falling epochs"},
		{"settled", "too_few_updates", curve{steps: 200, loss: noisy(0.02, falling(2.3, 0.3, 30)), facts: classes()}, ""},
		{"a trial", "too_few_updates", curve{steps: 12, loss: func(n int64) float64 { return 2.3 - 0.01*float64(n) }, facts: classes()}, ""},

		{"validation rises", "overfit", curve{steps: 300, loss: falling(2, 0.01, 60), eval: rises}, "warning validation_rises overfit"},
		{"learnt by heart, most of it before the first evaluation", "overfit", curve{steps: 300, loss: falling(40, 0.01, 8), eval: rises}, "warning memorised overfit"},
		{"learnt by heart", "overfit", curve{steps: 300, loss: falling(2, 0.01, 40), eval: noisy(0.005, falling(2, 1.5, 30))}, "warning memorised overfit"},
		{"nothing holds for other data", "overfit", curve{steps: 300, loss: falling(2.35, 1.6, 100), eval: noisy(0.005, falling(2.35, 2.5, 80)), facts: classes()}, "warning never_better labels"},
		{"validation that means something else", "overfit", curve{steps: 60, loss: falling(2.2, 0.1, 10), eval: noisy(0.002, stepAt(0, 0, 2.9)), facts: classes()}, "warning worse_than_constant labels"},
		{"the same, and little is learnt of the training data", "overfit", curve{steps: 60, loss: falling(2.2, 2.1, 10), eval: noisy(0.002, stepAt(0, 0, 3.2)), facts: classes()}, ""},
		{"validation that was better once", "overfit", curve{steps: 60, loss: falling(2.2, 0.1, 10), eval: stepAt(12, 2.2, 2.9), facts: classes()}, ""},
		{"a sum where training has a mean", "overfit", curve{steps: 60, loss: falling(2.2, 0.1, 10), eval: stepAt(0, 0, 180), facts: classes()}, ""},
		{"something does", "overfit", curve{steps: 300, loss: falling(2.35, 1.6, 100), eval: noisy(0.005, falling(2.35, 2.2, 80)), facts: classes()}, ""},
		{"hardly anything is learnt of the training data either", "overfit", curve{steps: 300, loss: falling(2.35, 2.25, 100), eval: noisy(0.005, falling(2.35, 2.4, 80)), facts: classes()}, ""},
		{"the two are not far apart", "overfit", curve{steps: 300, loss: falling(2.35, 2.17, 100), eval: noisy(0.001, falling(2.35, 2.31, 80)), facts: classes()}, ""},
		{"stopped before the end", "overfit", curve{steps: 300, loss: falling(2.35, 1.6, 100), eval: noisy(0.005, falling(2.35, 2.5, 80)), facts: classes(), ended: record.Stopped}, ""},
		{"an evaluation that begins far above", "overfit", curve{steps: 300, loss: falling(2.35, 1.6, 100), eval: noisy(0.005, falling(4, 3.9, 80)), facts: classes()}, "warning worse_than_constant labels"},
		{"validation rises, and was never better than a constant prediction", "overfit", curve{steps: 300, loss: falling(2.35, 0.01, 60), eval: func(n int64) float64 { return rises(n) + 2.1 }, facts: classes()}, "warning worse_than_constant labels"},
		{"learnt by heart, and never better than a constant prediction", "overfit", curve{steps: 300, loss: falling(3.2, 0.01, 40), eval: noisy(0.005, falling(3.2, 2.5, 30)), facts: classes()}, ""},
		{"validation rises, and was better than a constant prediction", "overfit", curve{steps: 300, loss: falling(2, 0.01, 60), eval: rises, facts: classes()}, "warning validation_rises overfit"},
		{"one batch, made anew at every step", "overfit", curve{steps: 300, loss: falling(2, 0.01, 60), eval: rises, facts: oneBatch(nil)}, "warning validation_rises data-loading"},
		{"all data are given each time", "overfit", curve{steps: 300, loss: falling(2, 0.01, 60), eval: rises, facts: oneBatch(func(in *record.InputFacts) { in.Renewed = 0 })}, "warning validation_rises overfit"},
		{"noisy validation", "overfit", curve{steps: 400, loss: falling(2, 0.3, 60), eval: noisy(0.2, falling(2, 0.5, 60))}, ""},
		{"both fall", "overfit", curve{steps: 300, loss: falling(2, 0.01, 60), eval: falling(2, 0.1, 60)}, ""},
		{"both rise", "overfit", curve{steps: 300, loss: step, eval: step}, ""},
		{"rises a little", "overfit", curve{steps: 300, loss: falling(2, 0.2, 60), eval: func(n int64) float64 { return 1 + math.Abs(float64(n)-100)/2000 }}, ""},
		{"another scale", "overfit", curve{steps: 300, loss: falling(2, 0.01, 60), eval: func(n int64) float64 { return 100 + math.Abs(float64(n)-100) }}, ""},
	}
	for _, c := range cases {
		t.Run(c.rule+"/"+strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			got := ""
			found := c.c.judge(t, c.rule)
			if len(found) > 0 {
				f := found[0]
				got = fmt.Sprintf("%s %s %s", f.Severity, f.Check, f.CauseClass)
				t.Logf("%d findings, at %d: %s", len(found), f.Step, f.Message)
			}
			if got != c.want {
				t.Errorf("finding is %q, want %q", got, c.want)
			}
		})
	}
}

// What XGBoost was given and does not use is reported; a number of rounds where the loss on the data held out
// still falls at the end.
func TestUnusedBoostingParameters(t *testing.T) {
	fall := func(n int64) float64 { return 0.69 - 0.004*float64(n) }
	for _, c := range []struct {
		name   string
		rounds int64
		unused map[string]string
		valid  func(int64) float64
		want   string
	}{
		{"the number of rounds", 10, map[string]string{"n_estimators": "600"}, fall, "warning rounds_unused: Trained for 10 rounds instead of 600: n_estimators is not a parameter of xgboost.train, which ignores it; num_boost_round is meant (10 by default). The loss valid-rmse was still falling: 0.654 in the last round."},
		{"that and a misspelt name", 10, map[string]string{"max_dept": "3", "n_estimators": "600"}, fall, "warning rounds_unused"},
		{"a number of rounds that were trained", 100, map[string]string{"n_estimators": "100"}, fall, "info still_falling"},
		{"a misspelt name", 100, map[string]string{"max_dept": "3"}, fall, "info parameters_unused: XGBoost does not use max_dept, so it has no effect."},
		{"what says how much is printed", 100, map[string]string{"silent": "1"}, fall, "info still_falling"},
		{"a loss on the data held out that has settled", 100, map[string]string{"n_estimators": "600", "max_dept": "3"}, falling(0.69, 0.5, 5), "info parameters_unused: XGBoost does not use max_dept, so it has no effect."},
		{"the same, while that of the training falls", 100, map[string]string{"n_estimators": "600"}, func(n int64) float64 { return 0.5 + 0.001*float64(n) }, ""},
		{"early stopping", 100, map[string]string{"early_stopping_rounds": "40"}, falling(0.69, 0.5, 5), "warning stopping_unused: Early stopping does not work: early_stopping_rounds is not a parameter of the booster, so XGBoost ignored it and the training went on for 100 rounds. Give it to xgboost.train."},
		{"nothing", 10, nil, fall, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, config("TooFewUpdates"))
			j.engine.Facts(&record.Facts{Boosting: &record.BoostingFacts{
				Unused: c.unused, Judged: record.BoostingData{Name: "valid"},
				Data: []record.BoostingData{{Name: "train", Training: true}, {Name: "valid"}},
			}})
			for n := range c.rounds {
				j.feed(input{step: n, scalars: map[string]float64{"train-rmse": 0.69 - 0.004*float64(n), "valid-rmse": c.valid(n)}})
			}
			j.engine.Finish(record.Completed)
			got := ""
			for _, f := range j.found {
				got += fmt.Sprintf("%s %s: %s", f.Severity, f.Check, f.Message)
			}
			if got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want)) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// A message gives each number under the name of the series that it is of. Where
// early stopping watches the training data, what overfits says so.
func TestMessagesNameTheirSeries(t *testing.T) {
	boosting := func(watched *record.BoostingData) *record.Facts {
		return &record.Facts{Boosting: &record.BoostingFacts{EarlyStopping: watched}}
	}
	for _, c := range []struct {
		name    string
		facts   *record.Facts
		watches string
	}{
		{"no early stopping", boosting(nil), ""},
		{"it watches the validation data", boosting(&record.BoostingData{Name: "valid"}), ""},
		{"it is among the parameters of the booster", &record.Facts{Boosting: &record.BoostingFacts{Unused: map[string]string{"early_stopping_rounds": "10"}}}, "Early stopping did not work: early_stopping_rounds is not a parameter of the booster, so it was ignored."},
		{"it watches the training data", boosting(&record.BoostingData{Name: "train", Training: true}), "Early stopping monitors train, which is the training data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, config("Overfit", "tensor_regex", "rmse", "rise", "0.2", "patience", "3", "every", "1"))
			j.engine.Facts(c.facts)
			train, valid := falling(2, 0.01, 5), falling(2, 1.5, 2)
			for n := range int64(40) {
				j.feed(input{step: n, scalars: map[string]float64{"train-rmse": train(n), "valid-rmse": valid(n)}})
			}
			if len(j.found) != 1 {
				t.Fatalf("found %+v", j.found)
			}
			f := j.found[0]
			for _, want := range []string{
				fmt.Sprintf("(loss train-rmse %.3g)", train(f.Step)), fmt.Sprintf("the validation loss valid-rmse is %.3g and", valid(f.Step)),
				fmt.Sprintf("Values are those of step %d.", f.Step), c.watches,
			} {
				if !strings.Contains(f.Message, want) {
					t.Errorf("%q is not in: %s", want, f.Message)
				}
			}
			if watches := strings.Contains(f.Message, "Early stopping") && strings.Contains(f.Cause, "early stopping") && strings.Contains(f.Remedy, "in evals"); watches != (c.watches != "") {
				t.Errorf("cause %q, remedy %q: %s", f.Cause, f.Remedy, f.Message)
			}
		})
	}
}

// A loss in a message is one value, with its step, or a mean that is called one,
// with the steps that it was taken over.
func TestMessagesSayWhatALossIs(t *testing.T) {
	spike := func(n int64) float64 { return 2.3 + 900*map[bool]float64{true: 1}[n == 2] }
	for _, c := range []struct {
		rule string
		c    curve
		want string
	}{
		{"learning_rate", curve{steps: 60, loss: stepAt(3, 2, 500), update: 0.5}, "the loss exploded from 2 at step 0 to 500 (median of the last 20 steps)"},
		{"learning_rate", curve{steps: 150, loss: spike, update: 0.6}, "at step 2 the loss jumped to 902 from 2.3 at step 0 and is stuck at 2.3 (median of the last 50 steps)"},
		{"learning_rate", curve{steps: 150, loss: stepAt(0, 0, 2.3), size: stepAt(1, 0.1, 5), update: 0.01}, "and the loss, now 2.3 (median of the last 50 steps), is no lower than at the start: 2.3 at step 0"},
		{"loss_flat", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, math.Log(10))), span: 0.05, facts: classes()}, "after 300 steps the loss is 2.31 (mean of the last "},
		{"impossible_loss", curve{steps: 40, loss: falling(300, 2, 10), facts: classes()}, "(mean of the first 3 steps), but uniform guessing"},
		{"too_few_updates", curve{steps: 200, loss: func(n int64) float64 { return 2.35 - 0.008*float64(n) }, facts: classes()}, "still falling: it was 0.854 (mean of the last 25 steps)."},
		{"overfit", curve{steps: 300, loss: falling(2, 0.01, 60), eval: rises}, " Values are means: of the pass (1 step) and of the training before it (10 steps)."},
	} {
		t.Run(c.rule, func(t *testing.T) {
			found := c.c.judge(t, c.rule)
			if len(found) == 0 || !strings.Contains(found[0].Message, c.want) {
				t.Errorf("%q is not in %+v", c.want, found)
			}
		})
	}
}

// Weights of a network that begins far better than a constant prediction were loaded,
// and are not judged as initial ones.
func TestLoadedWeights(t *testing.T) {
	for _, c := range []struct {
		name  string
		first float64
		want  int
	}{
		{"loaded", 0.05, 0},
		{"drawn too large", 9, 1},
		{"no better than a constant prediction", 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := classes()
			f.Parameters = classifier().Parameters
			f.Parameters.At = 9
			change(f, begin(normal(0, 5)), "fc1.weight", "fc2.weight", "fc3.weight")
			found := curve{steps: 60, loss: stepAt(0, 0, c.first), facts: f}.judge(t, "initial_weights")
			if len(found) != c.want {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// What is said of a loss that still falls is what was seen of it, and no forecast.
func TestStillFallingMessage(t *testing.T) {
	c := curve{steps: 200, loss: func(n int64) float64 { return 2.35 - 0.008*float64(n) }, facts: classes()}
	found := c.judge(t, "too_few_updates")
	if len(found) != 1 || !strings.HasSuffix(found[0].Message, "while the loss was still falling: it was 0.854 (mean of the last 25 steps).") {
		t.Errorf("found %+v", found)
	}
}

// What is advised for a loss that still falls when the job ends: what 16 bits, or a loss
// scaler, explain is not blamed on the rate.
func TestStillFallingAdvice(t *testing.T) {
	in := func(dtype string) *record.Facts {
		f := classes()
		f.Parameters = classifier().Parameters
		change(f, typed(dtype), "")
		return f
	}
	for _, c := range []struct {
		name   string
		facts  *record.Facts
		skips  int64
		cause  string
		remedy string
		raise  bool
	}{
		{"float32", in("F32"), 0, "too few epochs", "raise the learning rate", true},
		{"bfloat16", in("BF16"), 0, "weights in bfloat16, whose rounding swallows small updates", "keep the weights in float32", false},
		{"float32, and every other update is skipped", in("F32"), 2, "the loss scaler skips updates", "start with a smaller scale", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := curve{steps: 200, skips: c.skips, loss: func(n int64) float64 { return 2.35 - 0.008*float64(n) }, facts: c.facts}.judge(t, "too_few_updates")
			if len(found) != 1 {
				t.Fatalf("found %+v", found)
			}
			f := found[0]
			if !strings.Contains(f.Cause, c.cause) || !strings.Contains(f.Remedy, c.remedy) {
				t.Errorf("cause %q, remedy %q", f.Cause, f.Remedy)
			}
			if got := slices.Contains(f.Asks, record.RaiseLearningRate) || strings.Contains(f.Remedy, "raise the learning rate"); got != c.raise {
				t.Errorf("asks to raise the rate: %v (%v, %q)", got, f.Asks, f.Remedy)
			}
		})
	}
}

// Ranks that were equal and are not any more have come apart.
func TestRanksDiverge(t *testing.T) {
	apart := []float64{1, 1.1}
	cases := []struct {
		name      string
		ranks     map[int64][]float64 // digests of the weights by step
		gradients map[int64][]float64 // at step -1: digests of the weights before the first update
		want      string
	}{
		{"equal", map[int64][]float64{0: {1, 1}, 50: {2, 2}, 100: {3, 3}, 150: {4, 4.0000001}}, nil, ""},
		{"one rank", map[int64][]float64{0: {1}, 50: {2}, 100: {3}}, nil, ""},
		{"apart", map[int64][]float64{0: {1, 1}, 50: {2, 2.1}, 100: {3, 3.2}}, nil, "error weights_diverged"},
		{"apart from the first update on", map[int64][]float64{0: {1, 1}, 1: apart, 2: apart, 50: apart}, nil, "error weights_diverged"},
		{"apart when they are first seen together", map[int64][]float64{0: {1, 1.1}, 50: apart}, map[int64][]float64{-1: {1, 1}}, "error weights_diverged"},
		{"apart in a short job", map[int64][]float64{0: {1, 1}, 1: apart, 2: apart}, nil, "error weights_diverged"},
		{"apart once", map[int64][]float64{0: {1, 1}, 50: {2, 2.1}, 100: {3, 3}, 150: {4, 4.1}}, nil, ""},
		{"averaged every four steps", map[int64][]float64{0: {1, 1}, 1: apart, 2: apart, 3: apart, 4: {1, 1}, 5: apart, 50: apart, 100: {1, 1}, 150: apart, 200: apart}, nil, ""},
		{"apart, and near each other by chance", map[int64][]float64{0: {1, 1}, 1: apart, 2: {2, 2.0001}, 3: apart, 50: apart, 100: apart}, nil, "error weights_diverged"},
		{"never equal, but near each other at first", map[int64][]float64{0: {1, 1.00005}, 50: {2, 3}, 100: {3, 4}}, nil, "info never_equal"},
		{"never equal", map[int64][]float64{0: {1, 2}, 50: {2, 3}, 100: {3, 4}}, map[int64][]float64{0: {1, 2}, 50: {2, 3}, 100: {3, 4}}, "info never_equal"},
		{"never equal, under the same gradients", map[int64][]float64{0: {1, 2}, 50: {2, 3}, 100: {3, 4}}, map[int64][]float64{0: {1, 1}, 50: {2, 2}, 100: {1, 1}}, "error same_gradients"},
		{"never equal, under no gradients", map[int64][]float64{0: {1, 2}, 50: {2, 3}, 100: {3, 4}}, map[int64][]float64{0: {0, 0}, 50: {0, 0}}, "info never_equal"},
		{"not finite", map[int64][]float64{0: {1, 1}, 50: {2, math.NaN()}, 100: {3, math.Inf(1)}}, nil, ""},
		{"three ranks", map[int64][]float64{0: {1, 1, 1}, 50: {2, 2, 2.1}, 100: {3, 3, 3.1}}, nil, "error weights_diverged"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var found []record.Finding
			e, err := rules.NewEngine(rules.Options{Configs: []rules.Config{{Rule: "ranks_diverge"}}, OnFinding: func(f record.Finding) { found = append(found, f) }})
			if err != nil {
				t.Fatal(err)
			}
			for w := range c.ranks[0] {
				e.Announce(fmt.Sprintf("worker_%d", w), []record.TensorInfo{{Name: "digest/weights", Kind: record.Metric}, {Name: "digest/gradients", Kind: record.Metric}, {Name: "digest/start", Kind: record.Metric}})
			}
			for _, n := range slices.Sorted(maps.Keys(c.ranks)) {
				var parts []*record.Step
				for w, x := range c.ranks[n] {
					s := &record.Step{Worker: fmt.Sprintf("worker_%d", w), Step: n, ModeStep: n, Time: epoch, Scalars: []record.Scalar{{Name: "digest/weights", Value: x}}}
					if g := c.gradients[n]; g != nil {
						s.Scalars = append(s.Scalars, record.Scalar{Name: "digest/gradients", Value: g[w]})
					}
					if g := c.gradients[-1]; g != nil {
						s.Scalars = append(s.Scalars, record.Scalar{Name: "digest/start", Value: g[w]})
					}
					parts = append(parts, s)
				}
				e.Observe(rules.NewComplete(parts))
			}
			e.Finish(record.Completed)
			got := ""
			if len(found) > 0 {
				got = fmt.Sprintf("%s %s", found[0].Severity, found[0].Check)
			}
			if got != c.want || len(found) > 1 {
				t.Errorf("findings are %+v, want %q", found, c.want)
			}
		})
	}
}

// places makes facts of yes and no for several places of each sample, whose mean
// is 0.3; each place by itself tells as much as entropy says.
func places(shape []int64, entropy float64) *record.Facts {
	f := functionFacts("", "binary_cross_entropy_with_logits")
	n, floor := int64(2), 0.0
	f.Labels = &record.LabelFacts{DType: "F32", Shape: shape, Elements: 8 * 64 * 64, Range: []float64{0, 1}, Distinct: &n, Mean: setTo(0.3), Std: setTo(0.458),
		Features: &record.FeatureLabels{Places: 64, Samples: 512, Variance: 0.15, Entropy: &entropy, Floor: &floor}}
	return f
}

// masks have three classes, one of which is rarer at the edges.
func masks(entropy float64) *record.Facts {
	f := functionFacts("CrossEntropyLoss", "cross_entropy")
	f.Labels = &record.LabelFacts{DType: "I64", Shape: []int64{32, 16, 16}, Elements: 65536, Counts: map[string]int64{"0": 56320, "1": 4500, "2": 4716},
		Predictions: &record.TensorFacts{Shape: []int64{32, 3, 16, 16}}, Features: &record.FeatureLabels{Places: 256, Samples: 256, Entropy: &entropy}}
	return f
}

// withDice adds to the errors what is as large and is no penalty.
func withDice(f *record.Facts) *record.Facts {
	f.Graph = &record.GraphFacts{Parts: 1, Head: []string{"add", "binary_cross_entropy_with_logits", "convolution"}, Terms: &record.TermFacts{Function: "binary_cross_entropy_with_logits", Places: 4096, Weight: 1, Others: "other", Factor: 1}}
	return f
}

// code makes facts of an autoencoder of 64 places with a variance of 1, and of
// what is added to its errors.
func code(added string, weight float64) *record.Facts {
	f := functionFacts("", "mse_loss")
	f.Optimisers = []record.OptimiserFacts{{Class: "Adam"}}
	f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{32, 64}}}, Steps: 8, Distinct: 8}
	f.Labels = &record.LabelFacts{Loss: "mse_loss", DType: "F32", Shape: []int64{32, 64}, Elements: 8 * 32 * 64, Features: &record.FeatureLabels{Places: 64, Samples: 256, Variance: 1}}
	f.Graph = &record.GraphFacts{Parts: 1, Head: []string{"add", "mse_loss", "linear"}, Terms: &record.TermFacts{Function: "mse_loss", Places: 32 * 64, Weight: weight, Others: added}}
	return f
}

// The best evaluation is named by the step of training that it came after, as the heading of a finding
// and the axes of curves count; its losses are in steps of a mode of their own.
func TestStepOfTheBestEvaluation(t *testing.T) {
	least := func(n int64) float64 { return 1 + 0.01*math.Abs(float64(n)-89) }
	found := curve{steps: 300, loss: falling(2, 0.01, 60), eval: least}.judge(t, "overfit")
	if len(found) != 1 || !strings.Contains(found[0].Message, "(1, after step 89)") || found[0].Context["best_step"] != int64(89) {
		t.Errorf("got %+v", found)
	}
}
