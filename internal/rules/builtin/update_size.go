package builtin

import (
	"github.com/vigil-ml/vigil/rule"
)

// updateSteps are the mode steps at which the size of single updates is looked
// at: pairs of steps that follow each other, further and further apart, so
// that a long training costs no more than a short one.
var updateSteps = []int64{1, 2, 10, 11, 30, 31, 60, 61, 100, 101, 150, 151, 200, 201, 300, 301}

// singleUpdates is the schedule of those steps.
func singleUpdates() rule.Schedule {
	var s rule.Schedule
	for m := range s {
		s[m].Off = true
	}
	s[rule.Train].Steps, s[rule.Global].Steps = updateSteps, updateSteps
	return s
}

// updatesNeed asks for the change of the weights by single updates.
func updatesNeed() rule.Need {
	return rule.Need{Selector: rule.Selector{Collections: []string{"weights"}}, Schedule: singleUpdates(), Want: rule.WantStats, Pairs: []rule.Pair{{Lag: 1}}}
}

// updatesKey finds what updatesNeed asked for.
var updatesKey = rule.Pair{Lag: 1}.Key(singleUpdates())
