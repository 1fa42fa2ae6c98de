package rules_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// panicking is a rule with a fault of its own.
var panicking = &rule.Definition{
	Name: "panicking", Class: "Panicking", Family: rule.Tensors, Severity: rule.Warning,
	New: func(rule.Params) (rule.Rule, error) { return panics{}, nil },
}

type panics struct{}

func (panics) Select() []rule.Selector { return []rule.Selector{rule.Everything()} }
func (panics) Step(v *rule.View, _ *rule.Report) {
	if v.Step == 2 {
		panic("index out of range [5] with length 3")
	}
}
func (panics) Finish(*rule.Report)    {}
func (panics) Save() ([]byte, error)  { return []byte("null"), nil }
func (panics) Restore(b []byte) error { return errors.New("never") }

// bystander is a rule that has nothing to do with any of it, and counts steps.
var bystander = &rule.Definition{
	Name: "bystander", Class: "Bystander", Family: rule.Tensors, Severity: rule.Warning,
	New: func(rule.Params) (rule.Rule, error) { return counts{}, nil },
}

type counts struct{ panics }

func (counts) Step(_ *rule.View, rep *rule.Report) { rep.Inspect(1) }

// endless is a name that the patterns below try in more ways than there is time for.
var endless = strings.Repeat("a", 40) + "!"

// badInputs are configurations and data that go wrong, each with what is fed.
var badInputs = []struct {
	name    string
	configs []rules.Config
	mutes   []rules.Mute
	feed    func(j *job)
}{
	{"a pattern that backtracks without end", []rules.Config{config("all_zero", "tensor_regex", `(a+)+$`)}, nil, func(j *job) {
		j.feed(tensorAt(endless, 0, vec(0)))
	}},
	{"the same in an expression", []rules.Config{config("mine", "expression", `tensors("(a+)+$", "l2").exists(t, t.last() > 1)`)}, nil, func(j *job) {
		j.feed(tensorAt(endless, 0, vec(0)))
	}},
	{"the same in a mute", []rules.Config{config("all_zero", "tensor_regex", "^a+!$")}, []rules.Mute{{Subject: `(a+)+$`, Reason: "pruned"}}, func(j *job) {
		j.feed(tensorAt(endless, 0, vec(0)))
	}},
	{"a pattern that is none", []rules.Config{config("all_zero", "tensor_regex", `weight(`)}, nil, nil},
	{"an expression that divides by zero", []rules.Config{config("mine", "expression", `series("loss").last() / series("accuracy").last() > 1`)}, nil, func(j *job) {
		j.feed(input{scalars: map[string]float64{"loss": 1, "accuracy": 0}})
	}},
	{"an expression that names an unknown series", []rules.Config{config("mine", "expression", `series("los").last() > 1`)}, nil, func(j *job) {
		j.feed(scalarsAt("loss", 1, 3, 2, 1)...)
	}},
	{"an expression that cannot be", []rules.Config{config("mine", "expression", `series("loss").lats() > 1`)}, nil, nil},
	{"an expression that looks at too much", []rules.Config{config("mine", "expression", `tensors("w", "l2").exists(t, tensors("w", "l2").exists(u, t.last() + u.last() > 1e9))`)}, nil, func(j *job) {
		in := input{tensors: map[string]values{}}
		for k := range 2500 {
			in.tensors[fmt.Sprint("w", k)] = vec(1)
		}
		j.feed(in)
	}},
	{"a rule on a collection that nobody captures", []rules.Config{config("all_zero", "collection_names", "attention")}, nil, func(j *job) {
		for i := range int64(60) {
			j.feed(tensorAt("fc.weight", i, vec(1)))
		}
	}},
	{"a rule that is asked for twice", []rules.Config{config("vanishing_gradient", "threshold", "1e-9"), config("VanishingGradient", "threshold", "0.5")}, nil, func(j *job) {
		j.feed(tensorAt("gradient/fc.weight", 0, vec(1e-3, 1e-3)))
	}},
	{"an unknown rule", []rules.Config{config("vanishing_gradeint")}, nil, nil},
	{"an unknown parameter", []rules.Config{config("vanishing_gradient", "treshold", "1")}, nil, nil},
	{"a parameter out of its range", []rules.Config{config("dead_relu", "threshold_layer", "101")}, nil, nil},
	{"a rule that fails", []rules.Config{{Rule: "panicking"}, config("all_zero", "tensor_regex", "weight")}, nil, func(j *job) {
		for i := range int64(4) {
			j.feed(tensorAt("fc.weight", i, vec(0)))
		}
	}},
	{"a series with NaN and infinity", []rules.Config{config("loss_not_decreasing", "every", "1", "num_steps", "2"), config("not_finite"), config("all_zero", "collection_names", "losses")}, nil, func(j *job) {
		j.feed(scalarsAt("loss", 1, 3, math.NaN(), math.Inf(1), 2, math.Inf(-1), 1, 1, 1)...)
	}},
	{"tensors that are NaN throughout", []rules.Config{config("vanishing_gradient"), config("tensor_variance", "tensor_regex", "weight", "min_threshold", "0.1"), config("weight_update_ratio", "every", "1")}, nil, func(j *job) {
		for i := range int64(3) {
			j.feed(input{step: i, tensors: map[string]values{"fc.weight": vec(fill(4, math.NaN())...), "gradient/fc.weight": vec(fill(4, math.NaN())...)}})
		}
	}},
	{"a series with gaps", []rules.Config{config("loss_not_decreasing", "every", "1", "num_steps", "2")}, nil, func(j *job) {
		for _, i := range []int64{0, 1, 7, 500, 501, 502, 503, 504} {
			j.feed(input{step: i, scalars: map[string]float64{"loss": 1}})
		}
	}},
	{"steps that come twice, or run backwards", []rules.Config{config("all_zero", "tensor_regex", "weight")}, nil, func(j *job) {
		for _, i := range []int64{0, 1, 1, 0, 2, 1} {
			j.feed(tensorAt("fc.weight", i, vec(0)))
		}
	}},
	{"ranks with different tensors", []rules.Config{config("all_zero", "tensor_regex", "weight"), config("ranks_diverge")}, nil, func(j *job) {
		j.workers = []string{"worker_0", "worker_1"}
		for i := range int64(3) {
			j.engine.Observe(rules.NewComplete([]*record.Step{
				j.part("worker_0", input{step: i, tensors: map[string]values{"a.weight": vec(0), "both.weight": vec(1)}}),
				j.part("worker_1", input{step: i, tensors: map[string]values{"b.weight": vec(1), "both.weight": vec(0)}}),
			}))
		}
	}},
}

// What a person reads when something is wrong with the rules or their data, and
// what becomes of each rule: testdata/bad_rules.txt. Next to each stands a rule
// that has nothing to do with it; it judges to the end.
func TestBadInput(t *testing.T) {
	var b strings.Builder
	for _, c := range badInputs {
		j := newJobWith(t, func(o *rules.Options) { o.Definitions, o.Mutes = []*rule.Definition{panicking, bystander}, c.mutes }, append(c.configs, rules.Config{Rule: "bystander"})...)
		if c.feed != nil {
			c.feed(j)
		}
		j.engine.Finish(record.Completed)
		fmt.Fprintf(&b, "## %s\n", c.name)
		for _, s := range j.engine.Statuses()[:len(c.configs)] {
			fmt.Fprintf(&b, "%s: %s", s.Configuration, s.Status)
			if s.Findings > 0 {
				fmt.Fprintf(&b, ", %d findings", s.Findings)
			}
			for _, why := range slices.Sorted(maps.Keys(s.Skipped)) {
				fmt.Fprintf(&b, ", %d skipped (%s)", s.Skipped[why], why)
			}
			b.WriteByte('\n')
			for _, l := range strings.Split(s.Details, "\n") {
				if l != "" {
					fmt.Fprintf(&b, "  %s\n", l)
				}
			}
		}
		for _, w := range j.warned {
			fmt.Fprintf(&b, "warning: %s\n", w)
		}
		b.WriteByte('\n')
		if s := j.engine.Statuses()[len(c.configs)]; s.Status != rules.NoIssuesFound || c.feed != nil && s.Datapoints == 0 {
			t.Errorf("%s: the bystander has status %s, %d steps: %s", c.name, s.Status, s.Datapoints, s.Details)
		}
	}
	const file = "testdata/bad_rules.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}
