package server

import (
	"bytes"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// grown are the series that are asked for and have new values. What these are, and
// where they are on an axis, is answered by a reading of the series.
func (w *runWatch) grown(run *record.Run) map[string]bool {
	if w.tail == nil {
		return nil
	}
	g := growth{of: map[string][]wanted{}, out: map[string]bool{}, evaluated: w.evaluated, trains: run.Steps[record.Train.String()] > 0}
	moved := w.foundEpochs(run)
	var parts []wanted
	for _, s := range w.t.wanted() {
		if moved { // what was drawn is elsewhere on the axis
			g.out[s.text] = true
		}
		if isPart(s.tensor) {
			parts = append(parts, s)
			continue
		}
		g.of[s.tensor] = append(g.of[s.tensor], s)
	}
	err := w.tail.Next(func(c *record.Complete) error {
		mode := c.Mode.String()
		w.steps[mode] = max(w.steps[mode], c.ModeStep+1)
		g.take(c)
		return nil
	})
	if err != nil { // named as damage; the next look tries again
		return nil
	}
	if run.Status != record.Running {
		g.evaluationsEnd()
	}
	w.timed(run, parts, g.out)
	return g.out
}

// foundEpochs takes in what is known of the epochs, and reports whether the last update
// is elsewhere in them than it seemed.
func (w *runWatch) foundEpochs(run *record.Run) (moved bool) {
	if bytes.Equal(w.facts, run.Facts) {
		return false
	}
	w.facts = slices.Clone(run.Facts)
	before := w.epochs
	w.epochs = run.Clock().Epochs
	last := w.steps[record.Train.String()] - 1
	return before != nil && last >= 0 && before.Passed(last, 0) != w.epochs.Passed(last, 0)
}

// growth collects which series have grown.
type growth struct {
	of        map[string][]wanted // by tensor
	out       map[string]bool
	evaluated map[string]bool // series of evaluations that are not over
	trains    bool            // there are steps of training
}

// take notes which series a step has values of. An evaluation is one point, which is
// there once training goes on.
func (g *growth) take(c *record.Complete) {
	if c.Mode == record.Train || c.Mode == record.Global && !g.trains {
		g.evaluationsEnd()
	}
	if len(g.of) == 0 {
		return
	}
	note := func(tensor string) {
		for _, s := range g.of[tensor] {
			switch {
			case !s.any && s.mode != c.Mode:
			case c.Mode.Evaluates():
				g.evaluated[s.text] = true
			default:
				g.out[s.text] = true
			}
		}
	}
	for _, part := range c.Parts {
		for i := range part.Scalars {
			note(part.Scalars[i].Name)
		}
		for i := range part.Stats {
			note(part.Stats[i].Tensor)
		}
		for i := range part.Derived {
			note(part.Derived[i].Tensor)
		}
	}
}

func (g *growth) evaluationsEnd() {
	for text := range g.evaluated {
		g.out[text] = true
	}
	clear(g.evaluated)
}

func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func isPart(tensor string) bool {
	if tensor == record.TimeSeries {
		return true
	}
	for p := range record.StepParts {
		if p.Series() == tensor {
			return true
		}
	}
	return false
}

// timed adds the parts of steps that have new values.
func (w *runWatch) timed(run *record.Run, asked []wanted, out map[string]bool) {
	by := map[string][]wanted{}
	for _, s := range asked {
		by[s.worker] = append(by[s.worker], s)
	}
	for worker, list := range by {
		since, known := w.times[worker]
		if !known && run.Time != nil {
			since = run.Time.Until
		}
		w.times[worker] = since
		_ = w.live.Times(worker, since, time.Time{}, func(row *record.StepTime) error {
			w.times[worker] = row.End
			for _, s := range list {
				if s.any || s.mode == row.Mode {
					out[s.text] = true
				}
			}
			return nil
		})
	}
}
