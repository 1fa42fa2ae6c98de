package live

import "github.com/vigil-ml/vigil/internal/record"

// Turn is how a finding is shown while a job runs.
type Turn int

// Turns of findings of one check: the first is shown in full, the next few of
// other subjects by what they say, and others are counted.
const (
	First Turn = iota
	Further
	Again
)

// further is how many findings of one check are shown.
const further = 3

// Turns reports how each finding of a run is to be shown, in the order in which
// they come.
type Turns struct {
	subjects map[string]map[string]bool // by configuration and check
}

// Next is the turn of a finding.
func (t *Turns) Next(f *record.Finding) Turn {
	if t.subjects == nil {
		t.subjects = map[string]map[string]bool{}
	}
	kind := kindOf(f)
	known := t.subjects[kind]
	switch {
	case known == nil:
		t.subjects[kind] = map[string]bool{f.Subject: true}
		return First
	case known[f.Subject] || len(known) >= further:
		return Again
	}
	known[f.Subject] = true
	return Further
}

func kindOf(f *record.Finding) string { return f.Rule + "\x00" + f.Configuration + "\x00" + f.Check }
