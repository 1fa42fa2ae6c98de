package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// withFacts is a run of which other facts are known.
type withFacts struct {
	asStored
	facts string
}

type asStored = source.Run

func (r withFacts) Run() record.Run {
	run := r.asStored.Run()
	run.Facts = json.RawMessage(r.facts)
	return run
}

// The axis of epochs has the points that the axis of steps has, in their order,
// whatever is known of the epochs.
func TestNoPointIsLeftOutOfTheAxisOfEpochs(t *testing.T) {
	for _, epochs := range []string{
		`{"batches":40,"stretches":[{"at":0,"number":1,"updates":40}]}`,
		`{"batches":40,"stretches":[{"at":0,"number":1,"updates":0}]}`,
		`{"batches":0,"stretches":[{"at":0,"number":1,"updates":0}]}`,
		`{"batches":0,"stretches":[{"at":17,"number":1,"updates":0}]}`,
		`{"batches":9,"stretches":[{"at":3,"number":1,"updates":9},{"at":35,"number":5,"updates":2},{"at":61,"number":19,"updates":0}]}`,
		`{"batches":9,"stretches":[{"at":0,"number":1,"updates":9}],"until":27}`,
	} {
		r := withFacts{theRun(t), `{"v":1,"epochs":` + epochs + `}`}
		read := func(axis Axis, mode string) Line {
			l := Lines(r, []Ask{{Tensor: "loss", Mode: mode}}, Frame{Axis: axis, From: none, To: none, Columns: 100})[0]
			if l.Err != nil {
				t.Fatalf("%s: %v", epochs, l.Err)
			}
			return l
		}
		steps, placed := read(ByStep, "TRAIN"), read(ByEpoch, "TRAIN")
		if len(placed.X) != len(steps.X) || placed.Points != steps.Points || fmt.Sprint(placed.Mean) != fmt.Sprint(steps.Mean) || !slices.IsSorted(placed.X) {
			t.Errorf("%s: %d of %d points, at %v", epochs, len(placed.X), len(steps.X), placed.X)
		}
		updates, evaluated := read(ByUpdate, "EVAL"), read(ByEpoch, "EVAL")
		if len(evaluated.X) != len(updates.X) || fmt.Sprint(evaluated.Mean) != fmt.Sprint(updates.Mean) || !slices.IsSorted(evaluated.X) {
			t.Errorf("%s: %d of %d evaluations, at %v", epochs, len(evaluated.X), len(updates.X), evaluated.X)
		}
	}
}
