package record

import (
	"encoding/json"
	"math"
	"testing"
)

func TestEpochs(t *testing.T) {
	regular := &EpochFacts{Batches: 100, Stretches: []EpochStretch{{At: 0, Number: 1, Updates: 100}}}
	changing := &EpochFacts{Stretches: []EpochStretch{{At: 10, Number: 1, Updates: 100}, {At: 210, Number: 3, Updates: 50}}, Until: 400}
	for _, tt := range []struct {
		name string
		of   *EpochFacts
		step int64
		want Epoch // its number is 0 where it is not known
	}{
		{"nothing is known", nil, 5, Epoch{}},
		{"the first", regular, 0, Epoch{1, 0, 100}},
		{"its last update", regular, 99, Epoch{1, 0, 100}},
		{"the fourth", regular, 310, Epoch{4, 300, 100}},
		{"before the loader was used", changing, 9, Epoch{}},
		{"in the first stretch", changing, 209, Epoch{2, 110, 100}},
		{"in the second one", changing, 260, Epoch{4, 260, 50}},
		{"after its order was lost", changing, 400, Epoch{}},
		{"one that goes on", &EpochFacts{Batches: 100, Stretches: []EpochStretch{{Number: 1}}}, 99, Epoch{1, 0, 0}},
		{"longer than its loader", &EpochFacts{Batches: 100, Stretches: []EpochStretch{{Number: 1}}}, 100, Epoch{1, 0, 0}},
		{"data without a length", &EpochFacts{Stretches: []EpochStretch{{Number: 1}}}, 1000, Epoch{1, 0, 0}},
	} {
		e, ok := tt.of.Of(tt.step)
		if !ok {
			e = Epoch{}
		}
		if e != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, e, tt.want)
		}
	}
}

// Every update of a run has a place on the axis of epochs, each beyond the one before
// it, and in the epoch that it is of.
func TestEveryUpdateHasAPlace(t *testing.T) {
	for _, tt := range []struct {
		name    string
		of      *EpochFacts
		updates int64
		want    map[int64]float64
	}{
		{"regular", &EpochFacts{Batches: 10, Stretches: []EpochStretch{{At: 0, Number: 1, Updates: 10}}}, 25, map[int64]float64{0: 0, 5: 0.5, 10: 1, 24: 2.4}},
		{"updates before the first epoch", &EpochFacts{Stretches: []EpochStretch{{At: 4, Number: 1, Updates: 10}}}, 24, map[int64]float64{0: -1, 3: -0.25, 4: 0, 14: 1}},
		{"epochs that were left early", &EpochFacts{Stretches: []EpochStretch{{At: 0, Number: 1, Updates: 10}, {At: 13, Number: 3, Updates: 5}}}, 18, map[int64]float64{12: 1.2, 13: 2, 17: 2.8}},
		{"one that goes on, of a known length", &EpochFacts{Batches: 10, Stretches: []EpochStretch{{At: 0, Number: 1, Updates: 4}, {At: 8, Number: 3}}}, 13, map[int64]float64{7: 1.75, 8: 2, 12: 2.4}},
		{"one that goes on, longer than its loader", &EpochFacts{Batches: 10, Stretches: []EpochStretch{{Number: 1}}}, 20, map[int64]float64{10: 0.5, 19: 0.95}},
		{"data without a length", &EpochFacts{Stretches: []EpochStretch{{Number: 1}}}, 20, map[int64]float64{0: 0, 10: 0.5}},
		{"epochs without an update", &EpochFacts{Stretches: []EpochStretch{{At: 0, Number: 2, Updates: 1}, {At: 1, Number: 4, Updates: 1}}}, 2, map[int64]float64{0: 1, 1: 3}},
		{"lengths without order", &EpochFacts{Stretches: []EpochStretch{{At: 0, Number: 1, Updates: 4}, {At: 4, Number: 2, Updates: 6}}, Until: 10}, 20, map[int64]float64{9: 1 + 5.0/6, 10: 2, 15: 3}},
	} {
		before := math.Inf(-1)
		for update := range tt.updates {
			x := tt.of.Passed(update, tt.updates)
			if !(x > before) {
				t.Errorf("%s: update %d is at %g, the one before it at %g", tt.name, update, x, before)
			}
			before = x
			if e, ok := tt.of.Of(update); ok && int64(math.Floor(x))+1 != e.Number {
				t.Errorf("%s: update %d of epoch %d is at %g", tt.name, update, e.Number, x)
			}
			if want, ok := tt.want[update]; ok && math.Abs(x-want) > 1e-12 {
				t.Errorf("%s: update %d is at %g, want %g", tt.name, update, x, want)
			}
		}
	}
	for _, e := range []*EpochFacts{nil, {Total: 3}, {Stretches: []EpochStretch{{Number: 1}}}, {Batches: 10, Stretches: []EpochStretch{{Number: 1}}}} {
		if x := e.Passed(11, 0); !math.IsNaN(x) {
			t.Errorf("%+v: update 11 of a run that goes on is at %g", e, x)
		}
	}
}

// Steps are shown as people count them; findings keep their global step.
func TestClock(t *testing.T) {
	facts := json.RawMessage(`{"v":1,"epochs":{"batches":100,"stretches":[{"at":0,"number":1,"updates":100}]}}`)
	for _, tt := range []struct {
		name string
		run  *Run // nil: no clock
		f    Finding
		want string
	}{
		{"a step of training between evaluations", &Run{Steps: map[string]int64{"TRAIN": 1, "EVAL": 1}}, Finding{Step: 120, Mode: Train, ModeStep: 100}, "step 100"},
		{"of a later epoch", &Run{Facts: facts}, Finding{Step: 120, Mode: Train, ModeStep: 100}, "step 100 (epoch 2)"},
		{"the first epoch is not named", &Run{Facts: facts}, Finding{Step: 9, Mode: Train, ModeStep: 9}, "step 9"},
		{"an evaluation", &Run{Facts: facts}, Finding{Step: 212, Mode: Eval, ModeStep: 12}, "evaluation step 12 (after step 199, epoch 2)"},
		{"an evaluation before the first update", &Run{Facts: facts}, Finding{Step: 1, Mode: Eval, ModeStep: 1}, "evaluation step 1"},
		{"an evaluation beside predictions", &Run{Facts: facts, Steps: map[string]int64{"PREDICT": 3}}, Finding{Step: 212, Mode: Eval, ModeStep: 12}, "evaluation step 12"},
		{"a framework without modes", &Run{Steps: map[string]int64{"GLOBAL": 9}}, Finding{Step: 7, Mode: Global, ModeStep: 7}, "step 7"},
		{"before any step", &Run{Facts: facts}, Finding{Step: -1, ModeStep: -1}, "the start"},
		{"only the finding is known", nil, Finding{Step: 212, Mode: Eval, ModeStep: 12}, "evaluation step 12"},
	} {
		var c *Clock
		if tt.run != nil {
			c = tt.run.Clock()
		}
		if got := c.At(&tt.f); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestStepsText(t *testing.T) {
	for want, steps := range map[string]map[string]int64{
		"none":                             nil,
		"1 step":                           {"TRAIN": 1},
		"2,000 steps, 80 evaluation steps": {"TRAIN": 2000, "EVAL": 80},
		"5 steps, 1 prediction step":       {"GLOBAL": 5, "PREDICT": 1},
	} {
		if got := StepsText(steps); got != want {
			t.Errorf("%v: %q, want %q", steps, got, want)
		}
	}
}
