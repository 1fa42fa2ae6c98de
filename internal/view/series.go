package view

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Ask names a series of a run. Stat "" is the value of a scalar, else the mean;
// Mode "" the first that has values; Worker "" the chief.
type Ask struct{ Tensor, Stat, Mode, Worker string }

// Axis is what the x of a chart counts.
type Axis string

// The axes.
const (
	ByStep   Axis = "step"     // of the series' mode
	ByUpdate Axis = "update"   // of the weights; an evaluation is one point, after the update that came before it
	ByTime   Axis = "time"     // seconds since 1970
	ByAge    Axis = "relative" // seconds since the run began
	ByEpoch  Axis = "epoch"    // passes over the training's data
)

// Frame is the part of a chart that is on the screen. From and To are in the
// axis' unit; NaN is no bound.
type Frame struct {
	Axis     Axis
	From, To float64
	Columns  int
}

// Line is a series as a chart draws it. Where Raw holds, X and Mean are the points
// themselves; else each place stands for a column of points.
type Line struct {
	Ask
	Unit                      string
	Raw                       bool
	Points                    int64   // that are drawn, or stood for
	First, Last               float64 // x of the whole series' first and last point; NaN of none
	X, XLast                  []float64
	Min, Max, Mean, LastValue []float64
	Odd                       []int64 // 1 where a value is NaN or infinite
	Err                       error
}

// Lines reads series for a chart. What is wrong with one is in its Err.
func Lines(t source.Run, asks []Ask, e Frame) []Line {
	r := newLineReader(t, e)
	out := make([]Line, len(asks))
	for i, ask := range asks {
		out[i] = r.line(ask)
	}
	return out
}

// lineReader reads lines of one run along one axis.
type lineReader struct {
	t       source.Run
	e       Frame
	kinds   map[string]record.Kind
	clocks  map[clockKey]*stepClock
	counted *clock // of updates, when it was needed
	passes  *passReader
	epochs  *record.EpochFacts
	run     record.Run
}

type clockKey struct {
	mode   record.Mode
	worker string
}

func newLineReader(t source.Run, e Frame) *lineReader {
	r := &lineReader{t: t, e: e, clocks: map[clockKey]*stepClock{}, run: t.Run()}
	if f, err := r.run.KnownFacts(); err == nil && f != nil {
		r.epochs = f.Epochs
	}
	return r
}

// line reads one series.
func (r *lineReader) line(ask Ask) Line {
	ask.Tensor = r.named(ask.Tensor)
	l := Line{Ask: ask, First: math.NaN(), Last: math.NaN()}
	modes, err := r.modes(ask)
	if err == nil && l.Stat == "" {
		l.Stat, err = r.stat(ask.Tensor)
	}
	if err != nil {
		l.Err = err
		return l
	}
	l.Unit = r.unit(&l.Ask)
	for _, mode := range modes {
		l.Mode = mode.String()
		if err := r.read(&l, mode); err != nil || l.Points > 0 || !math.IsNaN(l.First) {
			l.Err = err
			break
		}
	}
	if l.Worker == "" {
		l.Worker = r.t.Chief()
	}
	return l
}

func (r *lineReader) modes(ask Ask) ([]record.Mode, error) {
	if ask.Mode != "" {
		mode, err := record.ParseMode(ask.Mode)
		return []record.Mode{mode}, err
	}
	modes := r.t.Modes()
	if r.isMetric(ask.Tensor) {
		modes = []record.Mode{record.Global}
	}
	if len(modes) == 0 {
		modes = []record.Mode{record.Train}
	}
	return modes, nil
}

// stat is the statistic that stands for a tensor, as `vigil values` shows it.
func (r *lineReader) stat(name string) (string, error) {
	known := r.t.StatNames(name)
	switch {
	case len(known) == 0:
		return "", fmt.Errorf("there are no stored values of %.200q: %w", name, fs.ErrNotExist)
	case slices.Contains(known, "value"):
		return "value", nil
	}
	return "mean", nil
}

// named is the full name of what a name means, as Meant says.
func (r *lineReader) named(name string) string {
	if full := record.TrainingSeries(name); r.kind(name) == "" && r.kind(full) != "" {
		return full
	}
	return name
}

func (r *lineReader) kind(name string) record.Kind {
	if r.kinds == nil {
		r.kinds = map[string]record.Kind{}
		for _, info := range r.t.Tensors() {
			r.kinds[info.Name] = info.Kind
		}
	}
	return r.kinds[name]
}

// isMetric reports whether a name is a metric of the machine.
func (r *lineReader) isMetric(name string) bool { return r.kind(name) == record.MachineMetric }

func (r *lineReader) unit(ask *Ask) string {
	if r.isMetric(ask.Tensor) {
		return MetricUnit(ask.Tensor)
	}
	if r.kinds[ask.Tensor] == record.PartTime {
		return "s"
	}
	return ""
}

// read fills a line with the values of one mode.
func (r *lineReader) read(l *Line, mode record.Mode) error {
	if r.isMetric(l.Tensor) && (r.e.Axis == ByTime || r.e.Axis == ByAge) {
		return r.readByTime(l)
	}
	place, err := r.place(mode, l.Worker)
	if err != nil {
		return err
	}
	q := source.Query{Tensor: l.Tensor, Stat: l.Stat, Mode: mode, Worker: l.Worker}
	if mode.Evaluates() && r.e.Axis != ByStep || mode == record.Global && (r.e.Axis == ByUpdate || r.e.Axis == ByEpoch) {
		return r.readTogether(l, q, place)
	}
	q.From, q.To = place.steps(r.e.From, r.e.To)
	c, err := Columns(r.t, q, r.e.Columns)
	if err != nil {
		return readError(l, err)
	}
	return place.fill(l, &c)
}

func readError(l *Line, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the run has no %s of %.200q: %w", l.Stat, l.Tensor, fs.ErrNotExist)
	}
	return err
}

// readByTime reads a metric of the machine.
func (r *lineReader) readByTime(l *Line) error {
	origin := 0.0
	if r.e.Axis == ByAge {
		origin = seconds(r.run.Started)
	}
	instant := func(x float64) time.Time {
		if math.IsNaN(x) {
			return time.Time{}
		}
		return time.UnixMicro(int64((x + origin) * 1e6))
	}
	q := source.TimeQuery{Series: l.Tensor, Of: l.Worker, From: instant(r.e.From), To: instant(r.e.To)}
	c, err := ColumnsByTime(r.t, q, r.e.Columns)
	if err != nil {
		return readError(l, err)
	}
	l.fill(c, func(us int64) float64 { return float64(us)/1e6 - origin })
	return nil
}

// readTogether reads a series of which several points are at one place: the steps of an
// evaluation, of which the value is shown, or those between two updates.
func (r *lineReader) readTogether(l *Line, q source.Query, p *place) error {
	at, values, err := r.together(q, p)
	if err != nil {
		return readError(l, err)
	}
	if p.clock != nil {
		from, to := p.steps(r.e.From, r.e.To)
		q.From, q.To = from, to
		from, to = q.Bounds()
		c := columnsOf(at, values, from, to, r.e.Columns)
		return p.fill(l, &c)
	}
	x := map[int64]float64{}
	kept := values[:0:0]
	places := at[:0:0]
	for i, u := range at {
		v := p.ofUpdate(u)
		if math.IsNaN(v) {
			continue
		}
		x[u] = v
		places, kept = append(places, u), append(kept, values[i])
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	place := func(x0 float64) int64 { // the first one there or beyond
		i := sort.Search(len(places), func(i int) bool { return x[places[i]] >= x0 })
		if i == len(places) {
			return math.MaxInt64 - 1
		}
		return places[i]
	}
	if !math.IsNaN(r.e.From) {
		from = place(r.e.From)
	}
	if !math.IsNaN(r.e.To) {
		to = place(r.e.To)
	}
	l.fill(columnsOf(places, kept, from, to, r.e.Columns), func(u int64) float64 { return x[u] })
	return nil
}

// together are the values that are drawn of a series, by the updates that they came
// after; on an axis of time, of evaluations, by their last steps.
func (r *lineReader) together(q source.Query, p *place) (at []int64, values []float64, err error) {
	if !q.Mode.Evaluates() {
		at, values, err = r.t.Series(q)
		for i, s := range at {
			at[i] = p.update(s)
		}
		at, values = together(at, values)
		return at, values, err
	}
	if r.passes == nil {
		r.passes = newPassReader(r.t, r.updates())
	}
	list, err := r.passes.over(q)
	at = updatesOf(list)
	for i := range list {
		switch {
		case p.clock != nil:
			at[i] = list[i].last
		case r.e.Axis == ByEpoch:
			at[i] = list[i].update
		}
		values = append(values, list[i].value)
	}
	return at, values, err
}

// columnsOf are the columns of points that are at hand.
func columnsOf(at []int64, values []float64, from, to int64, columns int) (c source.Columns) {
	if len(at) > 0 {
		c.Begin, c.End = at[0], at[len(at)-1]
	}
	if from < to {
		c = source.ColumnsOf(at, values, from, to, columns)
	}
	return c
}

// fill takes columns over. at is where a step is on the axis.
func (l *Line) fill(c source.Columns, at func(int64) float64) {
	l.Points, l.Raw = c.Points, c.Width == 0
	if c.Begin != c.End || c.Points > 0 {
		l.First, l.Last = at(c.Begin), at(c.End)
	}
	if l.Raw {
		for i, s := range c.Steps {
			if x := at(s); !math.IsNaN(x) {
				l.X, l.Mean = append(l.X, x), append(l.Mean, c.Values[i])
			}
		}
		return
	}
	for i := range c.Columns {
		s := &c.Columns[i]
		from, to := at(s.From), at(s.To)
		if math.IsNaN(from) || math.IsNaN(to) {
			continue
		}
		odd := int64(0)
		if s.Finite < s.Count {
			odd = 1
		}
		l.X, l.XLast = append(l.X, from), append(l.XLast, to)
		l.Min, l.Max, l.Mean, l.LastValue = append(l.Min, s.Min), append(l.Max, s.Max), append(l.Mean, s.Mean), append(l.LastValue, s.Last)
		l.Odd = append(l.Odd, odd)
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
