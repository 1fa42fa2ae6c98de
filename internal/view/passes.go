package view

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// pass is one evaluation of a series: the steps of a mode between two updates of the
// weights. Its value is the mean over its samples.
type pass struct {
	update int64 // the last one before it; one less than the first where there is none
	last   int64 // step of the mode
	steps  int64
	value  float64
	ended  bool // no step of it is to come
}

// passReader reads the passes of a run. What several series share is read once.
type passReader struct {
	t       source.Run
	clock   *clock
	status  string
	samples map[clockKey]*passSamples
	aliases map[string]bool // names of the loss; nil: not read yet
}

func newPassReader(t source.Run, c *clock) *passReader {
	return &passReader{t: t, clock: c, status: t.Run().Status, samples: map[clockKey]*passSamples{}}
}

// of are the passes of a series, ascending.
func (r *passReader) of(q source.Query) ([]pass, error) {
	steps, values, err := r.t.Series(q)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	s := &passSamples{}
	if q.Stat == "" || q.Stat == "value" {
		if s, err = r.samplesOf(q); err != nil {
			return nil, err
		}
	}
	list := r.clock.of(q.Mode)
	trains := r.clock.between()
	sums := r.isLoss(q.Tensor)
	var out []pass
	var mean record.PassMean
	for i, step := range steps {
		before := step
		if len(trains) > 0 {
			before = latest(trains, global(list, step))
		}
		if n := len(out); n == 0 || out[n-1].update != before {
			mean = record.PassMean{}
			out = append(out, pass{update: before})
		}
		samples, sum := s.at(step)
		mean.Add(values[i], samples, sum && sums)
		p := &out[len(out)-1]
		p.last, p.steps, p.value = step, mean.Steps, mean.Value()
	}
	r.end(out, trains)
	return out, nil
}

// end reports which passes are over. The last one is when training went on after it, or
// when the job completed. Of a job that came to another end it may be cut off: it is
// over when it is as long as the one before.
func (r *passReader) end(list []pass, trains []source.StepRange) {
	n := len(list) - 1
	for i := range list[:n] {
		list[i].ended = true
	}
	p := &list[n]
	switch r.status {
	case record.Running:
	case record.Failed, record.Stopped, record.Lost:
		p.ended = n > 0 && p.steps >= list[n-1].steps
	default:
		p.ended = true
	}
	if k := len(trains) - 1; k >= 0 && trains[k].From+trains[k].Count-1 > p.update {
		p.ended = true
	}
}

// counted are the steps and the values of the passes that are over: each at its last
// step. Where none is, it is the only one so far, and open.
func (r *passReader) counted(q source.Query) (steps []int64, values []float64, open bool, err error) {
	list, err := r.over(q)
	for _, p := range list {
		steps, values, open = append(steps, p.last), append(values, p.value), !p.ended
	}
	return steps, values, open, err
}

// over are the passes that are over, else the only one so far.
func (r *passReader) over(q source.Query) ([]pass, error) {
	list, err := r.of(q)
	if n := len(list) - 1; n > 0 && !list[n].ended {
		list = list[:n]
	}
	return list, err
}

// updatesOf are the places of passes on an axis of updates: those that they came after.
// One before the first update is in its place, unless another one is there.
func updatesOf(list []pass) []int64 {
	out := make([]int64, len(list))
	for i, p := range list {
		if out[i] = p.update; p.update == -1 && (len(list) == 1 || list[1].update > 0) {
			out[i] = 0
		}
	}
	return out
}

// isLoss reports whether a series is the loss of its steps, under any name.
func (r *passReader) isLoss(name string) bool {
	if r.aliases == nil {
		r.aliases = map[string]bool{"loss": true}
		for _, info := range r.t.Tensors() {
			if info.AliasOf == "loss" {
				r.aliases[info.Name] = true
			}
		}
	}
	return r.aliases[name]
}

// passSamples are of how many samples the losses of steps are.
type passSamples struct{ means, sums stepValues }

type stepValues struct {
	steps  []int64
	values []float64
}

// at is the value of a step; 0 where there is none.
func (s *stepValues) at(step int64) float64 {
	i, found := slices.BinarySearch(s.steps, step)
	if !found {
		return 0
	}
	return s.values[i]
}

func (r *passReader) samplesOf(q source.Query) (*passSamples, error) {
	k := clockKey{q.Mode, q.Worker}
	if s := r.samples[k]; s != nil {
		return s, nil
	}
	s := &passSamples{}
	for name, to := range map[string]*stepValues{record.SamplesMean: &s.means, record.SamplesSum: &s.sums} {
		if len(r.t.StatNames(name)) == 0 {
			continue
		}
		steps, values, err := r.t.Series(source.Query{Tensor: name, Stat: "value", Mode: q.Mode, Worker: q.Worker})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read series %q: %w", name, err)
		}
		to.steps, to.values = steps, values
	}
	r.samples[k] = s
	return s, nil
}

// at are the samples of a step, 0 where that is not known, and whether its loss is
// their sum.
func (s *passSamples) at(step int64) (samples float64, sums bool) {
	if v := s.means.at(step); v > 0 {
		return v, false
	}
	return s.sums.at(step), true
}
