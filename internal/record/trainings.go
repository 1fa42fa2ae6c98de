package record

// TrainingFacts say where a further training of the process begins: an
// optimiser steps for the first time, for parameters that nobody trained before
// or that another one has trained for a while.
type TrainingFacts struct {
	At int64 `json:"at"`
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
			g.Framework, g.Trainings = f.Framework, f.Trainings
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

// trainingsName is the section that grows.
const trainingsName = "trainings"
