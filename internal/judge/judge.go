// Package judge assembles what judges a run: the completer, which says when a step
// is complete, the closer of windows of time, the engine with its rules, and the
// actions that findings call for.
// A live run, a stored one and a test of a rule are judged by the same assembly.
package judge

import (
	"context"
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// Options say what is judged and by which rules.
type Options struct {
	// Run is what is judged. Its name, its chief, its mutes and the times at which
	// it started and was resumed are taken from here.
	Run record.Run
	// Rules are the options of the engine, besides what comes of Run.
	Rules rules.Options
	// Actions are what findings call for; nil: nothing is done.
	Actions *action.Options
	// OnDecision is told of a step that the completer has just declared complete,
	// OnStep of each step that the rules are about to see; both may be nil. They
	// must not call the judge.
	OnDecision, OnStep func(*record.Complete)
	// OnWindow is told of a window of time that has just closed, before the rules
	// see it; it may be nil and must not call the judge.
	OnWindow func(*record.Window)
}

// Judge judges one run. Its methods are called by one goroutine at a time; those of
// Engine and Actions may be called by several.
type Judge struct {
	Engine  *rules.Engine
	Actions *action.Runner // nil where nothing is done

	ctx       context.Context
	cancel    context.CancelFunc
	opts      Options
	completer *rules.Completer
	closer    *rules.WindowCloser
	steps     int
}

// New makes a judge. When ctx is done nothing more is judged, and the processes of
// rules end. The error is for options that cannot be.
func New(ctx context.Context, o Options) (*Judge, error) {
	j := &Judge{opts: o, completer: rules.NewCompleter(0), closer: rules.NewWindowCloser(o.Run.Started)}
	j.ctx, j.cancel = context.WithCancel(ctx)
	ro := o.Rules
	ro.RunName, ro.Chief, ro.Resumed = o.Run.Name, o.Run.ChiefName(), resumed(o.Run)
	ro.Mutes = append(rules.MutesOf(o.Run), ro.Mutes...)
	if ro.ReadLine == nil {
		ro.ReadLine = scriptLine(o.Run.Started)
	}
	if ro.Suggest == nil {
		ro.Suggest = suggestion(o.Run.Started)
	}
	if ro.Python != nil {
		host := *ro.Python
		host.Context = j.ctx
		ro.Python = &host
	}
	var err error
	if j.Engine, err = rules.NewEngine(ro); err != nil {
		j.cancel()
		return nil, fmt.Errorf("start rules: %w", err)
	}
	if o.Actions != nil {
		if j.Actions, err = action.NewRunner(*o.Actions); err != nil {
			j.Close()
			return nil, fmt.Errorf("start actions: %w", err)
		}
	}
	return j, nil
}

// resumed are the times at which a run's job was started again.
func resumed(r record.Run) (list []time.Time) {
	for _, one := range r.Resumptions {
		list = append(list, one.Time)
	}
	return list
}

// Close ends the processes of rules. Actions that are under way go on.
func (j *Judge) Close() {
	j.Engine.Close()
	j.cancel()
}

// Worker announces a worker whose parts of steps, and step times, are to be waited
// for.
func (j *Judge) Worker(name string) {
	j.completer.Worker(name)
	j.closer.Worker(name)
}

// Gone says that nothing more comes of a worker, and judges what waited for nobody
// else.
func (j *Judge) Gone(name string) {
	j.decide(j.completer.Gone(name))
	j.windows(j.closer.WorkerGone(name))
}

// Add takes one worker's part of a step and judges the steps that are complete by
// it.
func (j *Judge) Add(part *record.Step) { j.decide(j.completer.Add(part)) }

// Hold is Add for a part to which values may still be given: its step waits for the
// worker's next one.
func (j *Judge) Hold(part *record.Step) { j.decide(j.completer.Hold(part)) }

// Give takes values that a script gave to a part that is held, or that waits.
func (j *Judge) Give(free *record.Step) { j.completer.Give(free) }

// Next says that a worker has begun its next step, and judges what waited for that.
func (j *Judge) Next(worker string) { j.decide(j.completer.Next(worker)) }

// Release judges the steps that have been held since before a time.
func (j *Judge) Release(before time.Time) {
	for _, worker := range j.completer.Held(before) {
		j.Next(worker)
	}
}

// End judges all that is left, at the end of the job.
func (j *Judge) End() {
	j.decide(j.completer.End())
	j.windows(j.closer.End())
}

// Decided judges a step that was declared complete before, by whoever judged the
// run then.
func (j *Judge) Decided(c *record.Complete) {
	j.completer.Resume(c)
	j.observe(c)
}

// From goes on at the cursor of an earlier judge.
func (j *Judge) From(at record.Cursor) {
	j.completer.From(at)
	j.closer.From(at)
}

// Cursor says how far the judge is. All before it has been judged.
func (j *Judge) Cursor() record.Cursor {
	at := j.completer.Cursor()
	j.closer.Mark(&at)
	return at
}

// Steps is how many steps were judged.
func (j *Judge) Steps() int { return j.steps }

func (j *Judge) decide(list []*record.Complete) {
	for _, c := range list {
		if j.opts.OnDecision != nil {
			j.opts.OnDecision(c)
		}
		j.observe(c)
	}
}

func (j *Judge) observe(c *record.Complete) {
	if j.ctx.Err() != nil {
		return
	}
	if len(c.Parts) > 0 {
		j.steps++
	}
	if j.opts.OnStep != nil {
		j.opts.OnStep(c)
	}
	j.Engine.Observe(c)
}
