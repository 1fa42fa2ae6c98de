package trial

import (
	"math"
	"path"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// Modes are those in which there are steps.
func (t *Trial) Modes() []record.Mode {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	var list []record.Mode
	for m := range record.Global + 1 {
		if slices.ContainsFunc(t.all(), func(s *series) bool {
			return slices.ContainsFunc(s.numbers(), func(n int) bool { return t.hasMode(s, n, m) })
		}) {
			list = append(list, m)
		}
	}
	return list
}

// hasMode reports whether a chunk or journal holds a step of a mode that counts.
func (t *Trial) hasMode(s *series, n int, mode record.Mode) bool {
	below := t.below(s, n, mode)
	if j := s.tails[n]; j != nil {
		return slices.ContainsFunc(j.steps, func(st journal.Lazy) bool { return st.Mode == mode && st.ModeStep < below })
	}
	c := s.chunks[n]
	f := t.table(c, chunk.Steps)
	if f == nil {
		return false
	}
	var err error
	if c.modes == nil {
		c.modes, err = f.Modes()
	}
	if err == nil && c.modes[mode] && below < math.MaxInt64 && c.least == nil {
		c.least, err = f.LeastSteps()
	}
	if err != nil {
		t.spoil(c.tables[chunk.Steps], err)
		return false
	}
	return c.modes[mode] && (below == math.MaxInt64 || c.least[mode] < below)
}

// eachStep visits the steps of a worker (empty: all), without their values.
func (t *Trial) eachStep(worker string, visit func(*record.Step)) {
	for _, s := range t.all() {
		if worker != "" && s.worker != worker {
			continue
		}
		for _, n := range s.numbers() {
			for _, st := range t.stepsOf(s, n) {
				if !t.hidden(s, n, st.Mode, st.ModeStep) {
					visit(st.Step)
				}
			}
		}
	}
}

// Steps are the mode steps stored by any worker, ascending.
func (t *Trial) Steps(mode record.Mode) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	var list []int64
	t.eachStep("", func(s *record.Step) {
		if s.Mode == mode {
			list = append(list, s.ModeStep)
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// StepInfos are the steps of one worker (empty: the chief) in a mode, in the
// order in which they were stored.
func (t *Trial) StepInfos(mode record.Mode, worker string) []StepInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	if worker == "" {
		if w := t.workers(); len(w) > 0 {
			worker = w[0]
		}
	}
	var list []StepInfo
	t.eachStep(worker, func(s *record.Step) {
		if s.Mode == mode {
			list = append(list, StepInfo{
				Worker: s.Worker, Step: s.Step, Mode: s.Mode, ModeStep: s.ModeStep, Time: s.Time, Seconds: s.Seconds, Overhead: s.Overhead, Skipped: s.Skipped, Raw: slices.Clone(s.Raw),
			})
		}
	})
	return list
}

// RawSteps are the mode steps at which raw values of a tensor are stored, by
// the worker named or, when empty, by any.
func (t *Trial) RawSteps(name string, mode record.Mode, worker string) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	there := map[string]bool{} // raw files
	for _, s := range t.all() {
		dir := path.Dir(layout.Raw(s.worker, mode, 0))
		list, err := t.fs.List(t.at(dir))
		if err != nil {
			continue // nothing raw from this worker
		}
		for _, e := range list {
			there[path.Join(dir, e.Name())] = true
		}
	}
	var list []int64
	t.eachStep(worker, func(s *record.Step) {
		if s.Mode == mode && slices.Contains(s.Raw, name) && there[layout.Raw(s.Worker, mode, s.ModeStep)] {
			list = append(list, s.ModeStep)
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}
