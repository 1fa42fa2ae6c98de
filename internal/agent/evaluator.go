package agent

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/rule"
)

// evaluator runs the rules over complete steps, one after another in a
// goroutine of its own, and does what findings call for.
type evaluator struct {
	job       *job
	in        chan func()
	done      sync.WaitGroup
	completer *rules.Completer
	engine    *rules.Engine
	runner    *action.Runner

	values *trial.Trial     // the run itself, once a rule has asked for raw values
	found  []record.Finding // by the call of the engine under way
	dirty  bool             // judged since the last save
	saved  time.Time
}

const (
	engineState = "engine"
	saveEvery   = 30 * time.Second
)

func newEvaluator(j *job, cfgs []rules.Config) (*evaluator, error) {
	e := &evaluator{job: j, in: make(chan func(), 64), completer: rules.NewCompleter(0), saved: time.Now()}
	o := rules.Options{
		Configs: cfgs, RunName: j.set.Name, Mutes: rules.MutesOf(j.store.Run()), Chief: j.store.Run().ChiefName(), Raw: e.raw,
		OnFinding: func(f record.Finding) { e.found = append(e.found, f) },
		OnWarning: func(configuration, text string) {
			j.events.notice("warning", configuration+": "+text, "")
		},
	}
	var before *trial.Trial
	if len(j.sessions) > 0 { // somebody wrote to this run before
		var err error
		if before, err = trial.Open(j.store.Path()); err != nil {
			return nil, fmt.Errorf("go on with the run: %w", err)
		}
		defer before.Close()
		o.Stored = before.Findings()
	}
	var err error
	if e.engine, err = rules.NewEngine(o); err != nil {
		return nil, fmt.Errorf("start rules: %w", err)
	}
	names := make([]string, len(cfgs))
	for i, c := range cfgs {
		names[i] = c.Configuration
	}
	ao := action.Options{
		StopOn: j.set.Config.StopOn.String(), Stop: j.stopFor, Record: j.store.Action, State: actionState{j.store}, Run: j.store.Path(), Configurations: names,
	}
	for _, a := range j.set.Config.Actions {
		ao.Commands = append(ao.Commands, action.Command{Argv: a.Command, On: a.On.String(), Timeout: a.Timeout})
	}
	if e.runner, err = action.NewRunner(ao); err != nil {
		return nil, fmt.Errorf("start actions: %w", err)
	}
	if before != nil {
		e.resume(before)
		// The agent may have died between a finding and its actions; those
		// that were begun are not begun again.
		for _, f := range o.Stored {
			if !f.Muted {
				e.runner.Fire(f)
			}
		}
	}
	e.done.Go(e.run)
	return e, nil
}

// raw reads the stored values of a tensor for a rule.
func (e *evaluator) raw(worker, name string, mode record.Mode, modeStep int64) (rule.Values, error) {
	if e.values == nil {
		t, err := trial.Open(e.job.store.Path())
		if err != nil {
			return rule.Values{}, err
		}
		e.values = t
	}
	return e.values.Raw(name, mode, modeStep, worker)
}

func (j *job) stopFor(f record.Finding) { j.stop(f.Rule, f.Configuration, f.Message) }

// resume brings the rules to where the store is: their saved state, then the
// complete steps after it, then the parts of steps that were under way. The
// findings of those steps that are on record already are not made again.
func (e *evaluator) resume(t *trial.Trial) {
	warn := func(what string, err error) {
		if err != nil {
			e.job.events.notice("warning", what+": "+err.Error(), "")
		}
	}
	if b, err := e.job.store.LoadState(engineState); err == nil {
		warn("the state of the rules could not be taken back", e.engine.Restore(b))
	}
	for _, st := range e.job.sessions {
		if !st.Gone {
			e.completer.Worker(st.Worker) // it will be back
		}
	}
	for _, w := range t.Workers() {
		e.engine.Announce(w, t.Tensors())
	}
	warn("stored steps could not be judged again", t.Replay(func(c *record.Complete) error {
		e.completer.Resume(c)
		e.observe(c)
		return nil
	}))
	warn("unfinished steps could not be read", t.Undecided(func(s *record.Step) error {
		if s.Free() {
			return nil
		}
		for _, c := range e.completer.Add(s) {
			e.complete(c)
		}
		return nil
	}))
}

func (e *evaluator) run() {
	for f := range e.in {
		e.guarded(f)
	}
}

// guarded keeps a failure in the rules from ending the capture.
func (e *evaluator) guarded(f func()) {
	defer func() {
		if r := recover(); r != nil {
			e.job.events.notice("error", fmt.Sprintf("the rules failed: %v", r), "please report it; capture goes on")
		}
	}()
	f()
}

// close ends the goroutine after all that was handed over.
func (e *evaluator) close() {
	close(e.in)
	e.done.Wait()
	if e.values != nil {
		e.values.Close()
	}
}

func (e *evaluator) worker(name string) { e.in <- func() { e.completer.Worker(name) } }

func (e *evaluator) gone(name string) {
	e.in <- func() {
		for _, c := range e.completer.Gone(name) {
			e.complete(c)
		}
	}
}

func (e *evaluator) announce(worker string, infos []record.TensorInfo) {
	e.in <- func() { e.engine.Announce(worker, infos) }
}

// steps takes stored steps.
func (e *evaluator) steps(list []*record.Step) {
	e.in <- func() {
		for _, s := range list {
			for _, c := range e.completer.Add(s) {
				e.complete(c)
			}
		}
	}
}

func (e *evaluator) tick(now time.Time) {
	e.in <- func() {
		e.engine.Tick(now)
		e.findings()
		if e.dirty && now.Sub(e.saved) >= saveEvery {
			e.save()
		}
	}
}

// complete stores the decision, then judges. A decision that cannot be stored
// is judged all the same: to find a fault matters more than to find it twice.
func (e *evaluator) complete(c *record.Complete) {
	if err := e.job.store.Complete(c); err != nil {
		e.job.storeFailed(err)
	}
	e.observe(c)
}

func (e *evaluator) observe(c *record.Complete) {
	e.engine.Observe(c)
	e.dirty = true
	e.findings()
}

// findings deals with what the engine has just found.
func (e *evaluator) findings() {
	if len(e.found) == 0 {
		return
	}
	list := e.found
	e.found = nil
	for _, f := range list {
		if err := e.job.store.Finding(f); err != nil {
			e.job.storeFailed(err)
		}
	}
	e.summary()
	e.save()
	for _, f := range list {
		e.job.events.send(live.Event{Finding: &f})
		if !f.Muted {
			e.runner.Fire(f)
		}
	}
}

func (e *evaluator) summary() {
	if err := e.job.store.Summary(e.engine.Groups()); err != nil {
		e.job.storeFailed(err)
	}
	if err := e.job.store.Statuses(e.engine.Statuses()); err != nil {
		e.job.storeFailed(err)
	}
}

func (e *evaluator) save() {
	e.saved, e.dirty = time.Now(), false
	b, err := e.engine.Save()
	if err == nil {
		err = e.job.store.SaveState(engineState, b)
	}
	if err != nil {
		e.job.storeFailed(err)
	}
}

// finish judges what is left, ends the rules and waits for their actions.
func (e *evaluator) finish(status string) {
	end := make(chan struct{})
	e.in <- func() {
		defer close(end)
		for _, c := range e.completer.End() {
			e.complete(c)
		}
		e.engine.Finish(status)
		e.findings()
		e.summary()
		e.save()
	}
	<-end
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := e.runner.Close(ctx); err != nil {
		e.job.events.notice("warning", "an action did not end: "+err.Error(), "")
	}
	e.close()
}
