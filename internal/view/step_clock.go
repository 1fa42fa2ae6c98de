package view

import (
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// stepClock reports when the steps of a worker (empty: the chief) in a mode closed, in
// microseconds since 1970.
type stepClock struct {
	t      source.Clocks // nil: all is known
	mode   record.Mode
	worker string
	source.Knots
}

func newStepClock(t source.Run, mode record.Mode, worker string) *stepClock {
	c := &stepClock{mode: mode, worker: worker}
	if clocks, ok := t.(source.Clocks); ok {
		c.t = clocks
		return c
	}
	if m, ok := t.(source.Metrics); ok {
		_ = m.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
			if row.Mode != mode || row.Steps < 1 {
				return nil
			}
			each := row.End.Sub(row.Start) / time.Duration(row.Steps)
			c.Add(row.ModeStep, row.Start.Add(each).UnixMicro())
			if row.Steps > 1 {
				c.Add(row.ModeStep+row.Steps-1, row.End.UnixMicro())
			}
			return nil
		})
	}
	if len(c.Step) == 0 {
		for _, s := range t.StepInfos(mode, worker) {
			c.Add(s.ModeStep, s.Time.UnixMicro())
		}
	}
	return c
}

// known reports whether the times of any steps are.
func (c *stepClock) known() bool {
	return len(c.Step) > 0 || c.t != nil && c.t.Closed(c.worker, c.mode, []int64{0}, 1<<62) != nil
}

// ask reads when the steps of a chart closed: of points exactly, of columns within
// their width. It is false where no time is known.
func (c *stepClock) ask(of *source.Columns) bool {
	if c.t == nil {
		return true
	}
	steps := append([]int64{of.Begin, of.End}, of.Steps...)
	for i := range of.Columns {
		steps = append(steps, of.Columns[i].From, of.Columns[i].To)
	}
	slices.Sort(steps)
	c.Step = slices.Compact(steps)
	c.At = c.t.Closed(c.worker, c.mode, c.Step, of.Width)
	return c.At != nil
}

// first is the first step that closed at a time or later.
func (c *stepClock) first(at int64) int64 {
	if c.t != nil {
		return c.t.FirstClosed(c.worker, c.mode, at)
	}
	return c.First(at)
}
