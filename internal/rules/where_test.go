package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// Kinds of calls whose places hooks give.
var kindsOfCalls = []string{"backward", "clip", evaluates, "function", "layer", "loss", "model", "optimizer", "scheduler", "step"}

// What the tables name is there: cause classes and checks of the index, kinds of calls.
func TestPlacesAreOfTheIndex(t *testing.T) {
	classes, checks := map[string]bool{}, map[string]bool{}
	for _, d := range Catalogue() {
		for _, c := range d.Checks {
			checks[c.ID] = true
			classes[c.CauseClass] = true
			for _, o := range c.OtherCauses {
				classes[o] = true
			}
		}
	}
	for class, kinds := range placesByCause {
		if !classes[class] {
			t.Errorf("no check has the cause class %q", class)
		}
		for _, k := range kinds {
			if k, _, _ := strings.Cut(k, " "); !slices.Contains(kindsOfCalls, k) {
				t.Errorf("%s is about a call of kind %q", class, k)
			}
		}
	}
	for check, kinds := range placesByCheck {
		if !checks[check] {
			t.Errorf("there is no check %q", check)
		}
		for _, k := range kinds {
			if k, _, _ := strings.Cut(k, " "); !slices.Contains(kindsOfCalls, k) {
				t.Errorf("%s is about a call of kind %q", check, k)
			}
		}
	}
}

// The place of a finding is that of the call that it is about, where there is one such
// call and its place was known when the finding was made.
func TestWhere(t *testing.T) {
	calls := func(list ...record.Call) *record.Facts {
		return &record.Facts{Calls: &record.CallFacts{At: 9, List: list}}
	}
	call := func(kind, name string, line int) record.Call {
		return record.Call{Kind: kind, Name: name, File: "/home/me/train.py", Line: line}
	}
	all := calls(call("optimizer", "SGD", 7), call("loss", "MSELoss", 12), call("backward", "", 13), call("step", "SGD", 15))
	two := calls(call("optimizer", "SGD", 7), call("optimizer", "Adam", 8), call("backward", "", 13))
	activation := calls(call("layer", "Dropout", 3), call("layer", "Softmax", 4), call("function", "softmax", 11), call("loss", "cross_entropy", 12), call("backward", "", 13))
	layer := calls(call("layer", "Dropout", 3), call("layer", "Softmax", 4), call("loss", "cross_entropy", 12), call("backward", "", 13))
	losses := calls(call("loss", "cross_entropy", 11), call("loss", "mse_loss", 12), call("backward", "", 13))
	evaluation := &record.Facts{Evaluation: &record.EvaluationFacts{At: 20, File: "/home/me/train.py", Line: 30}}
	for _, c := range []struct {
		name    string
		facts   *record.Facts
		finding record.Finding
		want    int // line; 0: none
	}{
		{"a loss", all, record.Finding{Rule: "loss_choice", Check: "labels_not_probabilities", CauseClass: "loss", Step: 9}, 12},
		{"a loss that is no module", two, record.Finding{Rule: "loss_choice", Check: "labels_not_probabilities", CauseClass: "loss", Step: 9}, 13},
		{"one of two losses", losses, record.Finding{Rule: "loss_choice", Check: "labels_not_probabilities", CauseClass: "loss", Step: 9}, 13},
		{"an activation that is a function", activation, record.Finding{Rule: "output_activation", Check: "softmax_twice", CauseClass: "output-activation", Step: 9}, 11},
		{"one of another check", activation, record.Finding{Rule: "output_activation", Check: "limited_logits", CauseClass: "output-activation", Step: 9}, 11},
		{"an activation that is a layer", layer, record.Finding{Rule: "output_activation", Check: "softmax_twice", CauseClass: "output-activation", Step: 9}, 4},
		{"an activation that is not known", layer, record.Finding{Rule: "output_activation", Check: "sigmoid_twice", CauseClass: "output-activation", Step: 9}, 12},
		{"gradients that are kept", all, record.Finding{Rule: "zero_grad", Check: "kept", CauseClass: "zero-grad", Step: 9}, 13},
		{"gradients that are cleared too late", all, record.Finding{Rule: "zero_grad", Check: "cleared", CauseClass: "zero-grad", Step: 9}, 15},
		{"a learning rate", all, record.Finding{Rule: "learning_rate", Check: "exploded", CauseClass: "learning-rate", Step: 40}, 7},
		{"a learning rate of one of two optimisers", two, record.Finding{Rule: "learning_rate", Check: "exploded", CauseClass: "learning-rate", Step: 40}, 0},
		{"gradients that nobody uses", all, record.Finding{Rule: "slow_training", Check: "untrained_backward", CauseClass: "wasted-backward", Step: 9}, 7},
		{"gradients that are dense", all, record.Finding{Rule: "slow_training", Check: "dense_embedding", CauseClass: "dense-gradients", Step: 9}, 7},
		{"before the places were known", all, record.Finding{Rule: "loss_choice", Check: "labels_not_probabilities", CauseClass: "loss", Step: 8}, 0},
		{"no place in the script", all, record.Finding{Rule: "ranks_diverge", Check: "weights_diverged", CauseClass: "ranks", Step: 9}, 0},
		{"an evaluation", evaluation, record.Finding{Rule: "evaluation_mode", Check: "evaluated_in_training_mode", CauseClass: "eval-mode", Step: 20}, 30},
		{"no facts", nil, record.Finding{Rule: "zero_grad", Check: "kept", CauseClass: "zero-grad", Step: 9}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &Engine{facts: c.facts, opts: Options{ReadLine: func(file string, line int) string { return file }}}
			w := e.where(&c.finding)
			switch {
			case w == nil && c.want != 0:
				t.Errorf("no place, want line %d", c.want)
			case w != nil && (w.Line != c.want || w.File != "/home/me/train.py" || w.Call != w.File):
				t.Errorf("place is %+v, want line %d", *w, c.want)
			}
		})
	}
}
