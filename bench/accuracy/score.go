package main

import (
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
)

// diagnosis is what `vigil findings --json` and `vigil check --json` say of a
// run, as far as it is scored.
type diagnosis struct {
	Findings []record.Finding `json:"findings"`
	Groups   []record.Group   `json:"groups"`
}

// verdict is how the diagnosis of one run compares with the program's header.
type verdict struct {
	Program Program
	Seed    int
	Failed  string // why the run cannot be scored; empty when it can
	NotRun  string // what the program needs and the interpreter has not

	Groups   []record.Group
	Findings []record.Finding // that nobody muted
	Alarms   []record.Finding
	First    string  // cause class of the first group; empty without an alarm
	Right    bool    // it is one of the program's
	Anywhere bool    // an alarm, in whatever place, has one of them
	Said     bool    // a finding of any severity has one of them
	At       float64 // place of the first alarm as a share of the run; NaN without one
}

// Alarmed reports whether there was an alarm.
func (v verdict) Alarmed() bool { return len(v.Alarms) > 0 }

// alarm reports whether a finding is one: a warning or an error that nobody muted.
func alarm(f record.Finding) bool {
	return !f.Muted && (f.Severity == record.Warning || f.Severity == record.Error)
}

// judge compares the diagnosis of a run that took steps (by mode) with what is
// known of the program.
func judge(p Program, seed int, d diagnosis, steps map[string]int64) verdict {
	v := verdict{Program: p, Seed: seed, Groups: d.Groups, At: math.NaN()}
	if steps[record.Train.String()] == 0 {
		v.Failed = "no TRAIN step was captured"
		return v
	}
	return v.compare(d, steps)
}

// compare puts into the verdict what the diagnosis is worth.
func (v verdict) compare(d diagnosis, steps map[string]int64) verdict {
	right := func(class string) bool { return slices.Contains(v.Program.Causes, class) }
	for _, f := range d.Findings {
		if f.Muted {
			continue
		}
		v.Findings = append(v.Findings, f)
		v.Said = v.Said || right(f.CauseClass)
		if !alarm(f) {
			continue
		}
		v.Alarms = append(v.Alarms, f)
		v.Anywhere = v.Anywhere || right(f.CauseClass)
		if at := place(f, steps); !(v.At <= at) {
			v.At = at
		}
	}
	for _, g := range d.Groups {
		if alarm(g.Root) {
			v.First = g.CauseClass
			v.Right = right(g.CauseClass)
			break
		}
	}
	return v
}

// place is where in the run a finding came, 0 to 1: by TRAIN steps, or for a
// finding of another mode by steps of all modes.
func place(f record.Finding, steps map[string]int64) float64 {
	step, all := f.ModeStep, steps[record.Train.String()]
	if f.Mode != record.Train {
		step, all = f.Step, 0
		for mode, n := range steps {
			if mode != record.Global.String() {
				all += n
			}
		}
	}
	return min(1, float64(step)/float64(all))
}

// tally counts the verdicts of a set of runs.
type tally struct {
	programs, runs                  int
	alarmed, right, anywhere, clean int
	at                              []float64
}

// count sums up verdicts; runs that failed are left out.
func count(list []verdict) tally {
	var t tally
	programs := map[string]bool{}
	for _, v := range list {
		if v.Failed != "" || v.NotRun != "" {
			continue
		}
		programs[v.Program.Path] = true
		t.runs++
		if v.Alarmed() {
			t.alarmed++
			t.at = append(t.at, v.At)
		} else {
			t.clean++
		}
		if v.Right {
			t.right++
		}
		if v.Anywhere {
			t.anywhere++
		}
	}
	t.programs = len(programs)
	return t
}

func (t tally) share(n int) proportion {
	if t.runs == 0 {
		return wilson(math.NaN(), 0)
	}
	return wilson(float64(n)/float64(t.runs), t.programs)
}

// median place of the first alarm in the runs that have one.
func (t tally) median() float64 {
	if len(t.at) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(t.at))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
