package record

// TrainingFacts say where a further training of the process begins: an
// optimiser steps for the first time, for parameters that nobody trained before,
// and none of those before it steps again. So does a further phase of a training.
type TrainingFacts struct {
	At     int64 `json:"at"`
	Update int64 `json:"update,omitempty"` // TRAIN step that it begins with
	// Phase: the optimiser is for weights that another one has trained for a while,
	// or for others of the same model, or one from before has stepped again. The
	// training is the one before.
	Phase     bool            `json:"phase,omitempty"`
	Optimiser *OptimiserFacts `json:"optimiser,omitempty"` // the first of it, as it began
	// Facts are what was seen of this training; nil when it was not looked at,
	// empty when that is still under way.
	Facts *Facts `json:"facts,omitempty" empty:"allowed"`
}

// present gives a copy of the facts of the training that is under way at a
// global step: those of the last one that was looked at.
func (f *Facts) present(step int64) *Facts {
	g := *f
	for i := f.Begun(step) - 1; i >= 0; i-- {
		if later := f.Trainings[i].Facts; later != nil {
			g = *later
			g.Framework, g.Trainings, g.Epochs = f.Framework, f.Trainings, f.Epochs
			break
		}
	}
	return &g
}

// Begun counts the trainings that have begun before a global step or with it,
// besides the first.
func (f *Facts) Begun(step int64) int {
	n := 0
	for n < len(f.Trainings) && f.Trainings[n].At <= step {
		n++
	}
	return n
}

// TrainingStart is where a further training of a process begins.
type TrainingStart struct {
	Step   int64 `json:"step"` // global
	Update int64 `json:"update"`
}

// Starts are where trainings begin, besides the first; a phase of one is none.
func (f *Facts) Starts() []TrainingStart {
	var out []TrainingStart
	if f == nil {
		return nil
	}
	for i := range f.Trainings {
		if t := &f.Trainings[i]; !t.Phase {
			out = append(out, TrainingStart{t.At, t.Update})
		}
	}
	return out
}

// Begins is what is known of how a training begins, by its place among the Starts.
func (f *Facts) Begins(i int) *TrainingFacts {
	for k := range f.Trainings {
		if f.Trainings[k].Phase {
			continue
		}
		if i == 0 {
			return &f.Trainings[k]
		}
		i--
	}
	return &TrainingFacts{}
}

// Training numbers the training that a global step is of, counted from 1.
func (f *Facts) Training(step int64) int {
	n := 1
	for _, s := range f.Starts() {
		if s.Step <= step {
			n++
		}
	}
	return n
}

// trainingsName is the section that grows.
const trainingsName = "trainings"
