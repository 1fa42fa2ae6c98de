package view

import (
	"errors"
	"math"
	"sort"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// place reports where on an axis the steps of a mode are.
type place struct {
	at       func(step int64) float64 // ascending; NaN where it is not known
	update   func(step int64) int64   // the update before a step of another mode
	ofUpdate func(update int64) float64
	last     int64      // no step is beyond
	clock    *stepClock // of an axis of time: at knows the steps that it was asked for
	first    func(x float64) int64
}

// fill takes columns over, each at its place.
func (p *place) fill(l *Line, c *source.Columns) error {
	if p.clock != nil && !p.clock.ask(c) {
		return errNoTimes
	}
	l.fill(*c, p.at)
	return nil
}

var (
	errNoEpochs = errors.New("where the epochs of this run begin is not known; choose another axis")
	errNoTimes  = errors.New("when the steps of this run were is not known; choose another axis")
)

// place gives the axis of a mode's steps.
func (r *lineReader) place(mode record.Mode, worker string) (*place, error) {
	p := &place{last: math.MaxInt64 - 1}
	whole := func(step int64) float64 { return float64(step) }
	switch r.e.Axis {
	case ByTime, ByAge:
		p.clock = r.clock(mode, worker)
		if !p.clock.known() {
			return nil, errNoTimes
		}
		origin := 0.0
		if r.e.Axis == ByAge {
			origin = seconds(r.run.Started)
		}
		on := func(us int64) float64 { return float64(us)/1e6 - origin }
		p.at = func(step int64) float64 { return on(p.clock.Closed(step)) }
		p.first = func(x float64) int64 {
			us := int64((x+origin)*1e6) - 2
			for on(us) < x { // a number of seconds is exact to a microsecond only
				us++
			}
			return p.clock.first(us)
		}
		return p, nil
	case ByEpoch:
		if r.epochs == nil || len(r.epochs.Stretches) == 0 {
			return nil, errNoEpochs
		}
		made := r.run.Steps[record.Train.String()]
		p.at = func(step int64) float64 { return r.epochs.Passed(step, made) }
		p.ofUpdate = func(u int64) float64 { return after(r.epochs, u, made) }
	default:
		p.at, p.ofUpdate = whole, whole
	}
	if mode != record.Train && r.e.Axis != ByStep {
		p.update = func(step int64) int64 { return r.updates().updates(mode, []int64{step})[0] }
	}
	return p, nil
}

// updates is the clock of the run's updates.
func (r *lineReader) updates() *clock {
	if r.counted == nil {
		r.counted = newClock(r.t)
	}
	return r.counted
}

// after is where on the axis of epochs it is after an update was made, -1 before the
// first: at the end of an epoch, and not at the beginning of the next one, which may
// come later.
func after(epochs *record.EpochFacts, update, made int64) float64 {
	if update < 0 {
		return epochs.Passed(0, made)
	}
	here, next := epochs.Passed(update, made), epochs.Passed(update+1, made)
	if e, ok := epochs.Of(update); ok {
		return min(next, float64(e.Number))
	}
	return max(here, min(next, 0))
}

// beyond is a step that no run has.
const beyond = 1 << 60

// steps are the steps whose places are in a range: from included, to not. A bound
// of 0 is none.
func (p *place) steps(from, to float64) (first, end int64) {
	search := func(x float64) int64 {
		if p.first != nil {
			return p.first(x)
		}
		high := p.last
		if high > 1<<52 {
			high = 1 << 52
		}
		return int64(sort.Search(int(high)+1, func(s int) bool {
			v := p.at(int64(s))
			return math.IsNaN(v) || v >= x
		}))
	}
	if !math.IsNaN(from) {
		first = search(from)
	}
	if !math.IsNaN(to) {
		if end = search(to); end <= first {
			return beyond, beyond + 1
		}
	}
	return first, end
}

func (r *lineReader) clock(mode record.Mode, worker string) *stepClock {
	k := clockKey{mode, worker}
	c, known := r.clocks[k]
	if !known {
		c = newStepClock(r.t, mode, worker)
		r.clocks[k] = c
	}
	return c
}
