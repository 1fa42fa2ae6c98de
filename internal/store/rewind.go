package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// Rewind takes the run back to a place: what was stored beyond it does not
// count any more, for any reader, and the steps from there on may be stored
// again. One line of the manifest does it, so after a crash the run stands
// where it stood or at the place, never in between; raw tensors and findings
// that the line takes back are removed afterwards, by the next Resume if need
// be. Steps of series stay in their files, hidden. Nothing may be appended
// while it runs.
func (w *Writer) Rewind(to record.Place) error {
	w.mu.Lock()
	r := &manifest.Rewound{Number: 1, Step: to.Step, Modes: to.Modes, Journals: map[string]int{}}
	if w.rewound != nil {
		r.Number = w.rewound.Number + 1
	}
	w.retire() // what comes now goes into journals of its own
	for _, s := range w.all() {
		r.Journals[s.dir] = s.next
	}
	err := w.event(manifest.Event{Rewound: r})
	w.mu.Unlock()
	if err == nil {
		err = w.manifest.sync()
	}
	if err != nil {
		return fmt.Errorf("rewind run to step %d: %w", to.Step, err)
	}
	w.rewound = r
	if err := w.takeBack(); err != nil {
		return fmt.Errorf("rewind run to step %d: %w", to.Step, err)
	}
	return nil
}

// takeBack removes what the last rewinding takes back besides steps, and says
// so. It may be done again after a crash, as long as nothing new is stored.
func (w *Writer) takeBack() error {
	r := w.rewound
	beyond := func(rel string) bool {
		step, ok := layout.RawStep(path.Base(rel))
		least, bound := r.Modes[path.Base(path.Dir(rel))]
		return ok && bound && step >= least
	}
	// The manifest is told of all of them before the first one goes. After a
	// crash it may name files that have gone already.
	gone := map[string]bool{}
	w.mu.Lock()
	for rel := range w.raw {
		gone[rel] = beyond(rel)
	}
	w.mu.Unlock()
	err := walkRaw(w.fs, w.path, func(rel string, _ int64, _ time.Time, temp bool) error {
		gone[rel] = temp || beyond(rel)
		return nil
	})
	if err != nil {
		return err
	}
	maps.DeleteFunc(gone, func(_ string, is bool) bool { return !is })
	w.mu.Lock()
	var removed []manifest.Event // in one write: a crash leaves its beginning, never a hole
	for _, rel := range slices.Sorted(maps.Keys(gone)) {
		if _, listed := w.raw[rel]; listed {
			removed = append(removed, manifest.Event{Removed: rel})
			delete(w.raw, rel)
		}
	}
	if len(removed) > 0 {
		err = w.event(removed...)
	}
	w.mu.Unlock()
	if err == nil {
		err = w.manifest.sync()
	}
	if err != nil {
		return err
	}
	for rel := range gone {
		if err := w.fs.Remove(w.at(rel)); err != nil && !missing(err) {
			return err
		}
	}
	list, err := w.fs.List(w.at(layout.Findings))
	if err != nil && !missing(err) {
		return err
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".jsonl") {
			err := w.withdraw(path.Join(layout.Findings, e.Name()), func(f *record.Finding) bool { return f.Step >= r.Step })
			if err != nil {
				return err
			}
		}
	}
	done := *r
	done.Done = true
	w.mu.Lock()
	err = w.event(manifest.Event{Rewound: &done})
	w.mu.Unlock()
	if err == nil {
		err = w.manifest.sync()
	}
	if err == nil {
		w.rewound = &done
	}
	return err
}

// Withdraw takes findings of a rule back. Nothing may be appended while it runs.
func (w *Writer) Withdraw(rule string, which func(*record.Finding) bool) error {
	if err := w.withdraw(layout.Finding(rule), which); err != nil && !missing(err) {
		return fmt.Errorf("withdraw findings of rule %q: %w", rule, err)
	}
	return nil
}

// withdraw rewrites a file of findings without some of them. A line that cannot
// be read is left out.
func (w *Writer) withdraw(rel string, which func(*record.Finding) bool) error {
	b, err := readFile(w.fs, w.at(rel))
	if err != nil {
		return err
	}
	var kept []byte
	all := true
	lines.Read(b, func(l lines.Result) {
		var f record.Finding
		if l.Err != nil || json.Unmarshal(l.JSON, &f) != nil || which(&f) {
			all = false
			return
		}
		line, err := lines.Line(json.RawMessage(l.JSON))
		if err != nil {
			all = false
			return
		}
		kept = append(kept, line...)
	})
	if all {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.logs[rel]; a != nil { // which writes to the file that is replaced
		_ = a.f.Close()
		delete(w.logs, rel)
	}
	return replaceBytes(w.fs, w.at(rel), kept)
}

// Rewindings is how often the run has gone back.
func (w *Writer) Rewindings() int {
	if w.rewound == nil {
		return 0
	}
	return w.rewound.Number
}

// RemoveState forgets a named piece of state.
func (w *Writer) RemoveState(name string) error {
	rel := w.at(layout.State(name))
	err := w.fs.Remove(rel)
	if missing(err) {
		return nil
	}
	if err == nil {
		err = w.fs.SyncDir(filepath.Dir(rel))
	}
	if err != nil {
		return fmt.Errorf("remove state %q: %w", name, err)
	}
	return nil
}
