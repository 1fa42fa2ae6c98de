package trial

import (
	"os"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// Gone reports whether a run that claims to run does not: all processes that write
// it are gone. Of a run of another host nothing is known.
func Gone(run *record.Run) bool { return gone(run) }

// gone reports whether a run that claims to run does not: all processes that
// write it are gone. Of a run of another host nothing is known.
func gone(run *record.Run) bool {
	host, err := os.Hostname()
	if err != nil || host != run.Host || run.Launcher == nil && run.Agent == nil {
		return false
	}
	for _, p := range []*record.Process{run.Launcher, run.Agent} {
		if p != nil && proc.Alive(proc.ID{PID: p.PID, Start: p.Start}) {
			return false
		}
	}
	return true
}

// Run is run.json, with status Lost when it claims to run although its
// processes are gone on this host.
func (t *Trial) Run() record.Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	return t.run
}

// Workers names the workers that stored anything, the chief first, the others
// sorted.
func (t *Trial) Workers() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	return t.workers()
}

func (t *Trial) workers() []string {
	var list []string
	for _, s := range t.series {
		list = append(list, s.worker)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	chief := ""
	for _, w := range t.run.Workers {
		if w.Chief || chief == "" && w.Rank == 0 {
			chief = w.Name
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i] == chief && list[j] != chief })
	return list
}

// Chief is the worker whose values stand for the run when none is named; ""
// when nothing is stored.
func (t *Trial) Chief() string {
	if w := t.Workers(); len(w) > 0 {
		return w[0]
	}
	return ""
}

// find is the series of a worker.
func (t *Trial) find(worker string) *series {
	for _, s := range t.series {
		if s.worker == worker {
			return s
		}
	}
	return nil
}
