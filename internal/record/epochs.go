package record

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// EpochFacts say at which updates the epochs of a training begin: passes of the
// loader that trains. The epoch of an update is given by the last of the stretches
// that begins at it, or before it.
type EpochFacts struct {
	Batches   int64          `json:"batches,omitempty"` // of one pass of the last loader whose passes are epochs; 0 where its data does not tell
	Stretches []EpochStretch `json:"stretches,omitempty"`
	Until     int64          `json:"until,omitempty"` // from this update on the epochs are not known; 0: they are
	Total     int64          `json:"total,omitempty"` // updates of the whole training, where a trainer told it
}

// EpochStretch are epochs of one length.
type EpochStretch struct {
	At      int64 `json:"at"`      // TRAIN step at which the first of them begins
	Number  int64 `json:"number"`  // of the first, counted from 1
	Updates int64 `json:"updates"` // in each; 0 where that is not known yet
}

// Epoch is one epoch.
type Epoch struct {
	Number  int64
	Begins  int64 // TRAIN step
	Updates int64 // 0 where that is not known
}

// Of is the epoch that a TRAIN step is in; false where that is not known.
func (e *EpochFacts) Of(step int64) (Epoch, bool) {
	if e == nil || step < 0 || e.Until > 0 && step >= e.Until {
		return Epoch{}, false
	}
	for i := len(e.Stretches) - 1; i >= 0; i-- {
		s := e.Stretches[i]
		if step < s.At {
			continue
		}
		past := step - s.At
		if s.Updates > 0 {
			n := past / s.Updates
			return Epoch{s.Number + n, s.At + n*s.Updates, s.Updates}, true
		}
		return Epoch{s.Number, s.At, 0}, true
	}
	return Epoch{}, false
}

// Passed is how many epochs have passed before an update, with a part of the one that
// it is in; NaN where the length of that one is not known. updates are those that the
// run has made, 0 where that does not help. Updates before the first epoch are
// between -1 and 0. Where the epochs are not known any more, they go on as long as
// they were on average.
func (e *EpochFacts) Passed(update, updates int64) float64 {
	if e == nil || len(e.Stretches) == 0 {
		return math.NaN()
	}
	if first := e.Stretches[0].At; update < first {
		return float64(update-first) / float64(first)
	}
	if e.Until > 0 && update >= e.Until {
		last, known := e.Of(e.Until - 1)
		if !known {
			return math.NaN()
		}
		each := float64(e.Until-e.Stretches[0].At) / float64(last.Number)
		return float64(last.Number) + float64(update-e.Until)/each
	}
	now, _ := e.Of(update)
	length := now.Updates
	if length == 0 {
		length = e.Batches
		if updates > 0 {
			length = max(length, updates-now.Begins)
		}
	}
	if length == 0 || now.Updates == 0 && update-now.Begins > length {
		return math.NaN()
	}
	return float64(now.Number-1) + float64(update-now.Begins)/float64(length)
}

// Clock reports where in a training its steps are, for people: they count
// updates, and evaluation apart.
type Clock struct {
	Epochs *EpochFacts `json:"epochs,omitempty"`
	// Trainings are where those after the first begin, of a process that does one
	// after the other.
	Trainings []TrainingStart `json:"trainings,omitempty"`
	// Over: no further one is to come.
	Over bool `json:"over,omitempty"`
	// Apart says that every global step is one of TRAIN or of EVAL, so that it
	// tells after how many updates an evaluation was.
	Apart bool `json:"apart,omitempty"`
}

// Clock is that of the run, from what is stored of it.
func (r *Run) Clock() *Clock {
	c := &Clock{Apart: r.Steps[Predict.String()] == 0 && r.Steps[Global.String()] == 0, Over: r.Status != "" && r.Status != Running}
	if f, err := r.KnownFacts(); err == nil && f != nil {
		c.Epochs, c.Trainings = f.Epochs, f.Starts()
	}
	return c
}

// Training is the line that says what was understood of a training; of several in one
// process that is the first.
func (r *Run) Training() string {
	if n := len(r.Clock().Trainings); n > 0 && r.Said != "" {
		return fmt.Sprintf("%s (the first of %d trainings)", r.Said, n+1)
	}
	return r.Said
}

// Epoch is the epoch of its training that an update is in; false where that is not
// known.
func (c *Clock) Epoch(update int64) (Epoch, bool) {
	if c == nil {
		return Epoch{}, false
	}
	e, ok := c.Epochs.Of(update)
	for _, t := range slices.Backward(c.Trainings) {
		if t.Update > update {
			continue
		}
		if first, known := c.Epochs.Of(t.Update); known {
			e.Number -= first.Number - 1
		}
		break
	}
	return e, ok
}

// training names the training that a global step is of: "training 3 of 5", without
// their number while more may come; "" where there is only one.
func (c *Clock) training(step int64) string {
	if len(c.Trainings) == 0 {
		return ""
	}
	n := 1
	for _, t := range c.Trainings {
		if t.Step <= step {
			n++
		}
	}
	if !c.Over {
		return fmt.Sprintf("training %d", n)
	}
	return fmt.Sprintf("training %d of %d", n, len(c.Trainings)+1)
}

// Update is the TRAIN step that is about to be made, or was made last, at a
// step; false where that is not known. It is that step itself in training.
func (c *Clock) Update(global int64, mode Mode, step int64) (int64, bool) {
	switch {
	case mode == Train:
		return step, true
	case c == nil || !c.Apart || mode != Eval:
		return 0, false
	}
	return max(global-step-1, -1), true
}

// At says at which step a finding is: "step 299 (epoch 3)", "evaluation step 12
// (after step 299, epoch 3)", "step 299 (training 2 of 5, epoch 3)". The first epoch
// is not named. Steps are counted through all trainings. A nil clock knows the step
// alone.
func (c *Clock) At(f *Finding) string {
	text := f.At()
	if c == nil {
		return text
	}
	var more []string
	update, known := c.Update(f.Step, f.Mode, f.ModeStep)
	known = known && update >= 0
	if known && f.Mode != Train {
		more = append(more, fmt.Sprintf("after step %d", update))
	}
	if training := c.training(f.Step); training != "" {
		more = append(more, training)
	}
	if e, ok := c.Epoch(update); known && ok && e.Number > 1 {
		more = append(more, fmt.Sprintf("epoch %d", e.Number))
	}
	if len(more) == 0 {
		return text
	}
	return text + " (" + strings.Join(more, ", ") + ")"
}

// At says at which step of its mode a finding is: "step 299", "evaluation step 12".
func (f *Finding) At() string { return StepText(f.Mode, f.Step, f.ModeStep) }

// StepText names a step for people: a number of updates, or of steps of evaluation or prediction.
func StepText(mode Mode, global, step int64) string {
	switch {
	case global < 0 || step < 0:
		return "the start"
	case mode == Eval:
		return fmt.Sprintf("evaluation step %d", step)
	case mode == Predict:
		return fmt.Sprintf("prediction step %d", step)
	case mode == Global: // of a framework that knows no modes
		return fmt.Sprintf("step %d", global)
	}
	return fmt.Sprintf("step %d", step)
}

// StepsText counts steps, those of evaluation apart: "2,000 steps, 80
// evaluation steps"; "none".
func StepsText(steps map[string]int64) string {
	var parts []string
	for _, m := range []struct {
		mode Mode
		word string
	}{{Train, ""}, {Global, ""}, {Eval, "evaluation "}, {Predict, "prediction "}} {
		switch n := steps[m.mode.String()]; {
		case n == 1:
			parts = append(parts, "1 "+m.word+"step")
		case n > 0:
			parts = append(parts, grouped(strconv.FormatInt(n, 10))+" "+m.word+"steps")
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
