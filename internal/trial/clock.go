package trial

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/chunk"
)

var _ source.Clocks = (*Trial)(nil)

// Bounds of what is remembered of when steps closed.
const (
	knotsApart = 64      // of the steps of a chunk so many lie between two that are remembered
	mostAsked  = 1 << 14 // steps of a chunk that were asked for by name
)

// knots are when the steps of a mode in one chunk or journal closed.
type knots struct {
	source.Knots
	row   []int64      // of each in the table, so that those between are found; nil: there are none
	span  [2]int64     // the least and the greatest step of all rows
	rises bool         // the steps ascend from row to row
	asked source.Knots // those between that were asked for
}

func (k *knots) last() (step, at int64) {
	n := len(k.Step) - 1
	return k.Step[n], k.At[n]
}

// clockPiece is a chunk or journal in the clock of a worker's steps.
type clockPiece struct {
	*knots
	key drawingKey
	c   *sealed // nil: a journal
}

// clock puts together when the steps of a worker in a mode closed: from the rows of
// step times or, where there are none, from the steps themselves. Where the training
// went back, what was stored later counts.
func (t *Trial) clock(worker string, mode record.Mode) []clockPiece {
	s, err := t.timed(worker)
	if s == nil || err != nil {
		return nil
	}
	for _, table := range []string{chunk.Times, chunk.Steps} {
		var list []clockPiece
		end := int64(math.MaxInt64)
		for _, n := range slices.Backward(s.numbers()) {
			if p := t.clockPiece(s, n, table, mode, min(end, t.below(s, n, mode))); len(p.Step) > 0 {
				list = append(list, p)
				end = min(end, p.Step[0])
			}
		}
		if len(list) > 0 {
			slices.Reverse(list)
			return list
		}
	}
	return nil
}

// clockPiece reads what one chunk or journal tells of the steps before one.
func (t *Trial) clockPiece(s *series, n int, table string, mode record.Mode, below int64) clockPiece {
	if j := s.tails[n]; j != nil {
		return clockPiece{knots: j.knots(table, mode, below)}
	}
	p := clockPiece{key: drawingKey{dir: s.dir, chunk: n, table: table, mode: mode, below: math.MaxInt64}, c: s.chunks[n]}
	p.knots = t.remembered(p.c, p.key)
	if k := len(p.Step); k > 0 && p.Step[k-1] >= below {
		p.key.below = below
		p.knots = t.remembered(p.c, p.key)
	}
	return p
}

// tailKnots are those of a journal, as far as it was read.
type tailKnots struct {
	knots
	seen int // rows or steps
}

func (j *tail) knots(table string, mode record.Mode, below int64) *knots {
	key := drawingKey{table: table, mode: mode, below: below}
	k := j.clocks[key]
	if k == nil {
		if j.clocks == nil {
			j.clocks = map[drawingKey]*tailKnots{}
		}
		k = &tailKnots{}
		j.clocks[key] = k
	}
	if table == chunk.Steps {
		for ; k.seen < len(j.steps); k.seen++ {
			if s := j.steps[k.seen]; s.Mode == mode && s.ModeStep < below {
				k.Add(s.ModeStep, s.Time.UnixMicro())
			}
		}
		return &k.knots
	}
	for ; k.seen < len(j.times); k.seen++ {
		r := &j.times[k.seen]
		if r.Mode != mode || r.Steps < 1 || r.ModeStep >= below {
			continue
		}
		k.Add(r.ModeStep, r.Start.Add(r.End.Sub(r.Start)/time.Duration(r.Steps)).UnixMicro())
		if r.Steps > 1 {
			k.Add(r.ModeStep+r.Steps-1, r.End.UnixMicro())
		}
	}
	return &k.knots
}

// remembered are the steps of a table that are remembered.
func (t *Trial) remembered(c *sealed, key drawingKey) *knots {
	if k := t.clocks[key]; k != nil {
		return k
	}
	k := &knots{}
	f := t.table(c, key.table)
	if f == nil {
		return k
	}
	all, err := closed(f, key, 0, f.Rows())
	if err != nil {
		t.spoil(c.tables[key.table], err)
		return k
	}
	k.span, k.rises = all.span, all.rises
	for i := range all.Step {
		if i%knotsApart == 0 || i == len(all.Step)-1 {
			k.Step, k.At, k.row = append(k.Step, all.Step[i]), append(k.At, all.At[i]), append(k.row, all.row[i])
		}
	}
	t.room(2 * len(k.Step))
	t.clocks[key] = k
	return k
}

// closed reads rows of a table.
func closed(f *chunk.File, key drawingKey, from, to int64) (k knots, err error) {
	rows, steps, at, err := f.Closed(from, to-from, key.mode)
	if err != nil || len(steps) == 0 {
		return k, err
	}
	k.span, k.rises = [2]int64{slices.Min(steps), slices.Max(steps)}, rises(steps)
	if k.rises && key.below == math.MaxInt64 {
		k.Knots, k.row = source.Knots{Step: steps, At: at}, rows
		return k, nil
	}
	for i, step := range steps {
		if step < key.below {
			k.Add(step, at[i])
			k.row = append(k.row[:len(k.Step)-1], rows[i])
		}
	}
	return k, nil
}

// rises reports whether each step is beyond the one before it.
func rises(steps []int64) bool {
	for i := 1; i < len(steps); i++ {
		if steps[i] <= steps[i-1] {
			return false
		}
	}
	return true
}

// between are all steps between two that are remembered, these included.
func (t *Trial) between(p *clockPiece, first, last int) (source.Knots, bool) {
	f := t.table(p.c, p.key.table)
	if f == nil {
		return source.Knots{}, false
	}
	all, err := closed(f, p.key, p.row[first], p.row[last]+1)
	if err != nil {
		t.spoil(p.c.tables[p.key.table], err)
	}
	return all.Knots, err == nil && len(all.Step) > 0
}

// Closed is when steps closed, as source.Clocks says.
func (t *Trial) Closed(worker string, mode record.Mode, steps []int64, apart int64) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.clock(worker, mode)
	if list == nil {
		return nil
	}
	out := make([]int64, len(steps))
	for from, i := 0, 0; i < len(list); i++ {
		to := len(steps)
		if i+1 < len(list) {
			to, _ = slices.BinarySearch(steps, list[i+1].Step[0])
		}
		t.closed(&list[i], steps[from:to], apart, out[from:to])
		if i+1 < len(list) { // what lies between two chunks
			step, at := list[i].last()
			for k := to - 1; k >= from && steps[k] > step; k-- {
				out[k] = source.Between(step, at, list[i+1].Step[0], list[i+1].At[0], steps[k])
			}
		}
		from = to
	}
	return out
}

// closed is Closed of the steps of one chunk or journal.
func (t *Trial) closed(p *clockPiece, steps []int64, apart int64, out []int64) {
	var missing []int
	for i, step := range steps {
		out[i] = p.Closed(step)
		k, known := slices.BinarySearch(p.Step, step)
		if known || k == 0 || k == len(p.Step) || p.row == nil || p.Step[k]-p.Step[k-1] <= apart {
			continue
		}
		if n, asked := slices.BinarySearch(p.asked.Step, step); asked {
			out[i] = p.asked.At[n]
		} else {
			missing = append(missing, i)
		}
	}
	if missing == nil {
		return
	}
	first, _ := slices.BinarySearch(p.Step, steps[missing[0]])
	last, _ := slices.BinarySearch(p.Step, steps[missing[len(missing)-1]])
	all, ok := t.between(p, first-1, last)
	if !ok {
		return
	}
	found := source.Knots{}
	for _, i := range missing {
		out[i] = all.Closed(steps[i])
		found.Step, found.At = append(found.Step, steps[i]), append(found.At, out[i])
	}
	if len(p.asked.Step)+len(missing) > mostAsked {
		p.asked = source.Knots{}
	}
	t.room(len(missing))
	p.asked = merged(&p.asked, &found)
}

// merged puts two lists without a step in common together.
func merged(a, b *source.Knots) (all source.Knots) {
	for i, j := 0, 0; i < len(a.Step) || j < len(b.Step); {
		from, k := b, &j
		if j == len(b.Step) || i < len(a.Step) && a.Step[i] < b.Step[j] {
			from, k = a, &i
		}
		all.Step, all.At = append(all.Step, from.Step[*k]), append(all.At, from.At[*k])
		*k++
	}
	return all
}

// FirstClosed is the first step that closed at a time or later, as source.Clocks says.
func (t *Trial) FirstClosed(worker string, mode record.Mode, at int64) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.clock(worker, mode)
	if list == nil {
		return 0
	}
	i, _ := slices.BinarySearchFunc(list, at, func(p clockPiece, at int64) int {
		_, last := p.last()
		return cmp.Compare(last, at)
	})
	if i == len(list) {
		step, _ := list[i-1].last()
		return step + 1
	}
	p := &list[i]
	k, _ := slices.BinarySearch(p.At, at)
	switch {
	case k == 0 && i == 0:
		return 0
	case k == 0:
		step, before := list[i-1].last()
		return source.FirstBetween(step, before, p.Step[0], p.At[0], at)
	case p.row != nil:
		if all, ok := t.between(p, k-1, k); ok {
			return all.First(at)
		}
	}
	return p.First(at)
}

// Stretches are the steps of the chief with their places among all steps, as
// source.Clocks says.
func (t *Trial) Stretches(mode record.Mode) (list []source.StepRange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.timed("")
	if s == nil || err != nil {
		return nil
	}
	for _, n := range s.numbers() {
		for _, v := range source.CutSteps(t.stretchesOf(s, n)[mode], t.below(s, n, mode)) {
			list = source.AddSteps(list, v)
		}
	}
	return list
}

func (t *Trial) stretchesOf(s *series, n int) (by byMode) {
	if j := s.tails[n]; j != nil {
		for ; j.placed < len(j.steps); j.placed++ {
			st := j.steps[j.placed]
			j.places.add(st.Mode, st.ModeStep, st.Step.Step)
		}
		return j.places
	}
	c, key := s.chunks[n], drawingKey{dir: s.dir, chunk: n}
	if by, known := t.places[key]; known {
		return by
	}
	f := t.table(c, chunk.Steps)
	if f == nil {
		return by
	}
	if err := f.Places(0, f.Rows(), by.add); err != nil {
		t.spoil(c.tables[chunk.Steps], err)
		return byMode{}
	}
	t.room(2 * len(slices.Concat(by[:]...)))
	t.places[key] = by
	return by
}

// byMode are the steps of each mode.
type byMode [record.Global + 1][]source.StepRange

func (b *byMode) add(mode record.Mode, step, global int64) {
	b[mode] = source.AddSteps(b[mode], source.StepRange{From: step, Global: global, Count: 1})
}
