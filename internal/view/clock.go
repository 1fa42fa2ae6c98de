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
	c.trains = slices.Clone(c.of(record.Train))
	slices.SortStableFunc(c.trains, func(a, b source.StepRange) int { return cmp.Compare(a.Global, b.Global) })
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

// at is the update that was made last at a global step.
func (c *clock) at(global int64) int64 {
	i, found := slices.BinarySearchFunc(c.trains, global, func(s source.StepRange, at int64) int { return cmp.Compare(s.Global, at) })
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	s := &c.trains[i]
	return s.From + min(global-s.Global, s.Count-1)
}

// updates gives steps of a mode their places.
func (c *clock) updates(mode record.Mode, steps []int64) []int64 {
	if mode == record.Train || len(c.trains) == 0 {
		return steps
	}
	list := c.of(mode)
	out := make([]int64, len(steps))
	for k, s := range steps {
		i, found := slices.BinarySearchFunc(list, s, func(v source.StepRange, step int64) int { return cmp.Compare(v.From, step) })
		if !found {
			i--
		}
		if i >= 0 && s < list[i].From+list[i].Count {
			s += list[i].Global - list[i].From
		}
		out[k] = c.at(s)
	}
	return out
}
