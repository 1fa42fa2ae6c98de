package view

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// rows are the statistics of tensors with these elements, a step each.
func rows(steps ...[]float64) []source.StatsRow {
	var list []source.StatsRow
	for i, values := range steps {
		var b []byte
		for _, x := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		s := tensor.Compute(tensor.View{DType: tensor.F64, Shape: []int64{int64(len(values))}, Data: b}, true)
		list = append(list, source.StatsRow{Step: int64(10 * i), ModeStep: int64(i), Stats: s})
	}
	return list
}

func TestHistogramsOf(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   []source.StatsRow
		edges  []float64
		counts [][]int64
	}{
		{"one sign", rows([]float64{1, 1.5, 2, 3}), []float64{-1, 1, 2, 4}, [][]int64{{0, 2, 2}}},
		{"both signs and zero", rows([]float64{-0.5, 0, 0, 0.25, 1}), []float64{-1, -0.5, -0.25, 0.25, 0.5, 1, 2}, [][]int64{{1, 0, 2, 1, 0, 1}}},
		{"common bins of several steps", rows([]float64{1}, []float64{-4, 0}), []float64{-8, -4, -2, -1, 1, 2}, [][]int64{{0, 0, 0, 0, 1}, {1, 0, 0, 1, 0}}},
		{"not finite", rows([]float64{math.NaN(), math.Inf(1), 1}), []float64{-1, 1, 2}, [][]int64{{0, 1}}},
		{"zeros only", rows([]float64{0, 0}), []float64{-1, 1}, [][]int64{{2}}},
		{"nothing", rows([]float64{}), []float64{-1, 1}, [][]int64{{0}}},
	} {
		h := HistogramsOf(c.rows)
		if d := cmp.Diff(c.edges, h.Edges); d != "" {
			t.Errorf("%s: edges (-want +got):\n%s", c.name, d)
		}
		if d := cmp.Diff(c.counts, h.Counts); d != "" {
			t.Errorf("%s: counts (-want +got):\n%s", c.name, d)
		}
		full := FullHistograms(c.rows)
		for i := range full.Counts {
			if n := len(full.Counts[i]); n != AllBins || len(full.Edges) != AllBins+1 {
				t.Errorf("%s: %d bins and %d edges in all", c.name, n, len(full.Edges))
			}
		}
	}
	if HistogramsOf([]source.StatsRow{{}}) != nil || FullHistograms(nil) != nil {
		t.Error("there are histograms where none was stored")
	}
}

// A map has a bounded number of rows and columns, and nothing is lost but steps in between.
func TestHistogramMap(t *testing.T) {
	var steps [][]float64
	for i := range 500 {
		steps = append(steps, []float64{math.Ldexp(1, -100+i%3), -1, 0, 8})
	}
	m, ok := histogramMap("w", rows(steps...))
	if !ok || len(m.Edges)-1 > mapBins || len(m.Steps) != mapColumns || m.Steps[0] != 0 || m.Steps[mapColumns-1] != 499 {
		t.Fatalf("%v: %d bins, steps %v", ok, len(m.Edges)-1, m.Steps)
	}
	for i, shares := range m.Shares {
		sum := 0.0
		for _, s := range shares {
			sum += s
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("column %d adds up to %g", i, sum)
		}
	}
	if _, ok := histogramMap("w", rows([]float64{1})); ok {
		t.Error("one step is a map")
	}
}
