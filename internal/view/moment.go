package view

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/vigil-ml/vigil/internal/source"
)

// Moment is what is known of one tensor at one step.
type Moment struct {
	Steps     []int64 // of the mode, at which there is anything of the tensor
	Step      int64   // the one that this is of
	Worker    string  // whose
	Shape     []int64 // nil: not known
	Stats     map[string]float64
	Derived   map[string]float64
	Histogram *Histograms // of this step alone; nil: there is none
	Raw       []int64     // steps at which its values are stored
}

// MomentOf is a tensor at the last step up to q.From at which there is anything of
// it, or the first one after that; q.From -1 is the end. Its numbers are those that
// Series has. fs.ErrNotExist when there is nothing of it in the mode.
func MomentOf(t source.Run, q source.Query) (*Moment, error) {
	at := q.From
	q.From, q.To, q.Stat = 0, 0, ""
	steps, shapes, err := t.Shapes(q)
	if err != nil {
		return nil, fmt.Errorf("read shapes of %q: %w", q.Tensor, err)
	}
	m := &Moment{Raw: t.RawSteps(q.Tensor, q.Mode, q.Worker), Stats: map[string]float64{}, Derived: map[string]float64{}}
	m.Steps = merged(steps, m.Raw)
	if len(m.Steps) == 0 {
		return nil, fmt.Errorf("there is nothing of %.200q in mode %s: %w", q.Tensor, q.Mode, fs.ErrNotExist)
	}
	m.Step = nearest(m.Steps, at)
	if i, found := slices.BinarySearch(steps, m.Step); found {
		m.Shape = shapes[i]
	}
	q.From, q.To = m.Step, m.Step+1
	rows, err := t.Stats(q)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read statistics of %q: %w", q.Tensor, err)
	}
	if m.Worker = q.Worker; m.Worker == "" {
		m.Worker = t.Chief()
	}
	if len(rows) > 0 {
		m.Worker = rows[0].Worker
	}
	m.Histogram = HistogramsOf(rows)
	for _, stat := range t.StatNames(q.Tensor) {
		q.Stat = stat
		_, values, err := t.Series(q)
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(values) == 0 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s of %q: %w", stat, q.Tensor, err)
		}
		if len(rows) > 0 && slices.Contains(plainStats, stat) || stat == "value" {
			m.Stats[stat] = values[0]
		} else {
			m.Derived[stat] = values[0]
		}
	}
	return m, nil
}

// plainStats are the statistics that every tensor has, in the order of interest.
var plainStats = []string{"count", "min", "max", "mean", "std", "variance", "abs_mean", "abs_max", "l1", "l2", "sum", "zeros", "nan", "inf", "posinf", "neginf"}

// merged are the steps of both, ascending.
func merged(a, b []int64) []int64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// nearest is the last of ascending steps up to one, or the first; -1: the last.
func nearest(steps []int64, at int64) int64 {
	if at < 0 {
		return steps[len(steps)-1]
	}
	i, found := slices.BinarySearch(steps, at)
	if !found {
		i--
	}
	return steps[max(i, 0)]
}
