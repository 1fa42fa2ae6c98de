package rules_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
)

func lossAt(v ...float64) []input { return scalarsAt("loss", 1, v...) }

func inMode(mode record.Mode, step int64, name string, x float64) input {
	return input{step: step, mode: mode, scalars: map[string]float64{name: x}}
}

// vectors feeds tensors "a" and "b" with one number each, step by step.
func vectors(rows ...[2]float64) []input {
	var out []input
	for i, r := range rows {
		out = append(out, input{step: int64(i), tensors: map[string]values{"a.weight": vec(r[0], 0), "b.weight": vec(r[1], 0)}})
	}
	return out
}

// Each function of an expression, by the steps at which it makes a finding.
func TestExpressions(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		expression string
		params     []string
		in         []input
		want       []int64
	}{
		{`series("loss").last() > 2`, nil, lossAt(1, 3, 3, 1, 3), []int64{1, 4}},
		{`series("loss").last() > 2`, []string{"for", "2"}, lossAt(1, 3, 3, 3, 1, 3, 3), []int64{2, 6}},
		{`series("loss").last() > 3 * series("loss").mean(2)`, nil, lossAt(1, 1, 9), []int64{}},
		{`series("loss").last() > 2 * series("loss").mean(3)`, nil, lossAt(1, 1, 9), []int64{2}},
		{`series("loss").previous(1) > series("loss").last()`, nil, lossAt(3, 4, 2), []int64{2}},
		{`series("loss").slope(3) > 0.9`, nil, lossAt(5, 1, 2, 3), []int64{3}},
		{`series("loss").slope() < -1.0`, nil, lossAt(9, 9, 1), []int64{2}},
		{`series("loss").min(2) > 2 && series("loss").max(2) < 5`, nil, lossAt(1, 3, 4, 5), []int64{2}},
		{`series("loss").quantile(0.5, 3) == 2.0`, nil, lossAt(9, 2, 1), []int64{2}},
		{`series("loss").std(2) == 1.0`, nil, lossAt(1, 3), []int64{1}},
		{`series("loss").last() > series("loss").min() + 2`, nil, lossAt(5, 1, 2, 4), []int64{3}},
		{`series("loss").since(2).mean() == 4.0`, nil, lossAt(9, 9, 3, 5), []int64{3}},
		{`series("loss").since(2).max() < series("loss").first()`, nil, lossAt(9, 1, 3), []int64{2}},
		{`series("loss").count() == 3`, nil, lossAt(9, 1, 3), []int64{2}},
		{`series("loss").last_step() == 1 && step == 1 && global_step == 1 && mode == "TRAIN"`, nil, lossAt(9, 1, 3), []int64{1}},
		{`is_nan(series("loss").last())`, nil, lossAt(9, nan, 3), []int64{1}},
		{`abs(series("loss").last()) >= 3 || !is_finite(series("loss").last())`, nil, lossAt(-3, 1, math.Inf(1)), []int64{0, 2}},
		{`(step % 2 == 0 ? series("loss").last() : 0.0) > 1`, nil, lossAt(0, 5, 5), []int64{2}},
		{`series("loss").in_mode("eval").last() > 1.5 * series("loss").last()`, nil,
			[]input{lossAt(1)[0], inMode(record.Eval, 1, "loss", 1), inMode(record.Eval, 2, "loss", 2)}, []int64{2}},
		{`series("loss").last() > 1`, []string{"mode", "eval"}, []input{lossAt(5)[0], inMode(record.Eval, 1, "loss", 2)}, []int64{1}},
		{`series("acc").last() > 1 || series("loss").last() > 1`, nil, lossAt(5), []int64{0}},
		{`tensors("w", "nothing").exists(t, t.last() > 1)`, nil, nil, nil},
		{`!known(series("acc")) && series("loss").last() > 1`, nil, lossAt(5), []int64{0}},
		{`ratio(series("loss"), series("acc")) > 2`, nil, []input{
			{step: 0, scalars: map[string]float64{"loss": 9, "acc": 0}}, {step: 1, scalars: map[string]float64{"loss": 9, "acc": 1}}}, []int64{1}},

		{`ratio(series("a.weight", "abs_max"), series("b.weight", "abs_max")) > 10`, nil, vectors([2]float64{1, 1}, [2]float64{50, 2}), []int64{1}},
		{`tensors("weight$", "l2").exists(t, t.last() > 10)`, nil, vectors([2]float64{1, 1}, [2]float64{1, 20}), []int64{1}},
		{`tensors("weight$", "l2").all(t, t.last() > t.previous(1))`, nil, vectors([2]float64{1, 1}, [2]float64{2, 0}, [2]float64{3, 1}), []int64{2}},
		{`tensors("weight$", "abs_max").exists_one(t, t.last() > 10)`, nil, vectors([2]float64{20, 20}, [2]float64{20, 1}), []int64{1}},
		{`size(tensors("weight$", "zeros").filter(t, t.last() == 2)) >= 2`, nil, vectors([2]float64{0, 1}, [2]float64{0, 0}), []int64{1}},
		{`tensors("weight$", "max").map(t, t.last()).max() > 100 * tensors("weight$", "max").map(t, t.last()).min()`, nil, vectors([2]float64{1, 1}, [2]float64{1, 200}), []int64{1}},
		{`tensors("weight$", "max").map(t, t.last() > 1, t.last()).mean() == 4`, nil, vectors([2]float64{1, 4}), []int64{0}},
		{`tensors("weight$", "quantile[1]").exists(t, t.last() == 7)`, nil, vectors([2]float64{1, 7}), []int64{0}},
		{`series("b.weight", "median").last() == 3.5`, nil, vectors([2]float64{1, 7}), []int64{0}},
		{`series("a.weight", "prod").last() == 0 && series("a.weight", "prod_sign").last() == 0 && is_inf(series("a.weight", "prod_log").last())`, nil, vectors([2]float64{1, 7}), []int64{0}},
		{`tensors("weight$", "l2").exists(t, tensors("weight$", "l2").exists(u, t.last() > 3 * u.last()))`, nil, vectors([2]float64{1, 1}, [2]float64{1, 4}), []int64{1}},
	} {
		if c.want == nil {
			if err := rules.Check(config("mine", "expression", c.expression)); err == nil {
				t.Errorf("%s: is taken", c.expression)
			}
			continue
		}
		j := newJob(t, config("mine", append([]string{"expression", c.expression}, c.params...)...))
		j.feed(c.in...)
		if s := j.status(); s.Status == rules.StatusError || !slices.Equal(j.fired(), c.want) {
			t.Errorf("%s: findings at %v, want %v (%s: %s)", c.expression, j.fired(), c.want, s.Status, s.Details)
		}
	}
}

// A finding carries what decided, and what the user says of it.
func TestExpressionFinding(t *testing.T) {
	j := newJob(t, config("big_weight", "expression", `tensors("weight$", "abs_max").exists(t, t.last() > 10)`, "severity", "error", "cause_class", "initialisation",
		"cause", "the factor", "remedy", "divide it", "message", "{subject} reaches {observed} (more than {threshold}) at step {step} of {worker}."))
	j.feed(vectors([2]float64{1, 1}, [2]float64{1, -20})...)
	if len(j.found) != 1 {
		t.Fatalf("found %+v", j.found)
	}
	f := j.found[0]
	got := fmt.Sprint(f.Rule, f.RuleClass, f.Configuration, f.Severity, f.Subject, f.Observed, f.Comparator, f.Threshold, f.CauseClass, f.Cause, f.Remedy, f.Worker, f.Context["statistic"])
	if want := fmt.Sprint("big_weight", "BigWeight", "big_weight", record.Error, "b.weight", record.Number(20), ">", record.Number(10), "initialisation", "the factor", "divide it", "worker_0", "abs_max"); got != want {
		t.Errorf("finding is %s, want %s", got, want)
	}
	if want := "b.weight reaches 20 (more than 10) at step 1 of worker_0."; f.Message != want {
		t.Errorf("message is %q", f.Message)
	}
	j = newJob(t, config("mine", "expression", `series("loss").last() > 2`))
	j.feed(lossAt(3)...)
	if want := `It is true that series("loss").last() > 2 (loss: 3 > 2).`; j.found[0].Message != want {
		t.Errorf("message is %q", j.found[0].Message)
	}
}

// An expression that fails ends its own rule, and no other.
func TestExpressionThatFails(t *testing.T) {
	j := newJob(t,
		config("by_zero", "expression", `series("loss").last() / series("acc").last() > 1`),
		config("nobody", "expression", `series("los").last() > 1`),
		config("partly", "expression", `series("loss").last() > 1 || series("los").last() > 1`),
		config("wrong", "expression", `series("loss") > 1`),
		config("dead_relu", "expression", `series("loss").last() > 1`),
		config("fine", "expression", `series("loss").last() > 1`),
		config("elsewhere", "expression", `series("val").last() > 1`),
	)
	for i := range int64(3) {
		j.feed(input{step: i, scalars: map[string]float64{"loss": float64(i), "acc": 0}})
	}
	j.feed(input{step: 3, mode: record.Eval, scalars: map[string]float64{"val": 1}})
	j.engine.Finish(record.Completed)
	for i, want := range []string{
		"Error evaluate expression at step 0 of worker_0: line 1, column 23 of the expression: division by zero",
		"Error evaluate expression: never captured in this run: los",
		"IssuesFound never captured in this run: los",
		"Error configure rule wrong: line 1, column 16 of the expression: found no matching overload",
		`Error configure rule dead_relu: the rule "dead_relu" already exists`,
		"IssuesFound",
		`Error evaluate expression: never captured in this run: val (it is there in EVAL: in_mode("eval"))`,
	} {
		s := j.engine.Statuses()[i]
		status, text, _ := strings.Cut(want, " ")
		if s.Status != status || !strings.Contains(s.Details, text) {
			t.Errorf("%s: %s %q, want %s", s.Configuration, s.Status, s.Details, want)
		}
	}
}

// What a step may cost is bounded by a count, the same on every machine.
func TestExpressionCostIsBounded(t *testing.T) {
	j := newJob(t, config("dear", "expression", `tensors("w", "l2").exists(t, tensors("w", "l2").exists(u, t.last() + u.last() > 1e9))`))
	in := input{tensors: map[string]values{}}
	for k := range 2500 {
		in.tensors[fmt.Sprint("w", k)] = vec(1)
	}
	j.feed(in)
	if s := j.status(); s.Status != rules.StatusError || !strings.Contains(s.Details, "costs too much") {
		t.Errorf("status is %s %q", s.Status, s.Details)
	}
}

// What an expression needs is in the plan without anybody asking.
func TestExpressionNeeds(t *testing.T) {
	j := newJob(t, config("mine", "expression", `tensors("relu_output", "quantile[0.9]").exists(t, t.last() > 1) && series("loss").in_mode("eval").last() > 0`, "every", "7"))
	needs := j.engine.Needs()
	if len(needs) != 2 || needs[0].By != "mine" || needs[0].Quantiles[0] != 0.9 || needs[0].Schedule[record.Train].Every != 7 || !needs[0].Schedule[record.Eval].Off ||
		needs[1].Names[0] != "loss" || !needs[1].Schedule[record.Train].Off || needs[1].Schedule[record.Eval].Off {
		t.Errorf("needs are %+v", needs)
	}
	d := j.plan.Decide(record.TensorInfo{Name: "relu_output_0", Kind: record.Output})
	if d.Want(record.Train, 7)&plan.Stats == 0 || d.Want(record.Train, 8) != 0 {
		t.Errorf("captured at 7: %v, at 8: %v", d.Want(record.Train, 7), d.Want(record.Train, 8))
	}
}

// Workers are judged each for itself; what they have in common is one finding.
func TestExpressionWorkers(t *testing.T) {
	j := newJob(t, config("mine", "expression", `series("loss").last() > 2`))
	j.workers = []string{"worker_0", "worker_1"}
	for i, row := range [][2]float64{{1, 3}, {3, 1}, {1, 1}, {3, 3}} {
		at := func(x float64) input { return lossAt(0, 0, 0, 0)[i].with("loss", x) }
		j.engine.Observe(rules.NewComplete([]*record.Step{j.part("worker_0", at(row[0])), j.part("worker_1", at(row[1]))}))
	}
	var got []string
	for _, f := range j.found {
		got = append(got, fmt.Sprint(f.Step, f.Worker, f.Workers))
	}
	if want := "0worker_1[] 1worker_0[] 3worker_0[worker_0 worker_1]"; strings.Join(got, " ") != want {
		t.Errorf("found %s, want %s", strings.Join(got, " "), want)
	}
}

func (in input) with(name string, x float64) input {
	in.scalars = map[string]float64{name: x}
	return in
}

// BenchmarkExpressions judges a step of 1,000 tensors by 100 expressions that
// look at every one of them. The goal is 60 ms a step.
func BenchmarkExpressions(b *testing.B) {
	const tensors, expressions = 1000, 100
	texts := []string{
		`tensors("weight$", "l2").exists(t, t.last() > 1000)`,
		`tensors("weight$", "abs_max").exists(t, t.last() > 10 * t.mean(10))`,
		`tensors("weight$", "mean").all(t, t.last() > -1.0 && t.last() < 1)`,
		`tensors("weight$", "l2").map(t, t.last()).max() > 100 * series("loss").last()`,
	}
	var cs []rules.Config
	for i := range expressions {
		name := fmt.Sprint("mine_", i)
		cs = append(cs, rules.Config{Rule: name, Configuration: name, Params: map[string]string{"expression": texts[i%len(texts)], "for": "1000000"}})
	}
	e, err := rules.NewEngine(rules.Options{Configs: cs})
	if err != nil {
		b.Fatal(err)
	}
	s := &record.Step{Worker: "worker_0", Scalars: []record.Scalar{{Name: "loss", Value: 1}}}
	var infos []record.TensorInfo
	for i := range tensors {
		info := record.TensorInfo{Name: fmt.Sprintf("Net_layer%d.%d.conv.weight", i/10, i), Kind: record.Weight, DType: "F32", Shape: []int64{8, 8}, Order: i}
		infos = append(infos, info)
		s.Stats = append(s.Stats, record.TensorStats{Tensor: info.Name, Stats: tensor.Stats{Count: 64, Min: -1, Max: 1, L1: 32, M2: 20}})
	}
	e.Announce("worker_0", infos)
	at := int64(0)
	observe := func() {
		c := rules.NewComplete([]*record.Step{s})
		c.Step, c.ModeStep = at, at
		at++
		e.Observe(c)
	}
	for range 20 {
		observe()
	}
	b.ReportAllocs()
	for b.Loop() {
		observe()
	}
	for _, st := range e.Statuses() {
		if st.Status != rules.InProgress {
			b.Fatalf("status is %+v", st)
		}
	}
}
