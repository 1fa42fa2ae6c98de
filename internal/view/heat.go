package view

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// HeatMap is one statistic of many tensors over the same updates.
type HeatMap struct {
	Title string
	Log   bool // its colours are those of the logarithm
	Steps []int64
	Rows  []HeatRow
}

// HeatRow is one tensor of a heat map. A value that is not finite is a gap.
type HeatRow struct {
	Name   string
	Values []float64
}

// kindOfMap is one heat map that a run may have.
type kindOfMap struct {
	title string
	kinds []record.Kind
	log   bool
	stat  func(*source.StatsRow) float64
}

var heatMaps = []kindOfMap{
	{"mean magnitude of gradients", []record.Kind{record.Gradient}, true, func(r *source.StatsRow) float64 { return r.AbsMean() }},
	{"largest gradient", []record.Kind{record.Gradient}, true, func(r *source.StatsRow) float64 { return r.AbsMax() }},
	{"standard deviation of weights", []record.Kind{record.Weight, record.Bias}, true, func(r *source.StatsRow) float64 { return r.Std() }},
	{"mean of weights", []record.Kind{record.Weight, record.Bias}, false, func(r *source.StatsRow) float64 { return r.MeanValue() }},
	{"standard deviation of activations", []record.Kind{record.Input, record.Output}, true, func(r *source.StatsRow) float64 { return r.Std() }},
	{"share of zeros in activations", []record.Kind{record.Input, record.Output}, false, func(r *source.StatsRow) float64 {
		if r.Count == 0 {
			return math.NaN()
		}
		return float64(r.Zeros) / float64(r.Count)
	}},
}

// layer is a tensor with its rows, read once for all heat maps.
type layer struct {
	name string
	kind record.Kind
	rows []source.StatsRow
}

// HeatMaps are the heat maps that have anything in them, cut to the number of
// cells that may be; and how the elements of each tensor spread.
func HeatMaps(t source.Run, size Size) ([]HeatMap, []HistogramMap, error) {
	infos, clock := inCallOrder(t, t.Tensors()), newClock(t)
	mode := record.Train
	if !slices.Contains(t.Modes(), mode) {
		mode = record.Global
	}
	var layers []layer
	perKind := map[record.Kind]int{}
	for _, info := range infos {
		if info.AliasOf != "" || perKind[info.Kind] >= size.Rows {
			continue
		}
		if !slices.ContainsFunc(heatMaps, func(m kindOfMap) bool { return slices.Contains(m.kinds, info.Kind) }) {
			continue
		}
		rows, err := t.Stats(source.Query{Tensor: info.Name, Mode: mode})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read statistics of %q: %w", info.Name, err)
		}
		if len(rows) > 0 {
			perKind[info.Kind]++
			layers = append(layers, layer{info.Name, info.Kind, rows})
		}
	}

	total := 0
	for _, m := range heatMaps {
		for _, l := range layers {
			if slices.Contains(m.kinds, l.kind) {
				total++
			}
		}
	}
	if total == 0 {
		return nil, nil, nil
	}
	columns := max(20, min(size.Columns, size.Cells/total))

	var list []HeatMap
	for _, kind := range heatMaps {
		if m, ok := kind.draw(layers, columns, mode, clock); ok {
			list = append(list, m)
		}
	}
	return list, histogramMaps(layers), nil
}

// draw lays the layers' values on common columns: of each the value of largest
// magnitude, or a gap when there is none that is finite.
func (k kindOfMap) draw(layers []layer, columns int, mode record.Mode, clock *clock) (HeatMap, bool) {
	steps := map[int64]bool{}
	for _, l := range layers {
		if slices.Contains(k.kinds, l.kind) {
			for i := range l.rows {
				steps[l.rows[i].ModeStep] = true
			}
		}
	}
	if len(steps) == 0 {
		return HeatMap{}, false
	}
	on := newHeatColumns(steps, columns)
	m := HeatMap{Title: k.title, Log: k.log, Steps: clock.updates(mode, on.starts)}
	for _, l := range layers {
		if !slices.Contains(k.kinds, l.kind) {
			continue
		}
		row := HeatRow{Name: l.name, Values: on.empty()}
		for i := range l.rows {
			on.put(row.Values, l.rows[i].ModeStep, k.stat(&l.rows[i]))
		}
		m.Rows = append(m.Rows, row)
	}
	return m, true
}
