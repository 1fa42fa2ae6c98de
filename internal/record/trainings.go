package record

// TrainingFacts say where a further training of the process begins: an
// optimiser steps for the first time, for parameters that nobody trained before
// or that another one has trained for a while.
type TrainingFacts struct {
	At int64 `json:"at"`
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
