package chunk

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// LevelFrom is the number of points from which on a series in a table has
// levels: fewer are read as fast.
const LevelFrom = 2048

// levelPoints is about how many points are in a stretch of a level. A chart of
// 1,600 columns reads rows up to 1,600 times as many points, some 10 ms.
const levelPoints = 256

// What the stretches of a part of steps are of; the statistic of such a level.
const (
	ByStep = "step"
	ByTime = "time"
)

// LevelsOf is the name of the table of levels of a table.
func LevelsOf(table string) string { return table + ".levels" }

// Level is a stretch of a series in a table: all its points of one mode whose
// steps (or microseconds) differ in the last bits only, so that stretches of
// several tables make up columns whose width is a power of two.
type Level struct {
	record.Stretch
	Row int64 // its first row among those of the series in the table
}

// levelRow is one row of a table of levels.
type levelRow struct {
	Series string  `parquet:"series,dict"`
	Stat   string  `parquet:"stat,dict"`
	Mode   string  `parquet:"mode,dict"`
	Row    int64   `parquet:"row,delta"`
	From   int64   `parquet:"from,delta"`
	To     int64   `parquet:"to,delta"`
	Count  int64   `parquet:"count,delta"`
	Finite int64   `parquet:"finite,delta"`
	Min    float64 `parquet:"min,split"`
	Max    float64 `parquet:"max,split"`
	Mean   float64 `parquet:"mean,split"`
	First  float64 `parquet:"first,split"`
	Last   float64 `parquet:"last,split"`
}

// Levels are those of one table, collected.
type Levels struct {
	lists []levelList
	rows  int
}

type levelList struct {
	name, stat string
	mode       record.Mode
	width      int // steps in a stretch differ in so many of the last bits
	levels     []Level
}

// Empty reports whether no series is long enough.
func (l *Levels) Empty() bool { return l.rows == 0 }

// points are those of one series in one mode in the order stored: their steps, and
// their numbers among the rows of the series.
type points struct {
	at, row []int64
	first   []int64 // the first row at the same step, where several are
	width   int
	cuts    []int // where stretches end
}

// byMode sorts the points of a series out.
type byMode [record.Global + 1]points

func (b *byMode) clear() {
	for m := range b {
		b[m].clear()
	}
}

func (b *byMode) add(mode record.Mode, at, row int64) {
	if mode <= record.Global {
		b[mode].add(at, row)
	}
}

func (p *points) clear() { p.at, p.row, p.first = p.at[:0], p.row[:0], p.first[:0] }

// add takes in the next point. Of several at one step the last one counts.
func (p *points) add(at, row int64) {
	if k := len(p.at) - 1; k >= 0 && p.at[k] == at {
		p.row[k] = row
		return
	}
	p.at, p.row, p.first = append(p.at, at), append(p.row, row), append(p.first, row)
}

// cut finds the stretches: as small as leaves levelPoints in one on average, or
// somewhat less. ok is false for a series that is short, or whose steps do not
// ascend.
func (p *points) cut() (ok bool) {
	if len(p.at) <= LevelFrom {
		return false
	}
	var ends [65]int // by number of bits in which a point differs from the next one
	for i, x := range p.at[1:] {
		if x < p.at[i] {
			return false
		}
		ends[bits.Len64(uint64(x^p.at[i]))]++
	}
	stretches := 1
	for p.width = len(ends) - 1; p.width > 0; p.width-- {
		if stretches += ends[p.width]; stretches > len(p.at)*4/(3*levelPoints) {
			break
		}
	}
	p.cuts = p.cuts[:0]
	for i, x := range p.at[1:] {
		if x>>p.width != p.at[i]>>p.width {
			p.cuts = append(p.cuts, i+1)
		}
	}
	p.cuts = append(p.cuts, len(p.at))
	return true
}

// levels makes the stretches of series that have their points in common, out of
// the values of each.
func (p *points) levels(values ...func(row int64) float64) [][]Level {
	lists := make([][]Level, len(values))
	for i := range lists {
		lists[i] = make([]Level, 0, len(p.cuts))
	}
	from := 0
	for _, to := range p.cuts {
		for i, value := range values {
			lists[i] = append(lists[i], p.level(from, to, value))
		}
		from = to
	}
	return lists
}

func (p *points) level(from, to int, value func(row int64) float64) Level {
	n, sum, low, high := 0, 0.0, math.Inf(1), math.Inf(-1)
	var last float64
	for _, row := range p.row[from:to] {
		last = value(row)
		if last-last != 0 { // NaN or infinite
			continue
		}
		n++
		sum += last
		low, high = min(low, last), max(high, last)
	}
	mean := min(max(sum/float64(n), low), high) // the sum may be too large for a number
	if n == 0 {
		low, high, mean = math.NaN(), math.NaN(), math.NaN()
	}
	return Level{record.Stretch{From: p.at[from], To: p.at[to-1], Min: low, Max: high, Mean: mean,
		First: value(p.row[from]), Last: last, Count: int64(to - from), Finite: int64(n)}, p.first[from]}
}

// add takes in the levels of a series.
func (l *Levels) add(name, stat string, mode record.Mode, width int, levels []Level) {
	l.lists = append(l.lists, levelList{name, stat, mode, width, levels})
	l.rows += len(levels)
}

// Summarize gives the stretches of one series whose points are rows one after the
// other; nil when it is short, or its steps do not ascend.
func Summarize(at []int64, values []float64) []Level {
	var p points
	for i, x := range at {
		p.add(x, int64(i))
	}
	if !p.cut() {
		return nil
	}
	return p.levels(func(row int64) float64 { return values[row] })[0]
}

// Coarsen joins each two neighbouring stretches that make up a larger one.
func (l *Levels) Coarsen() {
	l.rows = 0
	for i := range l.lists {
		s := &l.lists[i]
		s.width++
		out := s.levels[:0]
		for _, v := range s.levels {
			if k := len(out) - 1; k >= 0 && out[k].From>>s.width == v.From>>s.width {
				out[k].Join(&v.Stretch)
			} else {
				out = append(out, v)
			}
		}
		s.levels = out
		l.rows += len(out)
	}
}

// Levels are those of the table of scalars and derived numbers.
func (s *ScalarRows) Levels() *Levels {
	l := &Levels{}
	var by byMode
	for k, cells := range s.lists {
		if _, hidden := Statistics[k.stat]; hidden || len(*cells) <= LevelFrom {
			continue
		}
		by.clear()
		for i, c := range *cells {
			step := s.steps[c.part].Step
			by.add(step.Mode, step.ModeStep, int64(i))
		}
		for m := range by {
			if by[m].cut() {
				l.add(k.name, k.stat, record.Mode(m), by[m].width, by[m].levels(func(row int64) float64 { return (*cells)[row].value })[0])
			}
		}
	}
	return l
}

// StatLevels are those of the table of statistics: of each of them.
func StatLevels(steps []journal.Lazy) *Levels {
	places := map[string][]at{}
	for p, s := range steps {
		for i := range s.Stats {
			places[s.Stats[i].Tensor] = append(places[s.Stats[i].Tensor], at{int32(p), int32(i)})
		}
	}
	l := &Levels{}
	var by byMode
	for name, list := range places {
		if len(list) <= LevelFrom {
			continue
		}
		by.clear()
		rows := make([]*tensor.Stats, len(list))
		var values []func(row int64) float64
		for _, stat := range StatisticNames {
			value := Statistics[stat].Value
			values = append(values, func(row int64) float64 { return value(rows[row]) })
		}
		for i, a := range list {
			s := steps[a.part]
			by.add(s.Mode, s.ModeStep, int64(i))
			rows[i] = &s.Stats[a.i].Stats
		}
		for m := range by {
			if !by[m].cut() {
				continue
			}
			for i, levels := range by[m].levels(values...) {
				l.add(name, StatisticNames[i], record.Mode(m), by[m].width, levels)
			}
		}
	}
	return l
}

// TimeLevels are those of the table of step times: of each part, by step and by
// the time at which a row begins.
func TimeLevels(list []record.StepTime) *Levels {
	l := &Levels{}
	if len(list) <= LevelFrom {
		return l
	}
	var values []func(row int64) float64
	for p := range record.StepParts + 1 {
		values = append(values, func(row int64) float64 { return list[row].Seconds(p) })
	}
	var steps, times byMode
	for i := range list {
		steps.add(list[i].Mode, list[i].ModeStep, int64(i))
		times.add(list[i].Mode, list[i].Start.UnixMicro(), int64(i))
	}
	for stat, by := range map[string]*byMode{ByStep: &steps, ByTime: &times} {
		for m := range by {
			if !by[m].cut() {
				continue
			}
			for p, levels := range by[m].levels(values...) {
				l.add(record.StepPart(p).Series(), stat, record.Mode(m), by[m].width, levels)
			}
		}
	}
	return l
}

// MetricLevels are those of the table of machine metrics, by time.
func MetricLevels(m *journal.Machine) *Levels {
	l := &Levels{}
	var p points
	for _, name := range m.Names {
		p.clear()
		column := m.Column(name)
		for i, v := range column {
			if !math.IsNaN(v) {
				p.add(m.Times[i], int64(i))
			}
		}
		if p.cut() {
			l.add(name, ValueStat, record.Global, p.width, p.levels(func(row int64) float64 { return column[row] })[0])
		}
	}
	return l
}

// Write writes the table.
func (l *Levels) Write(w io.Writer) error {
	slices.SortFunc(l.lists, func(a, b levelList) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.stat, b.stat), cmp.Compare(a.mode, b.mode))
	})
	rows := make([]levelRow, 0, l.rows)
	for _, s := range l.lists {
		for i := range s.levels {
			v := &s.levels[i]
			rows = append(rows, levelRow{s.name, s.stat, s.mode.String(), v.Row, v.From, v.To, v.Count, v.Finite, v.Min, v.Max, brief(v.Mean), v.First, v.Last})
		}
	}
	return write(w, len(rows), nil, []string{"series", "stat", "mode"}, func(k int) (levelRow, error) { return rows[k], nil })
}

// brief is a mean with 20 significant bits, which is more than a chart shows.
func brief(v float64) float64 {
	const rest = 1<<(52-19) - 1
	return math.Float64frombits((math.Float64bits(v) + rest/2) &^ rest)
}

// levelKey is whose levels follow each other in a table of levels.
type levelKey struct {
	name, stat string
	mode       record.Mode
}

// ReadLevels reads those of one series in a mode, ascending; none when it has
// none. Only one call at a time may be made.
func (f *File) ReadLevels(name, stat string, mode record.Mode) ([]Level, error) {
	if f.level == nil {
		c := &columns{f: f, n: f.Rows()}
		names, stats, modes := collect(c, "series", f.Strings), collect(c, "stat", f.Strings), c.modes()
		if c.err != nil {
			return nil, c.err
		}
		index := map[levelKey]Entry{}
		var before levelKey
		for i := range names {
			k := levelKey{names[i], stats[i], modes[i]}
			e, known := index[k]
			if !known {
				e.From = int64(i)
			} else if before != k {
				return nil, fmt.Errorf("%w: levels of %.200q are in two places", ErrFormat, names[i])
			}
			e.Rows++
			index[k], before = e, k
		}
		f.level = index
	}
	e := f.level[levelKey{name, stat, mode}]
	return f.levels(e.From, e.Rows)
}

func (f *File) levels(from, n int64) ([]Level, error) {
	c := &columns{f: f, from: from, n: n}
	row, first, last := collect(c, "row", f.Int64s), collect(c, "from", f.Int64s), collect(c, "to", f.Int64s)
	count, finite := collect(c, "count", f.Int64s), collect(c, "finite", f.Int64s)
	low, high, mean := collect(c, "min", f.Floats), collect(c, "max", f.Floats), collect(c, "mean", f.Floats)
	begin, end := collect(c, "first", f.Floats), collect(c, "last", f.Floats)
	if c.err != nil {
		return nil, c.err
	}
	out := make([]Level, n)
	for k := range out {
		out[k] = Level{record.Stretch{From: first[k], To: last[k], Min: low[k], Max: high[k], Mean: min(max(mean[k], low[k]), high[k]),
			First: begin[k], Last: end[k], Count: count[k], Finite: finite[k]}, row[k]}
		if k > 0 && (row[k] <= row[k-1] || first[k] <= last[k-1]) || first[k] > last[k] || row[k] < 0 || finite[k] < 0 || finite[k] > count[k] {
			return nil, fmt.Errorf("%w: stretch %d of a level", ErrFormat, k)
		}
	}
	return out, nil
}
