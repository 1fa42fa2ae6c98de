package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
)

// TableQuery is what the columns of the list are asked.
type TableQuery struct {
	Page
	Runs    []string `query:"run,explode" maxItems:"200" doc:"Names of runs: only these, in the order of the list; none: all."`
	Columns []string `query:"c,explode" maxItems:"1000" doc:"Columns: members of a run as list-runs has them (status, tags, losses ...), loss (its last value, of EVAL where there is one), last.NAME, best.NAME, min.NAME or max.NAME of a value, param.NAME."`
	Names   bool     `query:"names" doc:"Also which values and parameters these runs have."`
}

// TableOfRuns is the list of runs by column.
type TableOfRuns struct {
	Format
	Runs     []string      `json:"runs" doc:"Names of the runs, newest first."`
	Cells    []ColumnCells `json:"cells" doc:"By column, in the order in which they were asked for."`
	Names    *TableNames   `json:"names,omitempty"`
	Building *Building     `json:"building" doc:"How far the reading of runs has come that are not in the list yet; null: all are."`
	Next     string        `json:"next" doc:"Cursor of the runs that follow; \"\" of none."`
}

// ColumnCells are what a column has of the runs: numbers, or values that may be alike.
type ColumnCells struct {
	ID      string            `json:"id" doc:"The column."`
	Rows    integers          `json:"rows,omitzero" doc:"Places of the runs that have something in it, from 0; absent: all have."`
	Numbers floats            `json:"numbers,omitzero" doc:"Their numbers."`
	Values  []json.RawMessage `json:"values,omitzero" doc:"Where it has no numbers: each different value once,"`
	At      integers          `json:"at,omitzero" doc:"and for each of those runs the place of its value in values."`
}

// TableNames are which columns there are of values and parameters.
type TableNames struct {
	Values     []string `json:"values"`
	Less       []string `json:"less" doc:"Those of which less is better, as of a loss: sorted, they begin with the smallest."`
	Parameters []string `json:"parameters"`
}

// cells collects a column.
type cells struct {
	ColumnCells
	known map[string]int64 // places of values
}

func (c *cells) number(row int, v float64) {
	c.Rows, c.Numbers = append(c.Rows, int64(row)), append(c.Numbers, v)
}

func (c *cells) value(row int, js []byte) {
	at, known := c.known[string(js)]
	if !known {
		at = int64(len(c.Values))
		c.known[string(js)] = at
		c.Values = append(c.Values, js)
	}
	c.Rows, c.At = append(c.Rows, int64(row)), append(c.At, at)
}

func (c *cells) any(row int, v any) {
	if js, err := json.Marshal(v); err == nil {
		c.value(row, js)
	}
}

// done is the column of so many runs.
func (c *cells) done(n int) ColumnCells {
	if len(c.Rows) == n {
		c.Rows = nil
	}
	if c.Numbers == nil && c.At == nil {
		c.Values, c.At = []json.RawMessage{}, integers{}
	}
	return c.ColumnCells
}

// member gives a column one member of a row; a member that says nothing is left out.
type member func(c *cells, at int, r *runs.Row)

func textOf(get func(r *runs.Row) string) member {
	return func(c *cells, at int, r *runs.Row) {
		if v := get(r); v != "" {
			c.any(at, v)
		}
	}
}

func numberOf(get func(r *runs.Row) *float64) member {
	return func(c *cells, at int, r *runs.Row) {
		if v := get(r); v != nil {
			c.number(at, *v)
		}
	}
}

func anyOf[T any](get func(r *runs.Row) (v T, says bool)) member {
	return func(c *cells, at int, r *runs.Row) {
		if v, says := get(r); says {
			c.any(at, v)
		}
	}
}

var members = map[string]member{
	"title":     textOf(func(r *runs.Row) string { return r.Title }),
	"path":      textOf(func(r *runs.Row) string { return r.Path }),
	"framework": anyOf(func(r *runs.Row) (any, bool) { return r.Framework, r.Framework.Name != "" }),
	"status":    textOf(func(r *runs.Row) string { return r.Status }),
	"started":   anyOf(func(r *runs.Row) (any, bool) { return r.Started, true }),
	"ended":     anyOf(func(r *runs.Row) (any, bool) { return r.Ended, r.Ended != nil }),
	"steps":     anyOf(func(r *runs.Row) (any, bool) { return r.Steps, len(r.Steps) > 0 }),
	"findings":  anyOf(func(r *runs.Row) (any, bool) { return r.Findings, true }),
	"roots":     anyOf(func(r *runs.Row) (any, bool) { return r.Roots, true }),
	"symptoms":  anyOf(func(r *runs.Row) (any, bool) { return r.Symptoms, r.Symptoms > 0 }),
	"verdict":   anyOf(func(r *runs.Row) (any, bool) { return r.Verdict, true }),
	"found":     anyOf(func(r *runs.Row) (any, bool) { return r.Found, len(r.Found) > 0 }),
	"progress":  anyOf(func(r *runs.Row) (any, bool) { return r.Progress, r.Progress != nil }),
	"duration":  numberOf(func(r *runs.Row) *float64 { return r.Duration }),
	"host":      textOf(func(r *runs.Row) string { return r.Host }),
	"user":      textOf(func(r *runs.Row) string { return r.User }),
	"machine": anyOf(func(r *runs.Row) (any, bool) {
		return r.Machine, r.Machine.CPUs > 0 || r.Machine.Memory > 0 || len(r.Machine.GPUs) > 0
	}),
	"tags":             anyOf(func(r *runs.Row) (any, bool) { return r.Tags, len(r.Tags) > 0 }),
	"note":             textOf(func(r *runs.Row) string { return r.Note }),
	"archived":         anyOf(func(r *runs.Row) (any, bool) { return true, r.Archived }),
	"live":             anyOf(func(r *runs.Row) (any, bool) { return true, r.Live }),
	"lost_share":       numberOf(func(r *runs.Row) *float64 { return r.Lost }),
	"overhead_percent": numberOf(func(r *runs.Row) *float64 { return r.Overhead }),
	"damaged":          textOf(func(r *runs.Row) string { return r.Damaged }),
}

// picked is where what is read of rows goes.
type picked struct {
	list         []*cells
	own          []func(at int, r *runs.Row) // members of the row itself
	values       map[string]*reach
	parameters   map[string]*cells
	losses, loss *cells
	names        *tableNames
}

// tableNames are the names that rows have. A value is true when less of it is better.
type tableNames struct{ values, parameters map[string]bool }

// pick sorts out which columns are asked for; each once.
func pick(ids []string) (*picked, error) {
	p := &picked{list: []*cells{}, values: map[string]*reach{}, parameters: map[string]*cells{}}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		c := &cells{ColumnCells: ColumnCells{ID: id, Rows: integers{}}, known: map[string]int64{}}
		kind, name, dotted := strings.Cut(id, ".")
		get, own := members[id]
		switch {
		case own:
			p.own = append(p.own, func(at int, r *runs.Row) { get(c, at, r) })
		case id == "losses":
			p.losses = c
		case id == "loss":
			p.loss = c
		case dotted && kind == "param":
			p.parameters[name] = c
		case dotted && new(reach).column(kind) != nil:
			if p.values[name] == nil {
				p.values[name] = new(reach)
			}
			*p.values[name].column(kind) = c
		default:
			return nil, &wrong{fmt.Sprintf("There is no column %.200q: it is a member of a run, loss, or one of last, best, min, max, param with a dot and a name.", id)}
		}
		p.list = append(p.list, c)
	}
	return p, nil
}

// read takes what is asked for from a row.
func (p *picked) read(at int, r *runs.Row) error {
	for _, own := range p.own {
		own(at, r)
	}
	if len(p.values)+len(p.parameters) == 0 && p.losses == nil && p.loss == nil && p.names == nil {
		return nil
	}
	return r.Each(func(kind runs.Kind, name, rest []byte) int {
		switch kind {
		case runs.Value:
			if p.names != nil {
				if _, known := p.names.values[string(name)]; !known {
					p.names.values[string(name)] = lessIsBetter(rest)
				}
			}
			if of := p.values[string(name)]; of != nil {
				return of.read(at, rest)
			}
		case runs.Parameter:
			if p.names != nil && !p.names.parameters[string(name)] {
				p.names.parameters[string(name)] = true
			}
			if c := p.parameters[string(name)]; c != nil {
				n := runs.Length(rest)
				c.value(at, rest[:n])
				return n
			}
		case runs.Losses:
			n := runs.Length(rest)
			p.line(at, rest[:n])
			return n
		}
		return runs.Length(rest)
	})
}

// reach are the columns of a value.
type reach struct{ last, best, min, max *cells }

// column is that of a member; nil where there is none of this name.
func (of *reach) column(name string) **cells {
	switch name {
	case "last":
		return &of.last
	case "best":
		return &of.best
	case "min":
		return &of.min
	case "max":
		return &of.max
	}
	return nil
}

// read takes the members of a value from its JSON, and reports how long that is.
func (of *reach) read(at int, js []byte) int {
	return runs.Walk(js, func(name, rest []byte) int {
		n := runs.Length(rest)
		if c := of.column(string(name)); c != nil && *c != nil {
			(*c).number(at, parseNumber(rest[:n]))
		}
		return n
	})
}

// lessIsBetter tells it of a value, from its JSON.
func lessIsBetter(js []byte) (less bool) {
	runs.Walk(js, func(name, rest []byte) int {
		n := runs.Length(rest)
		less = less || string(name) == "better" && string(rest[:n]) == `"less"`
		return n
	})
	return less
}

// line takes the losses, a list of which the first one's last value may be asked for.
func (p *picked) line(at int, js []byte) {
	if p.losses != nil {
		p.losses.value(at, js)
	}
	if p.loss == nil {
		return
	}
	type line struct {
		Mode string
		Last json.RawMessage
	}
	var lines []line
	if json.Unmarshal(js, &lines) != nil || len(lines) == 0 {
		return
	}
	// The mean of an evaluation compares runs; a loss of TRAIN is that of one batch.
	shown := max(0, slices.IndexFunc(lines, func(l line) bool { return l.Mode == record.Eval.String() }))
	p.loss.number(at, parseNumber(lines[shown].Last))
}

// parseNumber reads a number as it is written in JSON here.
func parseNumber(js []byte) float64 {
	v, err := strconv.ParseFloat(string(bytes.Trim(js, `"`)), 64)
	if err != nil && v == 0 {
		return math.NaN()
	}
	return v
}

func (s *Server) table(_ context.Context, in *TableQuery) (TableOfRuns, error) {
	p, err := pick(in.Columns)
	if err != nil {
		return TableOfRuns{}, err
	}
	if in.Names {
		p.names = &tableNames{map[string]bool{}, map[string]bool{}}
	}
	rows, next, building, err := s.pageOf(in.Page, in.Runs)
	if err != nil {
		return TableOfRuns{}, err
	}
	out := TableOfRuns{Format: format1, Runs: make([]string, len(rows)), Cells: make([]ColumnCells, len(p.list)), Building: building, Next: next}
	list := s.marked(rows)
	for i := range list {
		out.Runs[i] = list[i].Name
		if err := p.read(i, &list[i]); err != nil {
			return TableOfRuns{}, err
		}
	}
	for i, c := range p.list {
		out.Cells[i] = c.done(len(list))
	}
	if p.names != nil {
		values := slices.Sorted(maps.Keys(p.names.values))
		less := slices.DeleteFunc(slices.Clone(values), func(name string) bool { return !p.names.values[name] })
		out.Names = &TableNames{nonNil(values), nonNil(less), nonNil(slices.Sorted(maps.Keys(p.names.parameters)))}
	}
	return out, nil
}
