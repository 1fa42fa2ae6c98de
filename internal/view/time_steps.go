package view

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// StepSeries is how long the steps of a worker in a mode took, over the steps, as a
// chart shows it.
type StepSeries struct {
	Worker string
	Mode   record.Mode
	Raw    bool  // every column is one step
	Steps  int64 // in all
	// X to XLast are the mode steps of a column, Times when it began, in seconds since
	// 1970; the rest is in seconds of one step, with the gap before it.
	X, XLast       []int64
	Times          []float64
	Min, Max, Mean []float64
	Parts          []StepPartSeries
	Outliers       []StepOutlier // the longest first
	MoreOutliers   int64         // that are not listed
	Typical, P99   float64       // the median and the 99th percentile, to a thousandth
	Shortest       float64
	Longest        float64
	Edges          []float64 // of the bins of the histogram: one more than there are counts
	Counts         []int64   // of steps
	Logarithmic    bool      // the bins widen by a factor
}

// StepPartSeries is the mean time of one part in each column.
type StepPartSeries struct {
	Part   record.StepPart
	Values []float64
}

// StepOutlier is a step that took 3 times the median or longer.
type StepOutlier struct {
	Step    int64
	Time    time.Time // when it closed
	Seconds float64
	Times   float64 // the typical time
}

// StepSeriesOf reads the steps of a worker (empty: the chief) from a mode step on up
// to another one, which is not included (0: no end).
func StepSeriesOf(t source.Run, worker string, mode record.Mode, from, to int64, columns int) (*StepSeries, error) {
	if worker == "" {
		worker = t.Chief()
	}
	parts, err := timesParts(t, worker, mode, from, to)
	if err != nil {
		return nil, fmt.Errorf("read step times of %q: %w", worker, err)
	}
	first, last := int64(math.MaxInt64), int64(-1)
	for i := range parts {
		first, last = min(first, parts[i].First), max(last, parts[i].Last)
	}
	b := newStepSeries(first, last, max(columns, 2))
	for i := range parts {
		if err := b.addPart(&parts[i]); err != nil {
			return nil, fmt.Errorf("read step times of %q: %w", worker, err)
		}
	}
	s := b.result()
	s.Worker, s.Mode = worker, mode
	return s, nil
}

// timesParts are the step times of a worker in a range of steps: of a source that has
// no parts all together.
func timesParts(t source.Run, worker string, mode record.Mode, from, to int64) ([]source.TimesPart, error) {
	if p, ok := t.(source.TimesByStep); ok {
		return p.TimesParts(worker, mode, from, to)
	}
	m, ok := t.(source.Metrics)
	if !ok {
		return nil, nil
	}
	p := source.TimesPart{First: math.MaxInt64, Last: -1}
	p.Rows = func(fn func(*record.StepTime)) error {
		return m.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
			if row.Mode == mode && row.ModeStep >= from && (to == 0 || row.ModeStep < to) {
				fn(row)
			}
			return nil
		})
	}
	err := p.Rows(func(row *record.StepTime) { p.First, p.Last = min(p.First, row.ModeStep), max(p.Last, row.ModeStep) })
	if p.Last < 0 {
		return nil, err
	}
	return []source.TimesPart{p}, err
}

// stepSeriesBuilder holds few columns, each of as many steps, a power of two, and the
// steps by their length in bins a thousandth wide.
type stepSeriesBuilder struct {
	width       int          // bits of a step that do not tell columns apart
	columns     []stepColumn // ascending
	bins        map[int]int64
	longest     map[int]int64 // rows, by their longest step
	found       []found
	least       float64
	steps, rows int64
	low, high   float64
}

func newStepSeries(first, last int64, columns int) *stepSeriesBuilder {
	b := &stepSeriesBuilder{bins: map[int]int64{}, longest: map[int]int64{}, low: math.Inf(1)}
	for last>>b.width-first>>b.width >= int64(columns) {
		b.width++
	}
	return b
}

// partColumns are the columns that are remembered of a part.
const partColumns = 512

// addPart takes a part in: what is remembered of it, where its columns are no wider.
func (b *stepSeriesBuilder) addPart(p *source.TimesPart) error {
	own := newStepSeries(p.First, p.Last, partColumns)
	if p.Once == nil || own.width > b.width {
		return p.Rows(b.add)
	}
	made, err := p.Once(func() (any, error) { return own, p.Rows(own.add) })
	if err != nil {
		return err
	}
	b.join(made.(*stepSeriesBuilder))
	return nil
}

// join takes in what was made of a part. It stays as it is.
func (b *stepSeriesBuilder) join(o *stepSeriesBuilder) {
	for i := range o.columns {
		b.take(&o.columns[i])
	}
	for bin, n := range o.bins {
		b.bins[bin] += n
	}
	for bin, n := range o.longest {
		b.longest[bin] += n
	}
	for _, f := range o.found {
		b.note(f)
	}
	b.steps, b.rows, b.low, b.high = b.steps+o.steps, b.rows+o.rows, min(b.low, o.low), max(b.high, o.high)
}

// take adds to the column of its first step.
func (b *stepSeriesBuilder) take(c *stepColumn) {
	at, found := len(b.columns)-1, false
	if at >= 0 && b.columns[at].x>>b.width == c.x>>b.width {
		found = true
	} else if at++; at > 0 && b.columns[at-1].x > c.x { // the training went back
		at, found = slices.BinarySearchFunc(b.columns, c.x>>b.width, func(v stepColumn, place int64) int { return cmp.Compare(v.x>>b.width, place) })
	}
	if !found {
		b.columns = slices.Insert(b.columns, at, stepColumn{})
	}
	b.columns[at].take(c)
}

// note takes in a step that may be one of the longest.
func (b *stepSeriesBuilder) note(f found) {
	if f.seconds <= b.least {
		return
	}
	if b.found = append(b.found, f); len(b.found) >= 2*mostOutliers {
		b.found = longestOf(b.found)
		b.least = b.found[len(b.found)-1].seconds
	}
}

type stepColumn struct {
	x, last int64
	time    float64
	min     float64
	max     float64
	steps   int64
	parts   [record.StepParts]int64
}

const fineBin = 1.001

func fineBinOf(seconds float64) int { return int(math.Floor(math.Log(seconds) / math.Log(fineBin))) }

func (b *stepSeriesBuilder) add(row *record.StepTime) {
	if row.Steps < 1 || row.Total() <= 0 {
		return
	}
	each, longest, at := float64(row.Total())/1e9/float64(row.Steps), float64(row.Longest)/1e9, row.LongestStep
	if row.Steps == 1 || each > longest {
		longest, at = max(each, longest), row.ModeStep
	}
	b.bins[fineBinOf(each)] += row.Steps
	b.longest[fineBinOf(longest)]++
	b.low, b.high = min(b.low, each), max(b.high, longest)
	b.steps += row.Steps
	b.rows++
	b.take(&stepColumn{row.ModeStep, row.ModeStep + row.Steps - 1, seconds(row.Start), each, longest, row.Steps, row.Parts})
	b.note(found{row.End, longest, at})
}

// take adds what follows in the same column.
func (c *stepColumn) take(o *stepColumn) {
	switch {
	case o.steps == 0:
		return
	case c.steps == 0:
		*c = *o
		return
	}
	c.x, c.last, c.time = min(c.x, o.x), max(c.last, o.last), min(c.time, o.time)
	c.min, c.max, c.steps = min(c.min, o.min), max(c.max, o.max), c.steps+o.steps
	for p, ns := range o.parts {
		c.parts[p] += ns
	}
}

func (b *stepSeriesBuilder) result() *StepSeries {
	s := &StepSeries{Raw: b.width == 0 && b.rows == b.steps, Steps: b.steps, Parts: []StepPartSeries{}, Outliers: []StepOutlier{}}
	if b.steps == 0 {
		return s
	}
	var parts [record.StepParts]StepPartSeries
	for i := range b.columns {
		c := &b.columns[i]
		total := int64(0)
		for p, ns := range c.parts {
			total += ns
			parts[p].Values = append(parts[p].Values, float64(ns)/1e9/float64(c.steps))
		}
		s.X, s.XLast, s.Times = append(s.X, c.x), append(s.XLast, c.last), append(s.Times, c.time)
		s.Min, s.Max, s.Mean = append(s.Min, c.min), append(s.Max, c.max), append(s.Mean, float64(total)/1e9/float64(c.steps))
	}
	for p := range record.StepParts {
		if parts[p].Part = p; slices.ContainsFunc(parts[p].Values, func(v float64) bool { return v > 0 }) {
			s.Parts = append(s.Parts, parts[p])
		}
	}
	s.Shortest, s.Longest = b.low, b.high
	s.Typical, s.P99 = b.quantile(0.5), b.quantile(0.99)
	b.outliers(s)
	b.histogram(s)
	return s
}

func (b *stepSeriesBuilder) quantile(q float64) float64 {
	below := int64(0)
	for _, k := range slices.Sorted(maps.Keys(b.bins)) {
		if below += b.bins[k]; float64(below) >= q*float64(b.steps) {
			return min(max(math.Pow(fineBin, float64(k)+0.5), b.low), b.high)
		}
	}
	return b.high
}

func (b *stepSeriesBuilder) outliers(s *StepSeries) {
	if b.rows < 3 {
		return
	}
	long := outlying * s.Typical
	for _, f := range longestOf(b.found) {
		if f.seconds >= long {
			s.Outliers = append(s.Outliers, StepOutlier{f.step, f.at, f.seconds, f.seconds / s.Typical})
		}
	}
	if len(s.Outliers) < mostOutliers {
		return
	}
	all := int64(0)
	for bin, n := range b.longest {
		if bin >= fineBinOf(long) {
			all += n
		}
	}
	s.MoreOutliers = max(all-int64(len(s.Outliers)), 0)
}

// histogram makes bins of the fine ones: of equal width, or of equal factors where
// the longest step took much longer than the shortest.
func (b *stepSeriesBuilder) histogram(s *StepSeries) {
	keys := slices.Sorted(maps.Keys(b.bins))
	low, high := math.Pow(fineBin, float64(keys[0])), math.Pow(fineBin, float64(keys[len(keys)-1]+1))
	n := min(max((keys[len(keys)-1]+1-keys[0])/6, 1), 40)
	s.Logarithmic = high > 8*low
	edge := func(i int) float64 {
		if s.Logarithmic {
			return low * math.Pow(high/low, float64(i)/float64(n))
		}
		return low + (high-low)*float64(i)/float64(n)
	}
	for i := range n + 1 {
		s.Edges = append(s.Edges, edge(i))
	}
	s.Counts = make([]int64, n)
	for _, k := range keys {
		at, _ := slices.BinarySearchFunc(s.Edges, math.Pow(fineBin, float64(k)+0.5), cmp.Compare[float64])
		s.Counts[min(max(at-1, 0), n-1)] += b.bins[k]
	}
}
