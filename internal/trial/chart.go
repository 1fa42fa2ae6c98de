package trial

import (
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/store/chunk"
)

// Chart is a series as a chart shows it: at most points points (at least 12),
// ascending by step. Of each stretch of steps it keeps the smallest and the
// largest finite value, so that a spike of a single step is still there, and the
// first one that is not finite. A series that is not longer comes whole. Errors
// are those of Series.
//
// What a sealed chunk gives is remembered: it never changes. So a chart that is
// drawn again costs what came since.
func (t *Trial) Chart(q Query, points int) (steps []int64, values []float64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, nil, fmt.Errorf("read chart of %.200q: %w", q.Tensor, err)
	}
	if q.Stat == "" {
		q.Stat = chunk.ValueStat
	}
	points = max(points, 12)
	for _, s := range t.candidates(q.Worker) {
		steps, values := t.levels(s, &q, points)
		if steps == nil {
			steps, values = t.seriesOf(s, &q)
			steps, values = ascending(steps, values)
		}
		if len(steps) > 0 {
			steps, values = thin(steps, values, points)
			return steps, values, nil
		}
	}
	if !slices.Contains(t.statNames(q.Tensor), q.Stat) {
		return nil, nil, fmt.Errorf("read chart of %.200q, %q: %w", q.Tensor, q.Stat, fs.ErrNotExist)
	}
	return nil, nil, nil
}

// levelPoints is what is remembered of one series of one chunk.
const levelPoints = 1200

// mostLevels bounds the points that a trial remembers: 64 MiB of them.
const mostLevels = 4 << 20

// levelKey is what a level is of.
type levelKey struct {
	dir          string
	chunk        int
	tensor, stat string
	mode         uint8
}

// level is a series of one chunk, thinned.
type level struct {
	steps  []int64
	values []float64
}

// levels puts a worker's series together from what each chunk gives. It is nil
// when that is not the series: steps come again or were taken back, or more
// points or fewer steps are asked for than a level is made for.
func (t *Trial) levels(s *series, q *Query, points int) (steps []int64, values []float64) {
	if len(t.rewound) > 0 || points > levelPoints || q.From > 0 || q.To > 0 {
		return nil, nil
	}
	last := int64(math.MinInt64)
	for _, n := range s.numbers() {
		k := levelKey{s.dir, n, q.Tensor, q.Stat, uint8(q.Mode)}
		l, known := t.charts[k]
		if !known {
			a, b := t.chunkSeries(s, n, q)
			if !slices.IsSorted(a) {
				return nil, nil
			}
			if a, b = ascending(a, b); s.tails[n] == nil {
				a, b = thin(a, b, levelPoints)
				l = level{slices.Clone(a), slices.Clone(b)} // not what they were cut from
				t.remember(k, l)
			} else {
				l = level{a, b}
			}
		}
		if len(l.steps) == 0 {
			continue
		}
		if l.steps[0] <= last {
			return nil, nil
		}
		last = l.steps[len(l.steps)-1]
		steps, values = append(steps, l.steps...), append(values, l.values...)
	}
	return steps, values
}

func (t *Trial) remember(k levelKey, l level) {
	if t.charted += len(l.steps); t.charts == nil || t.charted > mostLevels {
		t.charts, t.charted = map[levelKey]level{}, len(l.steps)
	}
	t.charts[k] = l
}

// thin keeps at most limit points, as Chart says.
func thin(steps []int64, values []float64, limit int) ([]int64, []float64) {
	if len(steps) <= limit {
		return steps, values
	}
	buckets := limit / 3
	outSteps, outValues := make([]int64, 0, limit), make([]float64, 0, limit)
	for b := range buckets {
		from, to := b*len(steps)/buckets, (b+1)*len(steps)/buckets
		low, high, odd := -1, -1, -1
		for i := from; i < to; i++ {
			switch v := values[i]; {
			case v-v != 0: // NaN or infinite
				if odd < 0 {
					odd = i
				}
			case low < 0:
				low, high = i, i
			case v < values[low]:
				low = i
			case v > values[high]:
				high = i
			}
		}
		keep := [3]int{low, high, odd}
		slices.Sort(keep[:])
		for i, k := range keep {
			if k >= 0 && (i == 0 || k != keep[i-1]) {
				outSteps, outValues = append(outSteps, steps[k]), append(outValues, values[k])
			}
		}
	}
	return outSteps, outValues
}
