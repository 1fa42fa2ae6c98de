package rules_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// Findings with one root stand under the likeliest cause, whichever was
// noticed first.
func TestGroups(t *testing.T) {
	j := newJob(t, config("not_finite"), config("exploding_tensor"), config("vanishing_gradient"), config("loss_not_decreasing", "every", "1", "num_steps", "1"), config("all_zero"))
	j.feed(
		input{step: 0, scalars: map[string]float64{"loss": 1}, tensors: map[string]values{"gradient/a": vec(0, 0)}},
		input{step: 1, scalars: map[string]float64{"loss": 1}, tensors: map[string]values{"gradient/a": vec(0, 0)}},
		input{step: 2, scalars: map[string]float64{"loss": math.NaN()}},
		input{step: 3, scalars: map[string]float64{"loss": math.NaN()}},
	)
	got := ""
	for _, g := range j.engine.Groups() {
		got += fmt.Sprintf("%s %s@%d:", g.Root.Severity, g.Root.Rule, g.Root.Step)
		for _, s := range g.Symptoms {
			got += fmt.Sprintf(" %s@%d", s.Rule, s.Step)
		}
		got += "\n"
	}
	want := "error not_finite@2: exploding_tensor@2 exploding_tensor@3 loss_not_decreasing@2 loss_not_decreasing@3\n" +
		"warning vanishing_gradient@0: all_zero@0 vanishing_gradient@1 all_zero@1 loss_not_decreasing@1\n"
	if got != want {
		t.Errorf("groups are\n%swant\n%s", got, want)
	}
	for _, g := range j.engine.Groups() {
		if g.CauseClass != g.Root.CauseClass {
			t.Errorf("group's cause class is %q, its root's %q", g.CauseClass, g.Root.CauseClass)
		}
	}
}

// A network whose normalisation stands still needs a smaller rate: what comes of
// that follows from the mode. Dropout that stays on while it is evaluated makes
// no loss infinite.
func TestGroupsByCheck(t *testing.T) {
	trained := classifier()
	trained.EvalTrained = &record.EvalTrainedFacts{At: 2, Modules: []string{"act1"}, Kinds: []string{"normalisation"}}
	evaluated := classifier()
	evaluated.Evaluation = &record.EvaluationFacts{At: 2, Steps: 2, Training: []string{"act1"}, Kinds: []string{"dropout"}, RootTraining: true}
	for name, c := range map[string]struct {
		facts *record.Facts
		want  string
	}{
		"trained in evaluation mode": {trained, "evaluation_mode"},
		"evaluated in training mode": {evaluated, "not_finite"},
	} {
		j := newJob(t, config("evaluation_mode"), config("not_finite"))
		j.engine.Facts(c.facts)
		j.feed(scalarsAt("loss", 1, 1, 1, math.NaN(), math.NaN())...)
		groups := j.engine.Groups()
		if len(groups) == 0 || groups[0].Root.Rule != c.want {
			t.Errorf("%s: groups are %s", name, asJSON(t, groups))
		}
	}
}

func TestNoGroups(t *testing.T) {
	j := newJob(t, config("not_finite"))
	j.feed(scalarsAt("loss", 1, 1, 1)...)
	j.engine.Finish(record.Completed)
	if s := asJSON(t, j.engine.Groups()); s != "[]" {
		t.Errorf("groups are %s", s)
	}
}

// What cannot be meant is the root of what it leads to, also of what was noticed
// before.
func TestGroupsOfFacts(t *testing.T) {
	j := newJob(t, config("output_activation"), config("vanishing_gradient"), config("loss_not_decreasing", "every", "1", "num_steps", "1"))
	j.engine.Facts(&record.Facts{
		Loss:        &record.LossFacts{Function: "cross_entropy", Module: "CrossEntropyLoss"},
		Graph:       &record.GraphFacts{At: 1, Head: []string{"cross_entropy", "softmax", "linear"}},
		Predictions: &record.PredictionFacts{At: 2, TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{8, 4}}, Axis: 1, Classes: 4, RowsSumToOne: true, LabelShape: []int64{8}},
	})
	for n := range int64(4) {
		j.feed(input{step: n, scalars: map[string]float64{"loss": 1}, tensors: map[string]values{"gradient/a": vec(0, 0)}})
	}
	groups := j.engine.Groups()
	if len(groups) != 1 || groups[0].Root.Rule != "output_activation" || groups[0].Root.Step != 2 || groups[0].CauseClass != "output-activation" || len(groups[0].Symptoms) < 3 {
		t.Errorf("groups are %s", asJSON(t, groups))
	}
}

// Gradients that are kept come of the order of calls, not of the loss: both are to be mended.
func TestKeptGradientsAreARoot(t *testing.T) {
	kept := record.Finding{Rule: "zero_grad", Configuration: "zero_grad", Check: "kept", Severity: record.Error, CauseClass: "zero-grad", Step: 9, Message: "Gradients are not cleared."}
	for _, other := range []record.Finding{
		{Rule: "output_activation", Check: "softmax_twice", CauseClass: "output-activation"},
		{Rule: "loss_choice", Check: "one_class", CauseClass: "loss"},
		{Rule: "labels_fit", Check: "skewed", CauseClass: "imbalance"},
	} {
		other.Configuration, other.Severity, other.Step, other.Message = other.Rule, record.Error, 9, "Something else."
		if groups := rules.Group([]record.Finding{other, kept}, nil); len(groups) != 2 {
			t.Errorf("%s: groups are %s", other.Rule, asJSON(t, groups))
		}
	}
}
