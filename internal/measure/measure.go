// Package measure computes, while a tensor's bytes are at hand, everything that
// the plan wants to know of it: its statistics, what they are against an
// earlier value of the same tensor, and how active its units are. Earlier
// values are kept in a spill file that survives the process.
package measure

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// DefaultLimit is the size that the spill file may reach when Options name
// none.
const DefaultLimit = 8 << 30

// Options of a Meter.
type Options struct {
	// Spill is the path of the file that holds earlier values. It is made when
	// the first of them is kept; when it exists, its content is used again.
	// Empty: nothing earlier is kept, so nothing is compared or pooled.
	Spill string
	// Limit is the size in bytes that the spill file may reach; 0 means
	// DefaultLimit. Values beyond it are not kept, and Tensor says so.
	Limit int64
}

// Meter measures the tensors of one worker. Its methods must be called by one
// goroutine at a time.
type Meter struct {
	spill  *spill // nil without a spill file
	tracks map[trackKey]*track
	acked  [4]acked // by mode
	counts []uint32
	totals []uint64

	sideCounts []uint32
	bytes      []byte
	joint      joint
}

// trackKey names what is measured over steps. Steps of different modes are
// never compared.
type trackKey struct {
	tensor string
	mode   record.Mode
}

// track is what a Meter knows of one tensor in one mode.
type track struct {
	wants wants
	pairs *history            // nil until the first value is kept
	units map[string]*history // by the key of the request
}

// acked is the last step that was acknowledged, once somebody said so.
type acked struct {
	told bool
	step int64
}

// New makes a Meter and reads the spill file of an earlier one, if there is
// any. Damaged parts of it are treated as values that were never kept.
func New(o Options) (*Meter, error) {
	m := &Meter{tracks: map[trackKey]*track{}}
	if o.Spill == "" {
		return m, nil
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	var err error
	if m.spill, err = openSpill(o.Spill, o.Limit); err != nil {
		return nil, fmt.Errorf("open spill file %q: %w", o.Spill, err)
	}
	return m, nil
}

// Tensor measures one value. The statistics are always computed, with the
// histogram when a request of d that is due at modeStep wants it; so are the
// pairs, units, quantiles, the median and the product of the requests that are due. A tensor with
// elements that are not finite gets the position of the first of each kind. A request whose interval is
// left to the budget is due at every step that is captured. v is read during
// the call only; the result is the caller's.
//
// The earlier value of a pair is looked for among the steps at which the
// request was due, so what else is captured makes no difference; where there is
// none, there is no number. A step may be measured again (after a restart, when
// it was not acknowledged): the result is the same. An error concerns the spill
// file or a unit count; the statistics and all else that could be computed are
// returned with it.
func (m *Meter) Tensor(info record.TensorInfo, d plan.Decision, mode record.Mode, modeStep int64, v tensor.View) (record.TensorStats, []record.Derived, error) {
	hist, more, computed := false, false, plan.Want(0)
	for i := range d.Requests {
		r := &d.Requests[i]
		more = more || len(r.Pairs)+len(r.Units)+len(r.Quantiles)+len(r.Readings) > 0
		if r.Want&(plan.Hist|plan.Computed) != 0 && due(r.Schedule[mode], modeStep) {
			hist = hist || r.Want&plan.Hist != 0
			computed |= r.Want & plan.Computed
		}
	}
	stats := record.TensorStats{Tensor: info.Name, Stats: tensor.Compute(v, hist)}
	var derived []record.Derived
	if stats.NonFinite() {
		derived = measureFirst(derived, info.Name, v, &stats.Stats)
	}
	derived = measureComputed(derived, info.Name, computed, v, &stats.Stats)
	if !more {
		return stats, derived, nil
	}
	t := m.track(trackKey{info.Name, mode}, d.Requests)
	var errs [3]error
	derived, errs[0] = m.measurePairs(derived, info.Name, t, mode, modeStep, v)
	derived, errs[1] = m.measureUnits(derived, info.Name, t, mode, modeStep, v, &stats.Stats)
	derived = measureQuantiles(derived, info.Name, &t.wants, modeStep, v, &stats.Stats)
	derived, errs[2] = m.measureReadings(derived, info, t, mode, modeStep, v, stats.Stats)
	if err := errors.Join(errs[:]...); err != nil {
		return stats, derived, fmt.Errorf("measure tensor %q at %s step %d: %w", info.Name, mode, modeStep, err)
	}
	return stats, derived, nil
}

// due reports whether a step that is captured counts for a schedule.
func due(s plan.ModeSchedule, step int64) bool { return s.Due(step, 1) }

// track finds what is known of a tensor, and brings it up to date when the plan
// has changed.
func (m *Meter) track(k trackKey, requests []plan.Request) *track {
	t := m.tracks[k]
	if t == nil {
		t = &track{units: map[string]*history{}}
		m.tracks[k] = t
	}
	if !t.wants.of(requests) {
		t.wants = newWants(requests, k.mode)
		m.forget(t)
	}
	return t
}

// forget lets go of the values that nobody asks for any more.
func (m *Meter) forget(t *track) {
	none := func(*kept) bool { return false }
	if t.pairs != nil && len(t.wants.pairs) == 0 {
		m.spill.release(t.pairs, none)
	}
	for key, h := range t.units {
		if !slices.ContainsFunc(t.wants.units, func(u wantedUnits) bool { return u.key == key }) {
			m.spill.release(h, none)
			delete(t.units, key)
		}
	}
}

// Acked says that the steps of a mode up to modeStep will not be measured
// again; -1 means that all may be. From the first call on, whatever a later
// step needs is kept for the case that it is measured again after a restart.
// Without any call only the last step can be, which suffices where each step is
// stored before the next one is measured.
func (m *Meter) Acked(mode record.Mode, modeStep int64) {
	a := &m.acked[mode]
	if !a.told || modeStep > a.step {
		*a = acked{true, modeStep}
	}
}

// frontier is the first step that may be measured again or later, when step is
// being measured.
func (m *Meter) frontier(mode record.Mode, step int64) int64 {
	if a := m.acked[mode]; a.told {
		return min(step, a.step+1)
	}
	return step
}

// Close closes the spill file and leaves it for the next Meter.
func (m *Meter) Close() error {
	if m.spill == nil {
		return nil
	}
	return m.spill.close()
}

// Remove closes the Meter and deletes its spill file: the run is over.
func (m *Meter) Remove() error {
	if m.spill == nil {
		return nil
	}
	return m.spill.remove()
}
