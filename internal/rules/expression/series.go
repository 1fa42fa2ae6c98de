package expression

import (
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// series is what is remembered of one scalar, or one statistic of one tensor,
// of one worker.
type series struct {
	approximate bool // the last value is not exact

	name   string
	source int
	many   bool // one of those that match a pattern

	n       int64 // points there were
	at      int64 // mode step of the last one
	here    int64 // global step of the last one
	values  []float64
	steps   []int64
	periods []period
}

// add takes a point. Of the points it keeps the last ones, at least window.
func (s *series) add(value float64, modeStep, step int64, window int, since []int64) {
	s.n, s.at, s.here = s.n+1, modeStep, step
	if len(s.values) >= 2*window {
		s.values = s.values[:copy(s.values, s.values[len(s.values)-window+1:])]
		s.steps = s.steps[:copy(s.steps, s.steps[len(s.steps)-window+1:])]
	}
	s.values, s.steps = append(s.values, value), append(s.steps, modeStep)
	if s.periods == nil && len(since) > 0 {
		s.periods = make([]period, len(since))
	}
	for i, from := range since {
		if modeStep >= from {
			s.periods[i].add(value, modeStep)
		}
	}
}

func (s *series) last() float64 { return s.values[len(s.values)-1] }

// tail gives the last n points; ok is false when there are fewer.
func (s *series) tail(n int) (values []float64, steps []int64, ok bool) {
	from := len(s.values) - n
	if from < 0 {
		return nil, nil, false
	}
	return s.values[from:], s.steps[from:], true
}

// period holds what is known of all points from a step on, without the points.
type period struct {
	N                        int64
	First, Sum, Min, Max     float64
	From                     int64 // step of the first point; X counts from it
	SumX, SumY, SumXX, SumXY float64
}

func (p *period) add(y float64, step int64) {
	if p.N == 0 {
		p.First, p.Min, p.Max, p.From = y, y, y, step
	}
	x := float64(step - p.From)
	p.N++
	p.Sum += y
	// NaN stays, as in the mean.
	p.Min, p.Max = math.Min(p.Min, y), math.Max(p.Max, y)
	p.SumX, p.SumY, p.SumXX, p.SumXY = p.SumX+x, p.SumY+(y-p.First), p.SumXX+x*x, p.SumXY+x*(y-p.First)
}

func (p *period) slope() (float64, bool) {
	n := float64(p.N)
	d := n*p.SumXX - p.SumX*p.SumX
	if p.N < 2 || d == 0 {
		return 0, false
	}
	return (n*p.SumXY - p.SumX*p.SumY) / d, true
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func least(v []float64) float64 {
	m := v[0]
	for _, x := range v[1:] {
		m = math.Min(m, x)
	}
	return m
}

func most(v []float64) float64 {
	m := v[0]
	for _, x := range v[1:] {
		m = math.Max(m, x)
	}
	return m
}

// deviation is the population standard deviation.
func deviation(v []float64) float64 {
	m, sum := mean(v), 0.0
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(v)))
}

// slope is that of the line of least squares, per mode step.
func slope(v []float64, steps []int64) (float64, bool) {
	var p period
	for i := range v {
		p.add(v[i], steps[i])
	}
	return p.slope()
}

// quantileOf interpolates between the two nearest values. With a value that
// is NaN there is none: NaN.
func quantileOf(v []float64, q float64, scratch *[]float64) float64 {
	*scratch = append((*scratch)[:0], v...)
	s := *scratch
	slices.Sort(s) // NaN first
	if math.IsNaN(s[0]) {
		return math.NaN()
	}
	at := q * float64(len(s)-1)
	lo := int(at)
	if f := at - float64(lo); f > 0 {
		return s[lo] + f*(s[lo+1]-s[lo])
	}
	return s[lo]
}

// savedSeries is a series in a state.
type savedSeries struct {
	Name    string        `json:"name"`
	N       int64         `json:"n"`
	At      int64         `json:"at"`
	Here    int64         `json:"here"`
	Values  []rule.Number `json:"values"`
	Steps   []int64       `json:"steps"`
	Periods []savedPeriod `json:"periods,omitempty"`
}

type savedPeriod struct {
	N    int64          `json:"n"`
	From int64          `json:"from"`
	Sums [8]rule.Number `json:"sums"`
}

func (s *series) save(window int) savedSeries {
	from := max(0, len(s.values)-window)
	out := savedSeries{Name: s.name, N: s.n, At: s.at, Here: s.here, Steps: s.steps[from:], Values: make([]rule.Number, 0, window)}
	for _, x := range s.values[from:] {
		out.Values = append(out.Values, rule.Number(x))
	}
	for i := range s.periods {
		p := &s.periods[i]
		v := savedPeriod{N: p.N, From: p.From}
		for k, x := range p.sums() {
			v.Sums[k] = rule.Number(*x)
		}
		out.Periods = append(out.Periods, v)
	}
	return out
}

func (p *period) sums() [8]*float64 {
	return [8]*float64{&p.First, &p.Sum, &p.Min, &p.Max, &p.SumX, &p.SumY, &p.SumXX, &p.SumXY}
}

func (v savedSeries) series(source int, many bool) *series {
	s := &series{name: v.Name, source: source, many: many, n: v.N, at: v.At, here: v.Here, steps: slices.Clone(v.Steps)}
	for _, x := range v.Values {
		s.values = append(s.values, float64(x))
	}
	for _, saved := range v.Periods {
		p := period{N: saved.N, From: saved.From}
		for k, x := range p.sums() {
			*x = float64(saved.Sums[k])
		}
		s.periods = append(s.periods, p)
	}
	return s
}
