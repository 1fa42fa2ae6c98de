package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/judge"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/report/boosting"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/rule"
)

// evaluator runs the rules over complete steps and windows of time, one after
// another in a goroutine of its own, and does what findings call for.
type evaluator struct {
	job    *job
	in     *queue
	done   sync.WaitGroup
	judge  *judge.Judge
	engine *rules.Engine  // the judge's
	runner *action.Runner // the judge's

	reading   mutex        // held while values is opened
	values    *trial.Trial // the run itself, once a rule has asked for raw values
	following sync.WaitGroup
	follows   atomic.Bool // rules are given what they missed

	others *trial.Others    // runs that rules compare with
	found  []record.Finding // by the call of the engine under way
	turns  live.Turns       // of the findings told
	ended  string           // status of the run, once it ends
	dirty  bool             // judged since the last save
	saved  time.Time
	began  time.Time

	changes changes
	behind  bool         // found something since the last summary
	judging atomic.Int64 // rules that have judged something, as the last summary has it
	settled time.Time
}

func newEvaluator(j *job, cfgs []rules.Config) (*evaluator, error) {
	e := &evaluator{job: j, in: newQueue(), saved: time.Now(), began: time.Now(), changes: newChanges()}
	e.reading.order = lockValues
	e.others = trial.NewOthers(j.store.FS(), filepath.Dir(j.store.Path()))
	ao := e.actions(cfgs)
	o := rules.Options{
		Configs: cfgs, Raw: e.raw, Trial: e.other, Document: e.document,
		OnFinding: func(f record.Finding) { e.found = append(e.found, f) },
		OnWarning: func(configuration, text string) {
			j.events.notice("warning", configuration+": "+text, "")
		},
		OnDetail: func(string) { go j.ownWindow("a check of slow_training") },
		Python:   e.python(), OnPrint: j.printer(),
	}
	var before *trial.Trial
	if j.set.Resume != nil || len(j.known()) > 0 || j.store.HasEvents() { // somebody wrote to this run before
		var err error
		if before, err = trial.OpenFS(j.store.FS(), j.store.Path()); err != nil {
			return nil, fmt.Errorf("go on with the run: %w", err)
		}
		defer before.Close()
		o.Stored, ao.Recorded = before.Findings(), before.Attempts
	}
	var err error
	e.judge, err = judge.New(context.Background(), judge.Options{
		Run: j.store.Run(), Rules: o, Actions: &ao, OnDecision: e.decided, OnStep: func(*record.Complete) { e.dirty = true }, OnWindow: e.closed,
	})
	if err != nil {
		return nil, err
	}
	e.engine, e.runner = e.judge.Engine, e.judge.Actions
	if before != nil {
		e.resume(before)
		if j.set.Resume != nil && !j.set.Takeover {
			e.retell(cfgs, o.Stored)
			o.Stored = before.Findings()
		}
		// The agent may have died between a finding and its actions; those
		// that were begun are not begun again.
		for _, f := range o.Stored {
			if !f.Muted {
				e.runner.Fire(f)
			}
		}
		e.tellAgain(before)
	}
	if err := e.takeRows(before); err != nil {
		j.events.notice("warning", "what was recorded before the rules started is not judged: "+err.Error(), "")
	}
	e.changed(record.Running)
	e.done.Go(e.run)
	return e, nil
}

// raw reads the stored values of a tensor for a rule. Several goroutines may.
func (e *evaluator) raw(worker, name string, mode record.Mode, modeStep int64) (rule.Values, error) {
	t, err := e.own()
	if err != nil {
		return rule.Values{}, err
	}
	return t.Raw(name, mode, modeStep, worker)
}

// own is the run itself, opened for reading.
func (e *evaluator) own() (*trial.Trial, error) {
	e.reading.Lock()
	defer e.reading.Unlock()
	if e.values == nil {
		t, err := trial.OpenFS(e.job.store.FS(), e.job.store.Path())
		if err != nil {
			return nil, err
		}
		e.values = t
	}
	return e.values, nil
}

// document writes a document that a rule asks for into the run.
func (e *evaluator) document(kind string) error {
	if kind != rule.XgboostReport {
		return fmt.Errorf("write document: there is none of kind %q", kind)
	}
	t, err := trial.OpenFS(e.job.store.FS(), e.job.store.Path())
	if err != nil {
		return err
	}
	defer t.Close()
	return boosting.WriteIn(e.job.store.Path(), t, boosting.Options{Now: time.Now(), Status: e.ended})
}

// other opens another run for a rule.
func (e *evaluator) other(name string) (rule.Trial, error) {
	t, err := e.others.Open(name)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (j *job) stopFor(f record.Finding) { j.stop(f.Rule, f.Configuration, f.Message) }

func (e *evaluator) run() {
	lockRules.taking()
	defer lockRules.released()
	for {
		e.guarded(e.settle)
		f, ok := e.in.next()
		if !ok {
			return
		}
		e.guarded(f)
	}
}

// guarded keeps a failure in the rules from ending the capture.
func (e *evaluator) guarded(f func()) {
	defer func() {
		if r := recover(); r != nil {
			e.job.events.notice("error", fmt.Sprintf("the rules failed: %v", r), "please report it; capture continues")
		}
	}()
	f()
}

// close ends the goroutine after all that was handed over.
func (e *evaluator) close() {
	e.leaveRows()
	lockRules.awaiting()
	e.in.close()
	e.done.Wait()
	e.judge.Close()
	e.following.Wait()
	if e.values != nil {
		e.values.Close()
	}
	e.others.Close()
}

// worker says that a worker is there. It does not wait.
func (e *evaluator) worker(name string) { e.in.put(func() { e.judge.Worker(name) }) }

// gone says that nothing more comes of a worker. It does not wait.
func (e *evaluator) gone(name string) {
	e.in.put(func() {
		e.judge.Gone(name)
		e.judged()
	})
}

func (e *evaluator) announce(worker string, infos []record.TensorInfo) {
	e.in.wait(func() { e.engine.Announce(worker, infos) })
}

// steps takes stored steps. With hold, values may still be given to the last one.
func (e *evaluator) steps(list []readyStep, hold bool) {
	e.in.wait(func() {
		for _, s := range list {
			switch {
			case s.free:
				e.judge.Give(s.Step)
			case hold:
				e.judge.Hold(s.Step)
				e.judged()
			default:
				e.judge.Add(s.Step)
				e.judged()
			}
		}
	})
}

// next says that a worker has begun its next step. It does not wait.
func (e *evaluator) next(worker string) {
	e.in.put(func() {
		e.judge.Next(worker)
		e.judged()
	})
}

// holdTime is how long a step whose worker begins no other one waits for values
// that the script may give to it.
var holdTime = 10 * time.Second

// release lets steps go that have been held for long, but not ones that an
// earlier agent held: their workers may not be back yet.
func (e *evaluator) release(now time.Time) {
	if before := now.Add(-holdTime); before.After(e.began) {
		e.judge.Release(before)
		e.judged()
	}
}

func (e *evaluator) tick(now time.Time) {
	e.in.offer(func() {
		e.release(now)
		e.judge.Late(now)
		e.engine.Tick(now)
		e.findings()
		e.changed(record.Running)
		if n := e.engine.Judging(); n != e.judging.Load() {
			e.judging.Store(n)
			e.behind = true // readers see what was judged
		}
		e.follow()
		if e.dirty && now.Sub(e.saved) >= saveEvery {
			e.save()
		}
	})
}

// judged deals with what complete steps gave. It is called when all are judged that
// the completer has given out: they must have been seen by the rules before the
// state of both is saved.
func (e *evaluator) judged() {
	e.findings()
	e.changed(record.Running)
}

// decided stores the decision on a step, which is judged next. One that cannot be
// stored is judged all the same: to find a fault matters more than to find it twice.
func (e *evaluator) decided(c *record.Complete) {
	if err := e.job.store.Complete(c); err != nil {
		e.job.storeFailed(err)
	}
}

// findings deals with what the engine has just found. A finding that is on
// record calls for its actions at once: they are known by it after a restart,
// so what takes longer may follow.
func (e *evaluator) findings() {
	if len(e.found) == 0 {
		return
	}
	list := e.found
	e.found = nil
	for i := range list {
		e.job.attachStacks(&list[i])
	}
	for _, f := range list {
		if err := e.job.store.Finding(f); err != nil {
			e.job.storeFailed(err)
		}
	}
	causes := e.causes(list)
	for i, f := range list {
		e.job.events.send(live.Event{Finding: &f, Follows: causes[i], Clock: e.job.clock()})
		if !f.Muted {
			e.runner.Fire(f)
		}
	}
	e.behind = true
}

// causes reports what new findings follow from, as far as that is known now; of
// those only that are shown in full, because to group them takes time.
func (e *evaluator) causes(list []record.Finding) []*record.Follows {
	out := make([]*record.Follows, len(list))
	var groups []record.Group
	for i, f := range list {
		if f.Muted || e.turns.Next(&f) == live.Again {
			continue
		}
		if groups == nil {
			groups = e.engine.Groups()
		}
		out[i] = rootIn(groups, f)
	}
	return out
}

// rootOf is what a finding follows from, as far as that is known now; nil of a
// root.
func (e *evaluator) rootOf(f record.Finding) *record.Follows {
	return rootIn(e.engine.Groups(), f)
}

func rootIn(groups []record.Group, f record.Finding) *record.Follows {
	root, is := rules.Cause(groups, f)
	if !is {
		return nil
	}
	return &record.Follows{Rule: root.Rule, Step: root.Step}
}

// settle writes the summary and the state of the rules after findings, once a
// second at the most: each is a few syncs, which the next finding should not
// have to wait for.
func (e *evaluator) settle() {
	if e.behind && time.Since(e.settled) >= time.Second {
		e.behind, e.settled = false, time.Now()
		e.summary()
		e.save()
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

// finish judges what is left, ends the rules and waits for their actions.
func (e *evaluator) finish(status string) {
	lockRules.awaiting()
	end := make(chan struct{})
	e.in.put(func() {
		defer close(end)
		e.ended = status
		e.judge.End()
		e.judged()
		e.followed()
		e.engine.Finish(status)
		e.findings()
		e.changed(status)
		e.summary()
		e.save()
	})
	<-end
	e.endActions()
	e.close()
}
