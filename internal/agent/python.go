package agent

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// python is what rules that are Python classes run with; nil when there is
// nothing.
func (e *evaluator) python() *pyrule.Host {
	set := &e.job.set
	if set.Python.Lib == "" {
		return nil
	}
	return &pyrule.Host{
		Python: set.Python.Interpreter, Lib: set.Python.Lib, Binary: set.Python.Program, Run: set.Name, Path: e.job.store.Path(),
		Folder: func(configuration string) string {
			return filepath.Join(e.job.store.Path(), filepath.FromSlash(layout.RuleFiles(configuration)))
		},
		Other: func(name string) (string, error) {
			t, err := e.others.Open(name)
			if err != nil {
				return "", err
			}
			return t.Path(), nil
		},
	}
}

// maxPrints is how many lines that rules print are shown.
const maxPrints = 50

// printer shows what rules print, as long as it is not much.
func (j *job) printer() func(configuration, line string) {
	var n atomic.Int64
	return func(configuration, line string) {
		j.logs.to(layout.RuleLog(configuration), line+"\n")
		switch k := n.Add(1); {
		case k <= maxPrints:
			j.events.notice("info", fmt.Sprintf("%s printed: %s", configuration, line), "")
		case k == maxPrints+1:
			j.events.notice("info", "further output of rules is not shown", "see `vigil logs RUN --rule NAME`")
		}
	}
}

// follow sees to it that rules which are behind are given what they missed,
// from the store and next to the judging.
func (e *evaluator) follow() {
	if _, behind := e.engine.Behind(); !behind || !e.follows.CompareAndSwap(false, true) {
		return
	}
	e.following.Go(func() {
		defer e.follows.Store(false)
		if err := e.catchUp(); err != nil {
			e.engine.GiveUp(err)
			e.job.events.notice("warning", "rules continue without the steps they missed: "+err.Error(), "")
		}
	})
}

// followed returns when no rule is behind any more.
func (e *evaluator) followed() {
	for behind := true; behind; _, behind = e.engine.Behind() {
		e.follow()
		e.following.Wait()
	}
}

// patience is how often a step that was judged may be missing in the store
// before rules go on without it.
const patience = 50

// catchUp returns when no rule is behind.
func (e *evaluator) catchUp() error {
	t, err := e.own()
	if err != nil {
		return err
	}
	for idle := 0; ; {
		from, behind := e.engine.Behind()
		if !behind {
			return nil
		}
		err := t.ReplayAfter(from, func(c *record.Complete) error {
			e.engine.CatchUp(c)
			return nil
		}, nil, func(*record.Step) error { return nil })
		if err != nil {
			return err
		}
		if now, behind := e.engine.Behind(); behind && now.Step == from.Step {
			if idle++; idle > patience {
				return fmt.Errorf("steps after %d are not in the store", from.Step)
			}
			time.Sleep(20 * time.Millisecond)
			continue
		}
		idle = 0
	}
}
