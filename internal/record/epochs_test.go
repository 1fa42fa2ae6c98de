package record

import (
	"encoding/json"
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
		{"longer than its loader", &EpochFacts{Batches: 100, Stretches: []EpochStretch{{Number: 1}}}, 100, Epoch{}},
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
