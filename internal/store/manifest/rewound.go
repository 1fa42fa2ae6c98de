package manifest

import "github.com/vigil-ml/vigil/internal/record"

// Rewound says that the run went back to an earlier step, since its job was
// started again from a checkpoint: what stood in the journals up to then beyond
// that step does not count any more. Nothing of it is removed from them.
type Rewound struct {
	Number int `json:"number"` // within the run, from 1
	// Step is the first global step, Modes the first step of each mode, that
	// does not count. A mode that is not named keeps all its steps.
	Step  int64            `json:"step"`
	Modes map[string]int64 `json:"modes"`
	// Journals are the series that there were, each with the number of its
	// first journal that came afterwards and counts as a whole.
	Journals map[string]int `json:"journals"`
	// Done says, in a second line with the same number, that the raw tensors
	// and the findings beyond the step are gone, too.
	Done bool `json:"done,omitempty"`
}

// Hides reports whether a step in a journal, or in the tables that it became,
// does not count any more.
func (r *Rewound) Hides(series string, journal int, mode record.Mode, modeStep int64) bool {
	least, some := r.From(series, journal, mode)
	return some && modeStep >= least
}

// From is the first step of a mode in a journal that does not count any more;
// false when all do.
func (r *Rewound) From(series string, journal int, mode record.Mode) (modeStep int64, some bool) {
	if first, there := r.Journals[series]; !there || journal >= first {
		return 0, false
	}
	modeStep, some = r.Modes[mode.String()]
	return modeStep, some
}
