package view

import (
	"math"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Histograms are those of one tensor over its steps, in common bins that go by
// powers of two from the most negative element to the most positive one.
type Histograms struct {
	// Edges are the bounds of the bins, one more than there are bins. The bin in
	// the middle, from -2^e to 2^e, holds zeros alone: no element is smaller.
	Edges  []float64
	Steps  []int64   // of the mode
	Counts [][]int64 // by step, then by bin
}

// AllBins is how many bins a histogram can have: 277 powers of two for each
// sign, and zero.
const AllBins = 2*(tensor.MaxExp-tensor.MinExp+1) + 1

// HistogramsOf puts the rows of a tensor into common bins; nil when none has a
// histogram. Elements that are not finite are in no bin.
func HistogramsOf(rows []source.StatsRow) *Histograms {
	least, neg, pos := tensor.MaxExp+1, tensor.MinExp-1, tensor.MinExp-1 // exponents
	found := false
	for i := range rows {
		h := rows[i].Hist
		if h == nil {
			continue
		}
		found = true
		for j := range h.Neg {
			e := tensor.MinExp + j
			if h.Neg[j] > 0 {
				least, neg = min(least, e), max(neg, e)
			}
			if h.Pos[j] > 0 {
				least, pos = min(least, e), max(pos, e)
			}
		}
	}
	if !found {
		return nil
	}
	if least > tensor.MaxExp {
		least = 0 // zeros and nothing else
	}
	neg, pos = max(neg, least-1), max(pos, least-1)
	return bins(rows, least, neg, pos)
}

// FullHistograms is HistogramsOf in all the bins there can be, the same ones for
// each tensor.
func FullHistograms(rows []source.StatsRow) *Histograms {
	h := bins(rows, tensor.MinExp, tensor.MaxExp, tensor.MaxExp)
	if len(h.Steps) == 0 {
		return nil
	}
	return h
}

// bins counts by the exponents least to neg and least to pos.
func bins(rows []source.StatsRow, least, neg, pos int) *Histograms {
	out := &Histograms{}
	for e := neg + 1; e >= least; e-- {
		out.Edges = append(out.Edges, -math.Ldexp(1, e))
	}
	for e := least; e <= pos+1; e++ {
		out.Edges = append(out.Edges, math.Ldexp(1, e))
	}
	for i := range rows {
		h := rows[i].Hist
		if h == nil {
			continue
		}
		counts := make([]int64, 0, len(out.Edges)-1)
		for e := neg; e >= least; e-- {
			counts = append(counts, h.Neg[e-tensor.MinExp])
		}
		counts = append(counts, rows[i].Zeros)
		for e := least; e <= pos; e++ {
			counts = append(counts, h.Pos[e-tensor.MinExp])
		}
		out.Steps, out.Counts = append(out.Steps, rows[i].ModeStep), append(out.Counts, counts)
	}
	return out
}

// HistogramMap is a heat map of how the elements of a tensor spread over its
// steps: a row for each bin, a column for each step that is shown.
type HistogramMap struct {
	Name  string
	Edges []float64
	Steps []int64
	// Shares are by column, then by bin: of the elements of that step.
	Shares [][]float64
}

// Bounds of a map: bins beyond them are united with their neighbours, and of
// more steps some are left out.
const (
	mapBins    = 64
	mapColumns = 80
	mapTensors = 120
)

// histogramMap is the map of a tensor; ok is false when it has no histograms.
func histogramMap(name string, rows []source.StatsRow) (m HistogramMap, ok bool) {
	h := HistogramsOf(rows)
	if h == nil || len(h.Steps) < 2 {
		return m, false
	}
	together := (len(h.Edges) - 1 + mapBins - 1) / mapBins
	m.Name = name
	for i := 0; i < len(h.Edges)-1; i += together {
		m.Edges = append(m.Edges, h.Edges[i])
	}
	m.Edges = append(m.Edges, h.Edges[len(h.Edges)-1])
	columns := min(mapColumns, len(h.Steps))
	for c := range columns {
		i := c * (len(h.Steps) - 1) / max(columns-1, 1) // the first and the last one among them
		shares, total := make([]float64, len(m.Edges)-1), int64(0)
		for _, n := range h.Counts[i] {
			total += n
		}
		for b, n := range h.Counts[i] {
			if total > 0 {
				shares[b/together] += float64(n) / float64(total)
			}
		}
		m.Steps, m.Shares = append(m.Steps, h.Steps[i]), append(m.Shares, shares)
	}
	return m, true
}

// histogramMaps are those of the layers that have histograms.
func histogramMaps(layers []layer) (list []HistogramMap) {
	for _, l := range layers {
		if len(list) >= mapTensors {
			break
		}
		if l.kind != record.Weight && l.kind != record.Bias && l.kind != record.Gradient && l.kind != record.Output && l.kind != record.Input {
			continue
		}
		if m, ok := histogramMap(l.name, l.rows); ok {
			list = append(list, m)
		}
	}
	return list
}
