package record

import (
	"encoding/json"
	"fmt"
	"testing"
)

// three trainings of 50, 60 and 70 updates with epochs of 10, each update followed by
// an evaluation; the second has two phases.
const three = `{"v": 1, "framework": "pytorch",
	"epochs": {"batches": 10, "stretches": [{"at": 0, "number": 1, "updates": 10}]},
	"trainings": [{"at": 100, "update": 50}, {"at": 180, "update": 90, "phase": true}, {"at": 220, "update": 110}]}`

// A finding names its training, and the epoch of that one. How many trainings there are
// is said when no more can come.
func TestFindingsNameTheirTraining(t *testing.T) {
	run := Run{Status: Completed, Facts: json.RawMessage(three), Steps: map[string]int64{"TRAIN": 180, "EVAL": 180}}
	over, live := run.Clock(), run.Clock()
	live.Over = false
	for _, tt := range []struct {
		f    Finding
		want string // of the run that is over
		live string
	}{
		{Finding{Mode: Train, Step: 4, ModeStep: 2}, "step 2 (training 1 of 3)", "step 2 (training 1)"},
		{Finding{Mode: Train, Step: 98, ModeStep: 49}, "step 49 (training 1 of 3, epoch 5)", "step 49 (training 1, epoch 5)"},
		{Finding{Mode: Train, Step: 100, ModeStep: 50}, "step 50 (training 2 of 3)", "step 50 (training 2)"},
		{Finding{Mode: Train, Step: 190, ModeStep: 95}, "step 95 (training 2 of 3, epoch 5)", "step 95 (training 2, epoch 5)"},
		{Finding{Mode: Eval, Step: 359, ModeStep: 179}, "evaluation step 179 (after step 179, training 3 of 3, epoch 7)", "evaluation step 179 (after step 179, training 3, epoch 7)"},
		{Finding{Mode: Train, Step: -1, ModeStep: -1}, "the start (training 1 of 3)", "the start (training 1)"},
	} {
		if got := over.At(&tt.f); got != tt.want {
			t.Errorf("over: %q, want %q", got, tt.want)
		}
		if got := live.At(&tt.f); got != tt.live {
			t.Errorf("live: %q, want %q", got, tt.live)
		}
	}
}

// That what was taken for a training is a phase may show after it was kept. Nothing else
// of the entry changes, and no phase becomes a training.
func TestAPhaseIsKnownLater(t *testing.T) {
	entry := func(at int, more string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"v": 1, "trainings": [{"at": %d, "update": 9%s}]}`, at, more))
	}
	kept, f, err := SettleFacts(entry(12, ""), nil, 15)
	if err != nil || len(f.Starts()) != 1 {
		t.Fatal(f, err)
	}
	for _, more := range []string{`, "phase": true`, ""} {
		if kept, f, err = SettleFacts(entry(12, more), kept, 40); err != nil {
			t.Fatal(err)
		}
		if e := f.Trainings[0]; e.At != 15 || e.Update != 9 || !e.Phase || f.Training(20) != 1 {
			t.Errorf("with %q: %+v", more, e)
		}
	}
}
