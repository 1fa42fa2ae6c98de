package profile

import (
	"encoding/json"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// shortest is the length from which on an evaluation between two updates is an
// event: a training may evaluate at every step.
const shortest = 100 * time.Millisecond

// phases are those of the whole job.
type phases struct {
	started bool      // the first update was seen
	from    time.Time // the end of the first step
	last    time.Time // the end of the last one
	step    int64     // global number of the last one
}

type evaluation struct {
	from, to time.Time
	step     int64
	steps    int64
}

// startUp are the facts of the phase that ends with the first step.
type startUp struct {
	Imports   float64 `json:"imports_seconds"` // until PyTorch was imported
	Data      float64 `json:"data_seconds"`    // waiting for the first batch
	FirstStep float64 `json:"first_step_seconds"`
}

type evaluated struct {
	Steps int64 `json:"steps"`
}

// trained looks at a step that has closed.
func (w *Worker) trained(row *record.StepTime) {
	p := &w.phases
	p.last, p.step = row.End, row.Step
	if p.started || row.Mode.Evaluates() {
		return
	}
	p.started = true
	if !w.whole { // an earlier agent has told of the beginning
		p.from = row.Start
		return
	}
	p.from = row.End
	from, zero := w.born, w.time(0)
	if from.IsZero() || from.After(zero) {
		from = zero
	}
	f := startUp{zero.Sub(from).Seconds(), time.Duration(row.Parts[record.WaitForData]).Seconds(), time.Duration(row.Longest).Seconds()}
	w.event(record.PhaseEvent, record.StartUpPhase, from, row.End, 0, f)
}

// evaluated looks at a step that has closed.
func (w *Worker) evaluated(row *record.StepTime) {
	e := &w.eval
	if !row.Mode.Evaluates() {
		w.evaluationEnds()
		return
	}
	if e.steps == 0 {
		e.from, e.step = w.asked(row), row.Step
	}
	e.to = row.End
	e.steps++
}

// asked is when a step's first batch was asked for: what was saved before is no
// part of an evaluation.
func (w *Worker) asked(row *record.StepTime) time.Time {
	at := w.start + row.Gap
	for i := len(w.spans) - 1; i >= 0 && w.spans[i].part != record.SaveCheckpoint; i-- {
		if s := w.spans[i]; s.part == record.WaitForData && s.from < at {
			at = s.from
		}
	}
	return w.time(at)
}

func (w *Worker) evaluationEnds() {
	if e := w.eval; e.steps > 0 && e.to.Sub(e.from) >= shortest {
		w.event(record.EvaluationEvent, "", e.from, e.to, e.step, evaluated{e.steps})
	}
	w.eval = evaluation{}
}

// loader tells of a pass of a loader, which gave its first batch.
func (w *Worker) loader(m Mark, at int64) {
	f, ok := w.loaders[m.Loader]
	if !ok || w.passes >= maxPasses {
		return
	}
	w.passes++
	w.event(record.LoaderEvent, "", w.time(min(m.Asked, at)), w.time(at), w.phases.step, f)
}

// compiled reports how the compiler stands.
func (w *Worker) compiled() {
	if w.compiler != nil && w.wall != 0 { // else nothing says when
		w.event(record.CompilerEvent, "", w.time(w.last), w.time(w.last), w.phases.step, w.compiler)
		w.compiler = nil
	}
}

// End says that the process has ended: what is known of its phases by now.
func (w *Worker) End(at time.Time) []record.Event {
	w.rows = Rows{}
	w.evaluationEnds()
	w.compiled()
	if p := w.phases; p.started {
		w.event(record.PhaseEvent, record.TrainingPhase, p.from, p.last, p.step, nil)
		if at.After(p.last) {
			w.event(record.PhaseEvent, record.FinishingPhase, p.last, at, p.step, nil)
		}
	}
	return w.rows.Events
}

func (w *Worker) event(kind, name string, from, to time.Time, step int64, facts any) {
	e := record.Event{Worker: w.name, Kind: kind, Name: name, Start: from, End: to, Step: step}
	if facts != nil {
		e.Facts, _ = json.Marshal(facts) // of numbers, or JSON that was decoded
	}
	w.rows.Events = append(w.rows.Events, e)
}
