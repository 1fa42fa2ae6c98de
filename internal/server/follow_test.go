package server

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/view"
)

// A curve that is followed while the run goes on, in any cuts, is the one that is read at
// the end: on each axis, of training and of evaluation.
func TestCurvesThatAreFollowed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		job := newJob(t, t.TempDir(), "a")
		defer job.Close()
		facts := `{"v":1,"epochs":{"batches":4,"stretches":[{"at":0,"number":1,"updates":0}]}}`
		job.ok(job.UpdateRun(func(run *record.Run) { run.Facts = json.RawMessage(facts) }))
		run, err := trial.Open(job.Path())
		job.ok(err)
		defer run.Close()
		var curves []*followed
		for _, axis := range []view.Axis{view.ByStep, view.ByUpdate, view.ByTime, view.ByAge, view.ByEpoch} {
			for _, mode := range []string{"TRAIN", "EVAL"} {
				curves = append(curves, &followed{ask: view.Ask{Tensor: "loss", Mode: mode}, axis: axis})
			}
		}
		evaluated := int64(0)
		for range rapid.IntRange(1, 12).Draw(r, "pieces") {
			switch rapid.IntRange(0, 3).Draw(r, "what") {
			case 0, 1:
				job.steps(rapid.IntRange(1, 40).Draw(r, "steps"))
			case 2:
				for range rapid.IntRange(1, 3).Draw(r, "batches") {
					loss := rapid.Float64Range(0, 9).Draw(r, "loss")
					s := &record.Step{Worker: "worker_0", Step: job.step, Mode: record.Eval, ModeStep: evaluated, Time: time.Now().UTC(), Scalars: []record.Scalar{{Name: "loss", Value: loss}}}
					job.ok(job.Append("worker_0", "sworker_0", uint64(job.step+1), s))
					job.ok(job.Complete(&record.Complete{Step: job.step, Mode: record.Eval, ModeStep: evaluated, Time: s.Time, Parts: []*record.Step{s}}))
					job.step++
					evaluated++
				}
			default:
				if rapid.Bool().Draw(r, "follow") {
					for _, c := range curves {
						c.follow(run)
					}
				}
			}
		}
		for _, c := range curves {
			c.follow(run)
			x, y := c.joined()
			whole := c.read(run, math.NaN())
			if !slices.Equal(x, whole.X) || !slices.EqualFunc(y, whole.Mean, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
				r.Fatalf("%v by %s: %v %v, and at the end %v %v", c.ask, c.axis, x, y, whole.X, whole.Mean)
			}
		}
	})
}

// followed is a curve as web/app/pages/curves/live.js follows it.
type followed struct {
	ask        view.Ask
	axis       view.Axis
	base, part view.Line
}

func (c *followed) read(run *trial.Trial, from float64) view.Line {
	return view.Lines(run, []view.Ask{c.ask}, view.Frame{Axis: c.axis, From: from, To: math.NaN(), Columns: 1600})[0]
}

func (c *followed) follow(run *trial.Trial) {
	if len(c.base.X) <= 16 || c.axis == view.ByEpoch {
		c.base, c.part = c.read(run, math.NaN()), view.Line{}
		return
	}
	c.part = c.read(run, c.base.X[len(c.base.X)-1])
}

func (c *followed) joined() (x, y []float64) {
	x, y = c.base.X, c.base.Mean
	if len(c.part.X) == 0 || len(x) == 0 {
		return x, y
	}
	if end := x[len(x)-1]; c.part.X[0] == end {
		x, y = x[:len(x)-1], y[:len(y)-1]
	} else if c.part.X[0] < end {
		panic(fmt.Sprintf("asked from %v, got %v", end, c.part.X))
	}
	return slices.Concat(x, c.part.X), slices.Concat(y, c.part.Mean)
}
