package rules_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
	"github.com/vigil-ml/vigil/rule"
)

// everyRule is each rule by name, with an interval of one step where it has
// one, and the default set.
func everyRule(t interface{ Fatal(...any) }) []rules.Config {
	out, err := rules.Set("default", "pytorch")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range rules.Catalogue() {
		c := rules.Config{Rule: d.Name, Params: map[string]string{"max_findings": "40"}}
		maps.Copy(c.Params, d.Example)
		for _, p := range d.Parameters {
			switch p.Name {
			case "every":
				c.Params["every"] = "1"
			case "threshold":
				if d.Name == "stalled_training_rule" {
					c.Params["threshold"] = "30"
				}
			case "patience", "window":
				if d.Name == "hardware_utilization" {
					c.Params[p.Name] = "3"
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// expressions keep series, windows, periods and how long they have been true.
func expressions() []rules.Config {
	var out []rules.Config
	for name, params := range map[string]map[string]string{
		"own_spike":  {"expression": `series("loss").last() > 3 * series("loss").mean(3)`},
		"own_many":   {"expression": `tensors("weight", "abs_max").exists(t, t.last() > t.since(2).mean() && t.slope(2) > 0)`, "for": "2", "max_findings": "40"},
		"own_eval":   {"expression": `series("loss").in_mode("eval").last() >= series("loss").min() || is_nan(series("scalar/acc").previous(1))`},
		"own_strict": {"expression": `series("loss").last() / series("scalar/acc").last() > 1`},
		"own_share":  {"expression": `tensors("Net", "quantile[0.5]").map(t, ratio(t, series("Net_a.weight", "l2"))).max() > 10`},
	} {
		out = append(out, rules.Config{Rule: name, Configuration: name, Params: params})
	}
	slices.SortFunc(out, func(a, b rules.Config) int { return strings.Compare(a.Rule, b.Rule) })
	return out
}

// drawSteps makes up what a job with up to two workers leaves.
func drawSteps(t *rapid.T) (infos []record.TensorInfo, steps []*record.Complete) {
	infos = []record.TensorInfo{
		{Name: "loss", Kind: record.Loss}, {Name: "CrossEntropyLoss_output_0", Kind: record.Loss, AliasOf: "loss"}, {Name: "scalar/acc", Kind: record.Metric},
		{Name: "relu_output_0", Kind: record.Output, Shape: []int64{4, 4}, Order: 9},
		{Name: "a.relu_input_0", Kind: record.Input, Shape: []int64{4, 4}, Order: 9}, {Name: "b.relu_input_0", Kind: record.Input, Shape: []int64{4, 4}, Order: 10},
		{Name: "feature_importance/weight/f0", Kind: record.Metric}, {Name: "feature_importance/weight/f1", Kind: record.Metric}, {Name: "feature_importance/weight/f2", Kind: record.Metric},
		{Name: "feature_importance/weight/f3", Kind: record.Metric}, {Name: "trees/Node", Kind: record.Custom}, {Name: "labels", Kind: record.Custom}, {Name: "predictions", Kind: record.Custom},
		{Name: "Net_input_0", Kind: record.Input, Collections: []string{"inputs"}}, {Name: "val_loss", Kind: record.Loss},
		{Name: "tanh_input_0", Kind: record.Input, Shape: []int64{4, 4}, Order: 11},
	}
	for i, n := range []string{"Net_a.weight", "Net_b.weight", "Net_c.weight", "Net_d.weight"} {
		infos = append(infos, record.TensorInfo{Name: n, Kind: record.Weight, DType: "F32", Shape: []int64{2, 2}, Order: i},
			record.TensorInfo{Name: "gradient/" + n, Kind: record.Gradient, DType: "F32", Shape: []int64{2, 2}, Order: i})
	}
	value := rapid.SampledFrom([]float64{0, 1e-12, 1e-3, 1, 1.0001, 50, math.NaN(), math.Inf(1)})
	workers := []string{"worker_0", "worker_1"}[:rapid.IntRange(1, 2).Draw(t, "workers")]
	var keys, whole []string // derived numbers with quantities, and without
	for _, c := range append(everyRule(t), expressions()...) {
		e, err := rules.NewEngine(rules.Options{Configs: []rules.Config{c}})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range e.Needs() {
			for _, p := range n.Pairs {
				keys = append(keys, p.Key(n.Schedule)+".")
			}
			for _, u := range n.Units {
				keys = append(keys, u.Key()+".")
			}
			for _, q := range n.Quantiles {
				whole = append(whole, plan.QuantileKey(q))
			}
		}
	}
	at, modeSteps := int64(0), [4]int64{}
	clock := epoch
	for range rapid.IntRange(0, 25).Draw(t, "steps") {
		mode := rapid.SampledFrom([]record.Mode{record.Train, record.Train, record.Train, record.Eval, record.Global}).Draw(t, "mode")
		at += rapid.Int64Range(1, 3).Draw(t, "gap")
		clock = clock.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds")) * time.Second)
		var parts []*record.Step
		skipped := rapid.IntRange(0, 9).Draw(t, "skipped") == 0
		for _, w := range workers {
			p := &record.Step{Worker: w, Step: at, Mode: mode, ModeStep: modeSteps[mode], Time: clock, Skipped: skipped}
			for _, i := range infos {
				if rapid.IntRange(0, 3).Draw(t, "there") == 0 {
					continue
				}
				x := value.Draw(t, "value")
				if i.Kind == record.Loss || i.Kind == record.Metric {
					p.Scalars = append(p.Scalars, record.Scalar{Name: i.Name, Value: x})
					continue
				}
				s := tensor.Stats{Count: 4, Min: x, Max: x, Mean: x, L1: 4 * x}
				switch {
				case math.IsNaN(x):
					s = tensor.Stats{Count: 4, NaN: 4}
				case math.IsInf(x, 1):
					s = tensor.Stats{Count: 4, PosInf: 4}
				case x == 0:
					s.Zeros = 4
				}
				p.Stats = append(p.Stats, record.TensorStats{Tensor: i.Name, Stats: s})
				for _, k := range whole {
					p.Derived = append(p.Derived, record.Derived{Tensor: i.Name, Stat: k, From: -1, Value: x})
				}
				for _, k := range keys {
					from := rapid.Int64Range(-1, max(-1, modeSteps[mode]-1)).Draw(t, "from")
					for _, q := range []string{plan.PairMeanAbsDiff, plan.PairMaxAbsDiff, plan.PairMeanAbsFrom, plan.PairNotClose, plan.UnitsTotal, plan.UnitsInactive, plan.UnitsSamples, plan.UnitsLow} {
						p.Derived = append(p.Derived, record.Derived{Tensor: i.Name, Stat: k + q, From: from, Value: x})
					}
				}
			}
			parts = append(parts, p)
		}
		modeSteps[mode]++
		steps = append(steps, rules.NewComplete(parts))
	}
	return infos, steps
}

// The same steps give the same findings and statuses, however often the
// evaluator is stopped and started again, in whatever order a step's tensors
// come, and whether they are announced at once or one by one.
func TestLiveAndReplayAgree(t *testing.T) {
	testenv.Unraced(t)
	other := &memory{t: t, workers: []string{"worker_0"}, steps: append(scalarsAt("loss", 1, 1, 2, 1, 1, 1), tensorAt("Net_a.weight", 1, vec(1, 1, 1, 1)))}
	raw := func(_, name string, _ record.Mode, modeStep int64) (rule.Values, error) {
		return view(t, vec(float64(modeStep%2), 1, 0, float64(len(name)%2))), nil
	}
	open := func(string) (rule.Trial, error) { return other, nil }
	rapid.Check(t, func(rt *rapid.T) {
		infos, steps := drawSteps(rt)
		windows := drawWindows(rt, len(steps)+1)
		configs := append(append(everyRule(rt), expressions()...), rules.Config{Rule: "long_steps"}, rules.Config{Rule: "long_steps", Configuration: "later", Params: map[string]string{"start_step": "4", "workers": "worker_1"}})
		make := func(found *[]record.Finding) *rules.Engine {
			e, err := rules.NewEngine(rules.Options{Configs: configs, Definitions: []*rule.Definition{longSteps}, Trial: open, Raw: raw, OnFinding: func(f record.Finding) { *found = append(*found, f) }})
			if err != nil {
				rt.Fatal(err)
			}
			return e
		}
		var whole []record.Finding
		e := make(&whole)
		e.Announce("worker_0", infos)
		judge := func(e *rules.Engine, list []*record.Window) {
			for _, w := range list {
				e.Window(w)
			}
		}
		judge(e, windows[0])
		for i, c := range steps {
			e.Observe(c)
			judge(e, windows[i+1])
		}
		e.Tick(epoch.Add(time.Hour))
		e.Finish(record.Completed)

		var pieces []record.Finding
		p := make(&pieces)
		announced := 0
		judge(p, windows[0])
		for i, c := range steps {
			n := len(infos)
			if announced == 0 && rapid.Bool().Draw(rt, "in parts") {
				n = rapid.IntRange(1, len(infos)).Draw(rt, "announced")
			}
			names := map[string]bool{}
			for _, s := range c.Parts {
				for _, x := range s.Scalars {
					names[x.Name] = true
				}
				for _, x := range s.Stats {
					names[x.Tensor] = true
				}
			}
			// What a step has is always announced before it.
			var now []record.TensorInfo
			for i, x := range infos {
				if i < n || names[x.Name] || names[x.AliasOf] || slices.ContainsFunc(infos, func(o record.TensorInfo) bool { return o.AliasOf == x.Name && names[o.Name] }) {
					now = append(now, x)
				}
			}
			p.Announce("worker_0", now)
			announced = n
			if rapid.Bool().Draw(rt, "reversed") {
				for _, s := range c.Parts {
					slices.Reverse(s.Stats)
					slices.Reverse(s.Scalars)
				}
			}
			p.Observe(c)
			p.Observe(c) // again: ignored
			judge(p, windows[i+1])
			judge(p, windows[i+1])
			if rapid.IntRange(0, 3).Draw(rt, "restart") == 0 {
				state, err := p.Save()
				if err != nil {
					rt.Fatal(err)
				}
				p = make(&pieces)
				if err := p.Restore(state); err != nil {
					rt.Fatal(err)
				}
			}
		}
		p.Tick(epoch.Add(time.Hour))
		p.Finish(record.Completed)
		equal(rt, "findings", whole, pieces)
		equal(rt, "statuses", e.Statuses(), p.Statuses())
		equal(rt, "groups", e.Groups(), p.Groups())

		// From the beginning, with what is on record: nothing comes twice.
		var again []record.Finding
		r, err := rules.NewEngine(rules.Options{Configs: configs, Definitions: []*rule.Definition{longSteps}, Trial: open, Raw: raw, Stored: whole, OnFinding: func(f record.Finding) { again = append(again, f) }})
		if err != nil {
			rt.Fatal(err)
		}
		r.Announce("worker_0", infos)
		judge(r, windows[0])
		for i, c := range steps {
			r.Observe(c)
			judge(r, windows[i+1])
		}
		r.Tick(epoch.Add(time.Hour))
		r.Finish(record.Completed)
		if len(again) > 0 {
			rt.Fatalf("told again: %+v", again[0])
		}
		equal(rt, "statuses after replay", e.Statuses(), r.Statuses())
	})
}
