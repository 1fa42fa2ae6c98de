package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// checkpoint is what a later agent goes on from: where the evaluator was, and
// the rules' state there.
type checkpoint struct {
	Cursor record.Cursor   `json:"cursor"`
	Engine json.RawMessage `json:"engine"`
}

const (
	engineState = "engine"
	saveEvery   = 30 * time.Second
)

// save stores a checkpoint. All that the completer gave out has been judged.
func (e *evaluator) save() {
	e.saved, e.dirty = time.Now(), false
	b, err := e.engine.Save()
	if err == nil {
		b, err = json.Marshal(checkpoint{e.judge.Cursor(), b})
	}
	if err == nil {
		err = e.job.store.SaveState(engineState, b)
	}
	if err != nil {
		e.job.storeFailed(err)
	}
}

// restore goes on from the checkpoint of an earlier agent and gives its place;
// without one, the place where everything begins.
func (e *evaluator) restore() (record.Cursor, error) {
	b, err := e.job.store.LoadState(engineState)
	if errors.Is(err, fs.ErrNotExist) {
		return record.NewCursor(), nil
	}
	var c checkpoint
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err == nil {
		err = e.engine.Restore(c.Engine)
	}
	if err != nil {
		return record.NewCursor(), fmt.Errorf("take back the state of the rules: %w", err)
	}
	return c.Cursor, nil
}

// resume brings the rules to where the store is: their saved state, then the
// complete steps and windows after it, then the parts of steps that were under way. The
// findings of those steps that are on record already are not made again.
func (e *evaluator) resume(t *trial.Trial) {
	warn := func(err error) {
		if err != nil {
			e.job.events.notice("warning", "the rules do not continue exactly where they were: "+err.Error(), "")
		}
	}
	at, err := e.restore()
	warn(err)
	warn(e.knownFacts())
	e.judge.From(at)
	sessions := slices.Collect(maps.Values(e.job.known()))
	if e.job.set.Resume != nil { // those of the job before have gone
		for _, w := range t.Workers() {
			if !slices.ContainsFunc(sessions, func(st sessionState) bool { return st.Worker == w }) {
				sessions = append(sessions, sessionState{Worker: w, Gone: true})
			}
		}
	}
	for _, st := range sessions {
		e.judge.Worker(st.Worker) // also one that has gone may have left parts that others wait with
	}
	for _, w := range t.Workers() {
		e.engine.Announce(w, t.Announced())
	}
	warn(t.ReplayAfter(at, func(c *record.Complete) error {
		e.judge.Decided(c)
		return nil
	}, func(w *record.Window) error {
		e.judge.DecidedWindow(w)
		return nil
	}, func(s *record.Step) error {
		if s.Free() {
			e.judge.Give(s)
			return nil
		}
		e.judge.Hold(s)
		return nil
	}))
	for _, st := range sessions {
		if st.Gone {
			e.judge.Gone(st.Worker)
		}
	}
	e.findings()
}
