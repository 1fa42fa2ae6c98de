package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// otherTrials is the parameter that names other runs.
var otherTrials = rule.Parameter{
	Name: "other_trials", Type: rule.List, Optional: true, Aliases: []string{"other_trial"}, Numbered: "other_trial_",
	Meaning: "runs to compare with: names below the root of this run, or paths",
}

// otherRun is another run with what was read of it. What is read is not part
// of a rule's state: it can be read again.
type otherRun struct {
	name    string
	trial   rule.Trial
	running bool     // at the last look
	looks   int      // a series is read at most once for each
	workers []string // the chief first
	series  map[otherSeries]*readSeries
}

type otherSeries struct {
	tensor, stat, worker string
	mode                 rule.Mode
}

// readSeries is a series as far as it was read.
type readSeries struct {
	values map[int64]float64
	next   int64 // mode step to read from
	look   int   // at which it was read
	whole  bool  // no more will come
}

// openOthers opens all runs of a list.
func openOthers(names []string, open func(string) (rule.Trial, error)) ([]*otherRun, error) {
	var out []*otherRun
	for _, n := range names {
		t, err := open(n)
		if err != nil {
			return nil, fmt.Errorf("open other run %q: %w", n, err)
		}
		o := &otherRun{name: n, trial: t, series: map[otherSeries]*readSeries{}}
		o.look()
		out = append(out, o)
	}
	return out, nil
}

// look asks whether the run still goes on. What has come since is read when it
// is asked for.
func (o *otherRun) look() {
	o.looks++
	o.running = o.trial.Running()
	o.workers = o.trial.Workers()
}

// worker is whom to compare a worker with: the one of that name, or the chief
// with the chief.
func (o *otherRun) worker(name string, chief bool) (string, bool) {
	if slices.Contains(o.workers, name) {
		return name, true
	}
	if chief && len(o.workers) > 0 {
		return o.workers[0], true
	}
	return "", false
}

// at gives one statistic at one mode step.
func (o *otherRun) at(tensor, stat string, mode rule.Mode, worker string, modeStep int64) (float64, bool) {
	k := otherSeries{tensor, stat, worker, mode}
	s := o.series[k]
	if s == nil {
		s = &readSeries{values: map[int64]float64{}}
		o.series[k] = s
	}
	if x, ok := s.values[modeStep]; ok || s.whole || s.look == o.looks {
		return x, ok
	}
	s.look = o.looks
	running := o.running
	steps, values, err := o.trial.Series(tensor, stat, mode, worker, s.next)
	if err != nil {
		return 0, false
	}
	for i, n := range steps {
		s.values[n] = values[i]
		s.next = max(s.next, n+1)
	}
	s.whole = !running
	x, ok := s.values[modeStep]
	return x, ok
}
