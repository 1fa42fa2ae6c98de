package server

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// points are the new points of the series that are asked for, as JSON.
func (w *runWatch) points(run *record.Run) map[string][]byte {
	if w.tail == nil {
		return nil
	}
	asked := w.t.wanted()
	w.chief = w.run.Chief()
	p := &collector{want: map[string][]wanted{}, train: run.Steps[record.Train.String()] > 0, out: map[string]*Points{}, passes: &w.passes, infos: w.run.Tensors}
	again := w.foundEpochs(run)
	p.epochs = w.epochs
	var parts []wanted
	for _, s := range asked {
		if again {
			p.out[s.text] = &Points{Series: s.text, Again: true}
		}
		if isPart(s.tensor) {
			parts = append(parts, s)
			continue
		}
		p.want[s.tensor] = append(p.want[s.tensor], s)
	}
	w.passes.asked(p.want)
	err := w.tail.Next(func(c *record.Complete) error {
		mode := c.Mode.String()
		w.steps[mode] = max(w.steps[mode], c.ModeStep+1)
		p.take(c, w.chief)
		return nil
	})
	if err != nil { // named as damage; the next look tries again
		return nil
	}
	if run.Status != record.Running {
		for text := range w.passes.open { // whether it is over, a reading tells
			p.again(text)
		}
		w.passes.open = nil
	}
	w.parts(run, parts, p)
	return p.encode()
}

// foundEpochs takes in what is known of the epochs, and tells whether the last update
// that was told is elsewhere in them than it seemed.
func (w *runWatch) foundEpochs(run *record.Run) (moved bool) {
	if bytes.Equal(w.facts, run.Facts) {
		return false
	}
	w.facts = slices.Clone(run.Facts)
	before := w.epochs
	w.epochs = run.Clock().Epochs
	last := w.steps[record.Train.String()] - 1
	return before != nil && last >= 0 && before.Passed(last, 0) != w.epochs.Passed(last, 0)
}

// collector picks the values of the series that are asked for out of steps.
type collector struct {
	want   map[string][]wanted // by tensor
	out    map[string]*Points
	train  bool
	epochs *record.EpochFacts
	passes *livePasses
	infos  func() []record.TensorInfo
}

func (p *collector) take(c *record.Complete, chief string) {
	if c.Mode == record.Train || c.Mode == record.Global && !p.train {
		p.passes.end(p)
	}
	if len(p.want) == 0 {
		return
	}
	speaks := chief
	if !slices.ContainsFunc(c.Parts, func(s *record.Step) bool { return s.Worker == chief }) && len(c.Parts) > 0 {
		speaks = c.Parts[0].Worker
	}
	for _, part := range c.Parts {
		samples, sums := part.Samples()
		each := func(tensor string, samples float64, value func(stat string) (float64, bool)) {
			for _, w := range p.want[tensor] {
				if w.worker != part.Worker && (w.worker != "" || part.Worker != speaks) || !w.any && w.mode != c.Mode || w.any && p.train && c.Mode != record.Train {
					continue
				}
				v, ok := value(w.stat)
				switch {
				case !ok:
				case c.Mode.Evaluates():
					p.passes.take(w.text, c, v, samples, sums && p.passes.isLoss(p.infos, tensor))
				default:
					p.add(w.text, c.Mode, c.ModeStep, v, c.Time)
				}
			}
		}
		for i := range part.Scalars {
			each(part.Scalars[i].Name, samples, func(stat string) (float64, bool) {
				return part.Scalars[i].Value, stat == "" || stat == "value"
			})
		}
		for i := range part.Stats {
			each(part.Stats[i].Tensor, 0, func(stat string) (float64, bool) {
				if stat == "" {
					stat = "mean"
				}
				return trial.StatOf(&part.Stats[i].Stats, stat)
			})
		}
		for i := range part.Derived {
			each(part.Derived[i].Tensor, 0, func(stat string) (float64, bool) { return part.Derived[i].Value, stat == part.Derived[i].Stat })
		}
	}
}

// add notes a point. Of two values at one step the later one counts.
func (p *collector) add(series string, mode record.Mode, step int64, value float64, at time.Time) {
	s := p.out[series]
	if s == nil {
		s = &Points{Series: series}
		p.out[series] = s
	}
	if n := len(s.X); n > 0 && s.X[n-1] == step {
		s.Values[n-1] = value
		return
	}
	if s.Again = s.Again || len(s.X) == mostPoints; s.Again {
		s.X, s.Values, s.Time, s.Epoch = nil, nil, nil, nil
		return
	}
	if mode == record.Train && p.epochs != nil {
		if e := p.epochs.Passed(step, 0); math.IsNaN(e) || len(s.Epoch) < len(s.X) {
			s.Epoch = nil
		} else {
			s.Epoch = append(s.Epoch, e)
		}
	}
	s.X, s.Values, s.Time = append(s.X, step), append(s.Values, value), append(s.Time, unix(at))
}

// again has a series read again.
func (p *collector) again(series string) {
	p.out[series] = &Points{Series: series, Again: true}
}

func (p *collector) encode() map[string][]byte {
	out := make(map[string][]byte, len(p.out))
	for name, s := range p.out {
		if b, err := json.Marshal(s); err == nil {
			out[name] = b
		}
	}
	return out
}

func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func isPart(tensor string) bool {
	if tensor == record.TimeSeries {
		return true
	}
	for p := range record.StepParts {
		if p.Series() == tensor {
			return true
		}
	}
	return false
}

// parts adds the new points of parts of steps.
func (w *runWatch) parts(run *record.Run, asked []wanted, p *collector) {
	by := map[string][]wanted{}
	for _, s := range asked {
		by[s.worker] = append(by[s.worker], s)
	}
	for worker, list := range by {
		since, known := w.times[worker]
		if !known && run.Time != nil {
			since = run.Time.Until
		}
		w.times[worker] = since
		_ = w.live.Times(worker, since, time.Time{}, func(row *record.StepTime) error {
			w.times[worker] = row.End
			for _, s := range list {
				if !s.any && s.mode != row.Mode || s.any && row.Mode != record.Train {
					continue
				}
				ns := row.Total() - row.Gap
				for part := range record.StepParts {
					if part.Series() == s.tensor {
						ns = row.Parts[part]
					}
				}
				p.add(s.text, row.Mode, row.ModeStep, float64(ns)/1e9/float64(max(row.Steps, 1)), row.End)
			}
			return nil
		})
	}
}
