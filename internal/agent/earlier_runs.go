package agent

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/view"
)

const (
	earlierState = "earlier-runs" // says that the rules were told
	earlierRuns  = 5              // how many runs a run is compared with
	earlierLook  = 200            // how many are read to find them
	earlierSteps = 20             // updates that such a run made at least, and
	earlierTime  = 10             // the seconds that it trained
	// What a run is made of is known some seconds after its start. It is waited
	// for until this update.
	earlierWait = 20
)

// lookedBack is how far the look at earlier runs is. It belongs to the goroutine of
// the tick, and to the end of the run after it.
type lookedBack struct{ ready, told bool }

// lookBack tells the rules how earlier runs of the script were, once the training
// runs and is known well enough to find those that compare. At the end of the job it
// waits for nothing.
func (j *job) lookBack(ended bool) {
	e := &j.looked
	if !e.ready {
		e.ready = true
		if b, err := j.store.LoadState(earlierState); err == nil && len(b) > 0 {
			e.told = true
		}
	}
	if e.told {
		return
	}
	j.cmu.Lock()
	now := j.store.Run()
	now.Time, now.Facts = j.spent.sum.Clone(), j.counts.facts
	j.cmu.Unlock()
	p := now.Provenance
	complete := p != nil && p.Machine != nil && (p.Packages != nil || p.Git != nil && p.Python == nil)
	switch _, steps := trained(now.Time); {
	case steps == 0:
		return
	case steps >= earlierWait, ended:
	case steps <= autoNever, !complete: // facts come with the first steps
		return
	}
	e.told = true
	if runs := earlierOf(j.set.Dir, j.store.Path(), now); runs != nil {
		facts, err := json.Marshal(runs)
		if err != nil {
			j.logs.say("earlier runs cannot be given to the rules: %v", err)
			return
		}
		// A moment that the worker has passed: nothing is kept waiting.
		j.tellEvent(record.Event{Worker: now.Time.Worker, Kind: record.EarlierRunsEvent, Start: now.Time.Until, End: now.Time.Until, Facts: facts})
	}
	if err := j.store.SaveState(earlierState, []byte("{}")); err != nil {
		j.logs.say("it could not be stored that earlier runs were looked at: %v", err)
	}
}

// trained is how long a run trained in how many updates.
func trained(t *record.RunTime) (seconds float64, steps int64) {
	for _, mode := range []record.Mode{record.Train, record.Global} {
		if t != nil {
			seconds += t.Modes[mode.String()].Seconds.Seconds()
			steps += t.Modes[mode.String()].Steps
		}
	}
	return seconds, steps
}

// earlierOf finds the last runs below a root that a run can be compared with, and
// sums up how they were; nil where there are none.
func earlierOf(root, own string, now record.Run) *record.EarlierRuns {
	var last []record.Run
	var paths []string
	for _, path := range newestRuns(root) {
		if filepath.Base(path) == filepath.Base(own) {
			continue
		}
		if run, err := trial.Brief(path); err == nil && compares(run, now) {
			last, paths = append(last, run), append(paths, path)
		}
	}
	if len(last) == 0 {
		return nil
	}
	order := make([]int, len(last))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return last[b].Started.Compare(last[a].Started) })
	order = order[:min(len(order), earlierRuns)]
	b := &record.EarlierRuns{Runs: len(order), Parts: map[string]float64{}}
	var perStep []float64
	for _, i := range order {
		seconds, steps := trained(last[i].Time)
		perStep = append(perStep, seconds/float64(steps))
		b.Names = append(b.Names, last[i].Name)
	}
	b.PerStep, b.Most = median(perStep), slices.Max(perStep)
	for p := range record.StepParts {
		var of []float64
		for _, i := range order {
			t := last[i].Time
			_, steps := trained(t)
			of = append(of, (t.Modes[record.Train.String()].Parts[p.String()]+t.Modes[record.Global.String()].Parts[p.String()]).Seconds()/float64(steps))
		}
		if m := median(of); m > 0 {
			b.Parts[p.String()] = m
		}
	}
	newest := last[order[0]]
	b.Changed = view.Changed(newest, now, diffOf(paths[order[0]], newest), diffOf(own, now))
	b.Known = known(newest.Provenance) && known(now.Provenance)
	const most = 20
	b.Changed = b.Changed[:min(len(b.Changed), most)]
	return b
}

// known reports whether it is known what a run was made of.
func known(p *record.Provenance) bool {
	return p != nil && p.Git != nil && p.Machine != nil && (p.Python == nil || p.Packages != nil)
}

// newestRuns are the directories of the runs that were written last, newest first.
func newestRuns(root string) []string {
	dirs, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	type found struct {
		path string
		at   time.Time
	}
	var list []found
	for _, d := range dirs {
		path := filepath.Join(root, d.Name())
		if info, err := os.Stat(filepath.Join(path, layout.RunFile)); err == nil {
			list = append(list, found{path, info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.path, b.path)) })
	var paths []string
	for _, f := range list[:min(len(list), earlierLook)] {
		paths = append(paths, f.path)
	}
	return paths
}

// compares reports whether the steps of an earlier run take as long as those of this
// one, if nothing is wrong: the same script on the same machine with as many
// processes, parameters and samples a step.
func compares(run, now record.Run) bool {
	seconds, steps := trained(run.Time)
	if run.Status != record.Completed || seconds < earlierTime || steps < earlierSteps {
		return false
	}
	return run.Host == now.Host && run.Directory == now.Directory && program(run.Command) == program(now.Command) && run.Framework.Name == now.Framework.Name &&
		world(run) == world(now) && sameParameters(run, now) && sameBatch(run, now)
}

// program is what a command trains with.
func program(command []string) string {
	if s := Script(command); s != "" {
		return s
	}
	if len(command) > 0 {
		return command[0]
	}
	return ""
}

// world is how many processes train together.
func world(run record.Run) int {
	if len(run.Workers) == 0 {
		return 1
	}
	return max(1, run.Workers[0].World)
}

// sameParameters reports whether the models are of the same size, as far as that is known.
func sameParameters(a, b record.Run) bool {
	x, y := parameters(a), parameters(b)
	return x == y || x == 0 || y == 0
}

// parameters is how many parameters the models have; 0: not known.
func parameters(run record.Run) (n int64) {
	if f, err := run.KnownFacts(); err == nil && f != nil {
		for i := range f.Models {
			n += f.Models[i].Parameters
		}
	}
	return n
}

// sameBatch reports whether the steps of both runs take as many samples, as far as that
// is known: of the training's loader, and of the model's first input.
func sameBatch(a, b record.Run) bool {
	if a.Time != nil && b.Time != nil && a.Time.BatchSize > 0 && b.Time.BatchSize > 0 && a.Time.BatchSize != b.Time.BatchSize {
		return false
	}
	x, y := inputBatch(a), inputBatch(b)
	return x == y || x == 0 || y == 0
}

// inputBatch is the length of the first axis of a model's first input; 0: not known.
func inputBatch(run record.Run) int64 {
	if f, err := run.KnownFacts(); err == nil && f != nil && f.Inputs != nil && len(f.Inputs.Tensors) > 0 {
		if shape := f.Inputs.Tensors[0].Shape; len(shape) > 1 {
			return shape[0]
		}
	}
	return 0
}

// diffOf is what differed from the commit when a run was started; nil where nothing
// did or nothing is stored.
func diffOf(path string, run record.Run) []byte {
	if p := run.Provenance; p == nil || p.Git == nil || p.Git.Diff == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(path, layout.Diff))
	if err != nil {
		return nil
	}
	return b
}

// median is the middle one of some values, or the mean of the two in the middle.
func median(of []float64) float64 {
	s := slices.Sorted(slices.Values(of))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
