package trial

import (
	"cmp"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/chunk"
)

// mostDrawn bounds what a trial remembers of series, in points: 64 MiB.
const (
	mostDrawn     = 4 << 20
	pointsOfLevel = 5 // what the memory of a level would hold
)

// drawingKey is what is remembered.
type drawingKey struct {
	dir               string
	chunk             int
	table, name, stat string
	mode              record.Mode
	below             int64 // from this step on all is taken back; for series by time
}

// drawing is what one chunk or journal gives of a series: levels, or points where
// there are none, ascending.
type drawing struct {
	n       int
	key     drawingKey
	levels  []chunk.Level
	visible int  // of the levels: those before steps that were taken back
	placed  bool // the levels say where their rows are
	steps   []int64
	values  []float64
}

// drawing reads what a chunk or journal gives of a series.
func (t *Trial) drawing(s *series, n int, l *line) (h drawing) {
	below := int64(math.MaxInt64)
	if l.table != chunk.Metrics {
		below = t.below(s, n, l.mode)
	}
	if j := s.tails[n]; j != nil {
		steps, values := l.tail(j, below)
		steps, values = ascending(steps, values)
		return drawing{n: n, steps: steps, values: values}
	}
	c := s.chunks[n]
	if c == nil || c.tables[l.table] == nil { // what is of machines makes room for others
		return h
	}
	key := drawingKey{dir: s.dir, chunk: n, table: l.table, name: l.name, stat: l.stat, mode: l.mode, below: math.MaxInt64}
	if l.byTime && t.reaches(c, l, below) {
		key.below = below
	}
	h, known := t.charts[key]
	if !known {
		if h, known = t.summary(c, l, key.below); !known {
			return drawing{}
		}
		t.remember(key, h)
	}
	h.n, h.key = n, key
	h.visible = len(h.levels)
	if below == math.MaxInt64 || l.byTime {
		return h
	}
	// Taken back is the end of it. Of the stretch that is cut, points are left.
	h.visible, _ = slices.BinarySearchFunc(h.levels, below, func(v chunk.Level, step int64) int { return cmp.Compare(v.To, step) })
	if h.visible < len(h.levels) && h.levels[h.visible].From < below {
		h.steps, h.values = t.rowsOf(c, l, &h, h.visible, h.visible)
	}
	k, _ := slices.BinarySearch(h.steps, below)
	h.steps, h.values = h.steps[:k], h.values[:k]
	return h
}

// below is the first step of a mode that was taken back in a chunk or journal.
func (t *Trial) below(s *series, n int, mode record.Mode) int64 {
	below := int64(math.MaxInt64)
	for _, r := range t.rewound {
		if step, some := r.From(s.dir, n, mode); some {
			below = min(below, step)
		}
	}
	return below
}

// reaches reports whether steps of a series by time were taken back. Where levels by
// step know better it is not.
func (t *Trial) reaches(c *sealed, l *line, below int64) bool {
	if below == math.MaxInt64 {
		return false
	}
	f := t.table(c, chunk.LevelsOf(l.table))
	if f == nil {
		return true
	}
	levels, err := f.ReadLevels(l.name, chunk.ByStep, l.mode)
	return err != nil || len(levels) == 0 || levels[len(levels)-1].To >= below
}

// summary reads what a chunk gives of a series: its levels, or else its rows.
func (t *Trial) summary(c *sealed, l *line, below int64) (h drawing, ok bool) {
	name := chunk.LevelsOf(l.table)
	if f := t.table(c, name); f != nil && below == math.MaxInt64 {
		levels, err := f.ReadLevels(l.name, l.stat, l.mode)
		if err != nil {
			t.spoil(c.tables[name], err)
		} else if len(levels) > 0 {
			return drawing{levels: levels, placed: true}, true
		}
	}
	f := t.table(c, l.table)
	if f == nil {
		return h, false
	}
	n, read := l.rows(f)
	steps, values, err := read(0, n, below)
	if err != nil {
		t.spoil(c.tables[l.table], err)
		return h, false
	}
	if slices.IsSorted(steps) {
		if h.levels = chunk.Summarize(steps, values); h.levels != nil {
			return h, true
		}
	}
	steps, values = ascending(steps, values)
	h.steps, h.values = slices.Clone(steps), slices.Clone(values) // not what they were cut from
	return h, true
}

func (t *Trial) remember(k drawingKey, h drawing) {
	t.room(1 + len(h.steps) + pointsOfLevel*len(h.levels))
	t.charts[k] = h
}

// room makes room for so many points more.
func (t *Trial) room(points int) {
	if t.charted += points; t.charts == nil || t.charted > mostDrawn {
		t.charts, t.zoomed, t.charted = map[drawingKey]drawing{}, map[drawingKey]zoomed{}, points
		t.clocks, t.places, t.once = map[drawingKey]*knots{}, map[drawingKey]byMode{}, map[drawingKey]any{}
	}
}

// zoomed are the points of neighbouring stretches of a chunk, as they were read
// last: charts that are drawn again, or moved, need them again.
type zoomed struct {
	first, last int
	steps       []int64
	values      []float64
}

// rowsOf reads the points of neighbouring stretches of a chunk.
func (t *Trial) rowsOf(c *sealed, l *line, h *drawing, first, last int) (steps []int64, values []float64) {
	r := source.Range{From: h.levels[first].From, To: h.levels[last].To}
	if z, there := t.zoomed[h.key]; there && z.first <= first && z.last >= last {
		return r.Cut(z.steps, z.values)
	}
	f := t.table(c, l.table)
	if f == nil {
		return nil, nil
	}
	n, read := l.rows(f)
	from, z := int64(0), zoomed{first: 0, last: len(h.levels) - 1}
	if h.placed {
		z.first, z.last, from = first, last, h.levels[first].Row
		if last+1 < len(h.levels) {
			n = min(n, h.levels[last+1].Row)
		}
	}
	steps, values, err := read(min(from, n), n, h.key.below)
	if err != nil {
		t.spoil(c.tables[l.table], err)
		return nil, nil
	}
	z.steps, z.values = ascending(steps, values)
	if old, there := t.zoomed[h.key]; there {
		t.charted -= len(old.steps)
	}
	t.room(len(z.steps))
	t.zoomed[h.key] = z
	return r.Cut(z.steps, z.values)
}
