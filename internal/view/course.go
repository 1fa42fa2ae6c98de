package view

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// course is what a list of runs is read of: the values of a series by the steps of its
// mode, of an evaluation by the last step of each pass.
type course struct {
	steps  []int64
	values []float64
	open   bool // the only evaluation so far goes on, or was cut off
}

// courses reads those of a run.
type courses struct {
	t      source.Run
	passes *passReader // once it was needed
}

func newCourses(t source.Run) *courses { return &courses{t: t} }

// of reads a course; of a long one outside of evaluation the points that tell. A series
// that is not there is no error.
func (r *courses) of(name string, mode record.Mode) (c course, err error) {
	q := source.Query{Tensor: name, Stat: "value", Mode: mode}
	if !mode.Evaluates() {
		c.steps, c.values, err = thinCourse(r.t, q)
		return c, err
	}
	return r.whole(q)
}

// whole reads a course with all its points. A series that is not there is no error.
func (r *courses) whole(q source.Query) (c course, err error) {
	if q.Mode.Evaluates() {
		if r.passes == nil {
			r.passes = newPassReader(r.t, newClock(r.t))
		}
		c.steps, c.values, c.open, err = r.passes.counted(q)
	} else {
		c.steps, c.values, err = r.t.Series(q)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return course{}, nil // announced, but without a value in this mode
	}
	if err != nil {
		return course{}, fmt.Errorf("read series %q: %w", q.Tensor, err)
	}
	return c, nil
}

// thinCourse reads a series. The least, the greatest and the last value are where they
// are; of all others of a long one it gives the least and the greatest of each column,
// at the column's ends. A series that is not there is no error.
func thinCourse(t source.Run, q source.Query) (steps []int64, values []float64, err error) {
	c, err := Columns(t, q, outlineChart)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil // announced, but without a value in this mode
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read series %q: %w", q.Tensor, err)
	}
	if c.Width == 0 {
		return c.Steps, c.Values, nil
	}
	whole := telling(c.Columns)
	for i := range c.Columns {
		s := &c.Columns[i]
		switch {
		case slices.Contains(whole, i):
			q.From, q.To = s.From, s.To+1
			a, b, err := t.Series(q)
			if err != nil {
				return nil, nil, fmt.Errorf("read series %q: %w", q.Tensor, err)
			}
			steps, values = append(steps, a...), append(values, b...)
		case s.Finite == 0 || s.Count == 1:
			steps, values = append(steps, s.From), append(values, s.First)
		default:
			steps, values = append(steps, s.From, s.To), append(values, s.Min, s.Max)
		}
	}
	return steps, values, nil
}

// telling are the columns with the least, the greatest and the last value.
func telling(columns []record.Stretch) []int {
	low, high := -1, -1
	for i := range columns {
		s := &columns[i]
		if s.Finite > 0 && (low < 0 || s.Min < columns[low].Min) {
			low = i
		}
		if s.Finite > 0 && (high < 0 || s.Max > columns[high].Max) {
			high = i
		}
	}
	return []int{low, high, len(columns) - 1}
}
