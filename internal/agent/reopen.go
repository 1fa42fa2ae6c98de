package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/provenance"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
)

// Resume says that the run is an earlier one that goes on.
type Resume struct {
	Step *int64 `json:"step,omitempty"` // of TRAIN, where the job goes on; nil: as its checkpoint tells
}

// reopen opens a run that goes on. Where, is not known before its job says what
// it has read; until then nothing of what is stored is touched.
func reopen(set Settings) (*store.Writer, error) {
	w, err := store.Resume(disk, filepath.Join(set.Dir, set.Name))
	if err != nil || set.Takeover {
		return w, err
	}
	// The processes of the job before are gone.
	if err := w.RemoveState(sessionsState); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	t, err := trial.OpenFS(disk, w.Path())
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	defer t.Close()
	next := record.Resumption{Time: time.Now().UTC(), Stopped: lastSign(t), Command: provenance.Redact(set.Command)}
	err = w.UpdateRun(func(r *record.Run) {
		r.Resumptions = append(r.Resumptions, next)
		r.Status, r.Ended, r.ExitCode, r.StoppedBy, r.Exception = record.Running, nil, nil, "", ""
		r.Host = set.Host
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// lastSign is when the job before was alive for certain.
func lastSign(t *trial.Trial) *time.Time {
	if ended := t.Run().Ended; ended != nil {
		return ended
	}
	_, _, last := stored(t)
	if last.IsZero() {
		return nil
	}
	return &last
}

// stored is the place behind all that is stored, the steps that are, and when
// the last one was made.
func stored(t *trial.Trial) (end record.Place, steps []trial.StepInfo, last time.Time) {
	end.Modes = map[string]int64{}
	for _, w := range t.Workers() {
		for mode := record.Train; mode <= record.Global; mode++ {
			for _, s := range t.StepInfos(mode, w) {
				if s.Seconds == 0 && s.Overhead == 0 {
					continue // numbers that belong to no step the hook counts
				}
				end.Step = max(end.Step, s.Step+1)
				end.Modes[mode.String()] = max(end.Modes[mode.String()], s.ModeStep+1)
				steps = append(steps, s)
				if s.Time.After(last) {
					last = s.Time
				}
			}
		}
	}
	return end, steps, last
}

// goesOn decides where the job goes on, when its first process says hello, and
// takes the run back to there. Processes that come later are told the same.
func (j *job) goesOn(h *capture.Hello) (*record.Place, error) {
	if j.set.Resume == nil || h.Takeover {
		return nil, nil
	}
	if f := h.Framework.Name; f != "pytorch" && f != "go" {
		return nil, &capture.Refused{Reason: fmt.Sprintf("a run of %s cannot be resumed yet", f), Hint: "training continues; start it without --resume to capture it as a separate run"}
	}
	j.placing.Lock()
	defer j.placing.Unlock()
	run := j.store.Run()
	if len(run.Resumptions) == 0 {
		return nil, nil
	}
	if from := run.Resumptions[len(run.Resumptions)-1].From; from != nil {
		return from, nil
	}
	t, err := trial.OpenFS(j.store.FS(), j.store.Path())
	if err != nil {
		return nil, err
	}
	defer t.Close()
	end, steps, _ := stored(t)
	place, why, err := j.origin(h, end, steps)
	if err != nil {
		return nil, err
	}
	if err := j.store.Rewind(place); err != nil {
		return nil, err
	}
	if err := errors.Join(j.store.RemoveState(engineState), j.forgetActions(place.Step)); err != nil {
		return nil, err
	}
	cut := map[string]int64{}
	for mode, n := range end.Modes {
		if at, bound := place.Modes[mode]; bound && at < n {
			cut[mode] = n - at
		}
	}
	j.cmu.Lock()
	j.counts.steps = map[string]map[string]int64{"": maps.Clone(place.Modes)}
	maps.DeleteFunc(j.counts.steps[""], func(_ string, n int64) bool { return n == 0 })
	j.changed = true
	j.cmu.Unlock()
	err = j.writeRun(func(r *record.Run) {
		last := &r.Resumptions[len(r.Resumptions)-1]
		last.From, last.Why, last.Cut = &place, why, cut
		r.Workers = []record.Worker{}
	})
	if err != nil {
		return nil, err
	}
	last := j.store.Run().Resumptions
	j.events.notice("info", "the run goes on "+last[len(last)-1].Text(), "")
	return &place, nil
}

// origin is where the job goes on, and how that is known: its user says so, or
// it has read a checkpoint that the run wrote, or else after the last step.
func (j *job) origin(h *capture.Hello, end record.Place, steps []trial.StepInfo) (record.Place, string, error) {
	train := record.Train.String()
	if n := j.set.Resume.Step; n != nil {
		if *n > end.Modes[train] {
			return record.Place{}, "", &capture.Refused{Reason: fmt.Sprintf("the run cannot continue at step %d: it has %d TRAIN steps", *n, end.Modes[train]), Hint: "give a --resume-step within it"}
		}
		return placeOf(*n, end, steps), "as given by --resume-step", nil
	}
	known, err := j.checkpoints()
	if err != nil {
		j.events.notice("warning", err.Error(), "")
	}
	if c := checkpointOf(known, h.Loaded); c != nil {
		return c.Place, "from the checkpoint " + c.Path, nil
	}
	why := "no checkpoint was loaded before the first update, so it continues after the last step"
	if len(h.Loaded) > 0 {
		why = fmt.Sprintf("the step of %s is unknown, so it continues after the last one", h.Loaded[len(h.Loaded)-1].Path)
	}
	j.events.notice("warning", why, "set the TRAIN step with --resume-step N")
	return end, why, nil
}

// placeOf is the place before a TRAIN step: what was evaluated before it stays.
func placeOf(n int64, end record.Place, steps []trial.StepInfo) record.Place {
	p := record.Place{Step: end.Step, Modes: map[string]int64{record.Train.String(): n}}
	for _, s := range steps {
		if s.Mode == record.Train && s.ModeStep >= n {
			p.Step = min(p.Step, s.Step)
		}
	}
	for _, s := range steps {
		if s.Mode != record.Train && s.Step < p.Step {
			p.Modes[s.Mode.String()] = max(p.Modes[s.Mode.String()], s.ModeStep+1)
		}
	}
	for mode := range end.Modes {
		if _, there := p.Modes[mode]; !there {
			p.Modes[mode] = 0
		}
	}
	return p
}

// forgetActions lets what findings called for that are taken back be called for
// again.
func (j *job) forgetActions(from int64) error {
	const name = "actions"
	b, err := j.store.LoadState(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(b) == 0 {
		return nil
	}
	var all map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	for key, e := range all {
		var a record.Attempt
		if json.Unmarshal(e, &a) == nil && (a.Finding.Step >= from || a.Action == "stop" && a.State == record.Begun) {
			delete(all, key)
		}
	}
	if err == nil {
		b, err = json.Marshal(all)
	}
	if err == nil {
		err = j.store.SaveState(name, b)
	}
	if err != nil {
		return fmt.Errorf("take back the state of actions: %w", err)
	}
	return nil
}

// retell takes back findings that the rules made because the job had ended, and
// do not make now that it goes on. Those of Python classes come in their own
// time and stay.
func (e *evaluator) retell(cfgs []rules.Config, before []record.Finding) {
	apart, again := map[string]bool{}, map[string]bool{}
	for _, c := range cfgs {
		apart[c.Configuration] = rules.IsPython(c)
	}
	for _, f := range e.engine.Findings() {
		again[rules.Key(f)] = true
	}
	at := e.engine.Cursor()
	e.behind = true // the summary still tells of them
	files := map[string]bool{}
	for _, f := range before {
		if f.Step >= at && !again[rules.Key(f)] && !apart[f.Configuration] {
			files[f.Rule] = true
		}
	}
	for name := range files {
		err := e.job.store.Withdraw(name, func(f *record.Finding) bool {
			return f.Step >= at && !again[rules.Key(*f)] && !apart[f.Configuration]
		})
		if err != nil {
			e.job.storeFailed(err)
		}
	}
}
