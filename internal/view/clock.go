package view

import (
	"cmp"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// clock turns steps of any mode into the updates that all charts share. Where a
// run has no updates it leaves them as they are.
type clock struct {
	t      source.Run // what is not in steps yet is read from it
	steps  map[record.Mode][]source.StepRange
	trains []source.StepRange // ascending by global step
}

func newClock(t source.Run) *clock {
	c := &clock{t: t, steps: map[record.Mode][]source.StepRange{}}
	c.trains = byPlace(c.of(record.Train))
	return c
}

// of are the steps of a mode.
func (c *clock) of(mode record.Mode) []source.StepRange {
	list, known := c.steps[mode]
	if known || c.t == nil {
		return list
	}
	if s, ok := c.t.(source.Clocks); ok {
		list = s.Stretches(mode)
	} else {
		for _, s := range c.t.StepInfos(mode, "") {
			list = source.AddSteps(list, source.StepRange{From: s.ModeStep, Global: s.Step, Count: 1})
		}
	}
	c.steps[mode] = list
	return list
}

// between are the steps that end a pass of evaluation: updates of the weights, in a run
// without any the steps of no other mode.
func (c *clock) between() []source.StepRange {
	if len(c.trains) > 0 {
		return c.trains
	}
	return byPlace(c.of(record.Global))
}

func byPlace(list []source.StepRange) []source.StepRange {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b source.StepRange) int { return cmp.Compare(a.Global, b.Global) })
	return list
}

// latest is the last of some steps that came by a place among all steps; where that is
// before the first, the one before it: -1 of those that begin with 0.
func latest(list []source.StepRange, global int64) int64 {
	i, found := slices.BinarySearchFunc(list, global, func(s source.StepRange, at int64) int { return cmp.Compare(s.Global, at) })
	if !found {
		i--
	}
	if i < 0 {
		return list[0].From - 1
	}
	s := &list[i]
	return s.From + min(global-s.Global, s.Count-1)
}

// at is the update that was made last at a global step. What comes before the first
// one is in its place.
func (c *clock) at(global int64) int64 {
	if len(c.trains) == 0 {
		return 0
	}
	return max(latest(c.trains, global), 0)
}

// updates gives steps of a mode their places: those of the updates before them.
func (c *clock) updates(mode record.Mode, steps []int64) []int64 {
	if mode == record.Train || len(c.trains) == 0 {
		return steps
	}
	list := c.of(mode)
	out := make([]int64, len(steps))
	for k, s := range steps {
		out[k] = c.at(global(list, s))
	}
	return out
}

// global is the place of a mode's step among all steps, of those that are listed.
func global(list []source.StepRange, step int64) int64 {
	i, found := slices.BinarySearchFunc(list, step, func(v source.StepRange, step int64) int { return cmp.Compare(v.From, step) })
	if !found {
		i--
	}
	if i >= 0 && step < list[i].From+list[i].Count {
		step += list[i].Global - list[i].From
	}
	return step
}
