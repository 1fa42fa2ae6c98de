package judge

import (
	"context"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/rule"
)

// Stored judges a stored run from its first step to its end: its steps and windows
// of time as they came while it was live, by the clock of that time. The judge that it gives has ended.
// When ctx is done before, its error is the answer.
func Stored(ctx context.Context, run source.Run, o Options) (*Judge, error) {
	var now time.Time
	saw := o.OnStep
	o.OnStep = func(c *record.Complete) {
		now = c.Time
		if saw != nil {
			saw(c)
		}
	}
	o.Run = run.Run()
	o.Rules.Now = func() time.Time { return now }
	o.Rules.Patient = true
	o.Rules.Raw = func(worker, name string, mode record.Mode, modeStep int64) (rule.Values, error) {
		return run.Raw(name, mode, modeStep, worker)
	}
	o.Rules.ReadLine = knownLine(run)
	o.Rules.Suggest = knownSuggestion(run)
	j, err := New(ctx, o)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	// Facts that cannot be read are those that live rules could not use either.
	if facts, err := o.Run.KnownFacts(); err == nil {
		j.Engine.Facts(facts)
	}
	infos := source.OfTraining(run.Tensors()) // as live rules are told
	for _, worker := range run.Workers() {
		j.Engine.Announce(worker, infos)
	}
	each := func(c *record.Complete) error {
		j.Decided(c)
		return j.ctx.Err()
	}
	var window func(*record.Window) error // what nobody judges is not even read
	if j.Engine.ReadsWindows() {
		window = func(w *record.Window) error {
			j.DecidedWindow(w)
			return j.ctx.Err()
		}
	}
	err = run.Decisions(each, window)
	if err == nil && o.Run.Status == record.Lost && !o.Run.Over() {
		if err = Undecided(run, j.completer, each); err == nil && window != nil {
			err = j.undecidedRows(run)
		}
	}
	if err != nil {
		return nil, err
	}
	if o.Run.Ended != nil {
		now = *o.Run.Ended
		j.Engine.Tick(now)
	}
	j.Engine.Finish(o.Run.Status)
	return j, j.ctx.Err()
}

// undecidedRows judges the windows of time that nobody closed when a run was lost.
func (j *Judge) undecidedRows(run source.Run) error {
	err := run.RowsAfter(j.Cursor().Rows, func(s record.RowSource, r record.Row) error {
		j.Put(s, r)
		return nil
	})
	if err != nil {
		return err
	}
	j.windows(j.closer.End())
	return j.ctx.Err()
}

// Undecided hands over what was under way when a run was lost: nobody is left to
// decide on it. The completer has been told the steps before.
func Undecided(run source.Run, completer *rules.Completer, each func(*record.Complete) error) error {
	for _, worker := range run.Workers() {
		completer.Worker(worker)
	}
	var list []*record.Complete
	err := run.Undecided(func(s *record.Step) error {
		if s.Free() {
			completer.Give(s)
		} else {
			list = append(list, completer.Hold(s)...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range append(list, completer.End()...) {
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}
