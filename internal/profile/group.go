package profile

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
)

const (
	longStep = 50_000_000  // nanoseconds from which on a step has a row of its own
	groupNS  = 100_000_000 // of short steps that share rows
)

// group are short steps that follow each other, one row for each mode. Sums are
// exact. Where modes alternate their rows lie one behind the other in the time
// that they took together.
type group struct {
	rows  []record.StepTime // in the order in which the modes came
	total int64
}

func (g *group) add(w *Worker, row *record.StepTime) {
	total := row.Total()
	if len(g.rows) > 0 && !row.Start.Equal(w.time(g.until(w))) {
		g.flush(w)
	}
	if total >= longStep {
		g.flush(w)
		w.rows.Times = append(w.rows.Times, *row)
		return
	}
	g.total += total
	if i := slices.IndexFunc(g.rows, func(r record.StepTime) bool { return r.Mode == row.Mode }); i >= 0 {
		join(&g.rows[i], row)
	} else {
		g.rows = append(g.rows, *row)
	}
	if g.total >= groupNS {
		g.flush(w)
	}
}

// until is where the steps of a group end.
func (g *group) until(w *Worker) int64 {
	return g.rows[0].Start.UnixNano() - w.wall + g.total
}

func join(r, row *record.StepTime) {
	r.Steps += row.Steps
	r.Gap += row.Gap
	for p := range r.Parts {
		r.Parts[p] += row.Parts[p]
	}
	if row.Longest > r.Longest {
		r.Longest, r.LongestStep = row.Longest, row.LongestStep
	}
}

func (g *group) flush(w *Worker) {
	if len(g.rows) == 0 {
		return
	}
	at := g.rows[0].Start.UnixNano() - w.wall
	for i := range g.rows {
		r := &g.rows[i]
		r.Start = w.time(at)
		at += r.Total()
		r.End = w.time(at)
	}
	w.rows.Times = append(w.rows.Times, g.rows...)
	g.rows, g.total = nil, 0
}

func (w *Worker) flush() { w.group.flush(w) }
