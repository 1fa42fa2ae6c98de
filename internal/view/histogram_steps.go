package view

import "github.com/vigil-ml/vigil/internal/source"

// Ridges are the histograms of a tensor at some of its steps, the first and the
// last one among them.
type Ridges struct {
	Edges  []float64 // one more than there are bins
	Zero   int       // the bin that zeros are in, alone unless bins were united
	Steps  []int64   // of the mode
	Counts [][]int64 // by step, then by bin
	Shares [][]float64
	// Of each step: all elements, and those that are in no bin.
	Elements, NaN, Inf []int64
	All                int // steps that have a histogram
}

// RidgesOf are at most so many histograms in at most so many bins; nil when there
// is none.
func RidgesOf(rows []source.StatsRow, columns, bins int) *Ridges {
	h := HistogramsOf(rows)
	if h == nil {
		return nil
	}
	n := len(h.Edges) - 1
	together := (n + bins - 1) / bins
	out := &Ridges{All: len(h.Steps)}
	for i := 0; i < n; i += together {
		if h.Edges[i] < 0 && h.Edges[min(i+together, n)] > 0 {
			out.Zero = len(out.Edges)
		}
		out.Edges = append(out.Edges, h.Edges[i])
	}
	out.Edges = append(out.Edges, h.Edges[n])
	with := make([]*source.StatsRow, 0, len(h.Steps))
	for i := range rows {
		if rows[i].Hist != nil {
			with = append(with, &rows[i])
		}
	}
	columns = min(columns, len(h.Steps))
	for c := range columns {
		i := c * (len(h.Steps) - 1) / max(columns-1, 1)
		counts, total := make([]int64, len(out.Edges)-1), int64(0)
		for b, k := range h.Counts[i] {
			counts[b/together] += k
			total += k
		}
		shares := make([]float64, len(counts))
		for b, k := range counts {
			if total > 0 {
				shares[b] = float64(k) / float64(total)
			}
		}
		out.Steps, out.Counts, out.Shares = append(out.Steps, h.Steps[i]), append(out.Counts, counts), append(out.Shares, shares)
		r := with[i]
		out.Elements, out.NaN, out.Inf = append(out.Elements, r.Count), append(out.NaN, r.NaN), append(out.Inf, r.PosInf+r.NegInf)
	}
	return out
}
