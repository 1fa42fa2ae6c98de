package trial

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Shapes are the shapes of a tensor at the steps at which there is something of
// it, ascending. A shape is stored when it changes, so each holds until the next
// one; a tensor of which none is stored has the one that was announced first.
// Runs of before shapes were stored know that one only: where it does not fit
// the number of elements, the shape is nil.
func (t *Trial) Shapes(q Query) (steps []int64, shapes [][]int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, nil, fmt.Errorf("read shapes of %.200q: %w", q.Tensor, err)
	}
	for _, q.Stat = range []string{"count", record.StringCount} {
		for _, s := range t.candidates(q.Worker) {
			var counts []float64
			if steps, counts = t.seriesOf(s, &q); len(steps) > 0 {
				steps, counts = ascending(steps, counts)
				return steps, t.shapesAt(s, q, steps, counts), nil
			}
		}
	}
	q.Stat = chunk.ValueStat
	for _, s := range t.candidates(q.Worker) {
		if steps, values := t.seriesOf(s, &q); len(steps) > 0 {
			steps, values = ascending(steps, values)
			shapes = make([][]int64, len(values))
			for i := range shapes {
				shapes[i] = []int64{}
			}
			return steps, shapes, nil
		}
	}
	return nil, nil, nil
}

// shapesAt gives the shape at each of the steps at which one worker has the
// tensor.
func (t *Trial) shapesAt(s *series, q Query, steps []int64, counts []float64) [][]int64 {
	q.From = 0
	read := func(stat string) (map[int64]float64, []int64) {
		q.Stat = stat
		at, values := t.seriesOf(s, &q)
		at, values = ascending(at, values)
		m := make(map[int64]float64, len(at))
		for i, step := range at {
			m[step] = values[i]
		}
		return m, at
	}
	ranks, changes := read(record.ShapeRank)
	var most int
	for _, rank := range ranks {
		most = max(most, int(min(max(rank, 0), maxRank)))
	}
	dims := make([]map[int64]float64, most)
	for i := range dims {
		dims[i], _ = read(record.ShapeDim(i))
	}
	at := func(step int64) []int64 {
		rank := int(min(max(ranks[step], 0), maxRank))
		shape := make([]int64, rank)
		for i := range shape {
			shape[i] = int64(dims[i][step])
		}
		return shape
	}
	t.readInfos(s)
	info := s.infos.byName[q.Tensor]
	shape := info.Shape
	if info.FirstShape != nil {
		shape = info.FirstShape
	}
	if shape == nil {
		shape = []int64{}
	}
	out := make([][]int64, len(steps))
	next := 0
	for i, step := range steps {
		for next < len(changes) && changes[next] <= step {
			shape = at(changes[next])
			next++
		}
		if n, err := tensor.Elements(shape); err == nil && float64(n) == counts[i] || math.IsNaN(counts[i]) {
			out[i] = slices.Clone(shape)
		}
	}
	return out
}

// maxRank bounds what damaged numbers can ask for.
const maxRank = 1024
