package view

import (
	"sort"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// mostKnots bounds what a step clock remembers: beyond it every second knot is
// left out, and the steps between two are spread evenly.
const mostKnots = 1 << 17

// stepClock tells when the steps of a mode closed.
type stepClock struct {
	step []int64 // of each knot, ascending
	at   []float64
	skip int // every so many knots are kept
	seen int
}

// newStepClock reads the times of a worker's steps (empty: the chief's): from the
// rows of step times, or, where there are none, from the steps themselves.
func newStepClock(t source.Run, mode record.Mode, worker string) *stepClock {
	c := &stepClock{skip: 1}
	if m, ok := t.(source.Metrics); ok {
		_ = m.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
			if row.Mode != mode || row.Steps < 1 {
				return nil
			}
			each := row.End.Sub(row.Start) / time.Duration(row.Steps)
			c.add(row.ModeStep, seconds(row.Start.Add(each)))
			if row.Steps > 1 {
				c.add(row.ModeStep+row.Steps-1, seconds(row.End))
			}
			return nil
		})
	}
	if len(c.step) == 0 {
		for _, s := range t.StepInfos(mode, worker) {
			c.add(s.ModeStep, seconds(s.Time))
		}
	}
	return c
}

// add takes a knot in. One that does not come after the last one takes the place
// of what comes after it: the training went back.
func (c *stepClock) add(step int64, at float64) {
	for n := len(c.step); n > 0 && c.step[n-1] >= step; n = len(c.step) {
		c.step, c.at = c.step[:n-1], c.at[:n-1]
	}
	if c.seen++; c.seen%c.skip != 0 {
		return
	}
	c.step, c.at = append(c.step, step), append(c.at, at)
	if len(c.step) > mostKnots {
		for i := range len(c.step) / 2 {
			c.step[i], c.at[i] = c.step[2*i], c.at[2*i]
		}
		n := len(c.step) / 2
		c.step, c.at, c.skip = c.step[:n], c.at[:n], c.skip*2
	}
}

// before is the last knot that is not after a step.
func (c *stepClock) before(step int64) int {
	return sort.Search(len(c.step), func(i int) bool { return c.step[i] > step }) - 1
}

// time is when a step closed, in seconds since 1970; a step beside those that are
// known counts as the nearest.
func (c *stepClock) time(step int64) float64 {
	i := c.before(step)
	if i < 0 {
		return c.at[0]
	}
	if i+1 == len(c.step) {
		return c.at[i]
	}
	part := float64(step-c.step[i]) / float64(c.step[i+1]-c.step[i])
	return c.at[i] + part*(c.at[i+1]-c.at[i])
}
