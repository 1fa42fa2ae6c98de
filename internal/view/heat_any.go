package view

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// HeatQuery says which heat map is wanted.
type HeatQuery struct {
	Stat       string
	Mode       record.Mode
	Worker     string // empty: the chief
	Collection string // empty: all tensors
	Pattern    string // of names, a regular expression; empty: all
	From, To   int64  // steps of the mode, To not included; To 0: no end
	Skip       int    // rows, of those there are
	Rows       int    // at most
	Columns    int    // at most; a column of several steps has the value of largest magnitude
}

// Heat is one statistic of tensors over steps, in the order of the network.
type Heat struct {
	Log   bool    // values of one sign over many powers of ten: colours are better those of the logarithm
	Steps []int64 // of the mode: the first of each column
	Rows  []HeatLayer
	More  int // rows after these
	All   int // rows that there are; those without a value at the steps and of the worker asked for included
	// Stats are the statistics that one of the tensors asked for has.
	Stats []string
}

// HeatLayer is a row of a heat map.
type HeatLayer struct {
	Name, Module string
	Kind         record.Kind
	Values       []float64 // NaN: nothing was captured, unless the column is one of Odd
	Odd          []int64   // columns in which a value is not finite
}

// HeatOf draws a heat map. A pattern that is none is a *pyre.Error.
func HeatOf(t source.Run, q HeatQuery) (*Heat, error) {
	layers, err := heatLayers(t, q.Collection, q.Pattern)
	if err != nil {
		return nil, err
	}
	holds := contentsOf(t, layers)
	type course struct {
		info   record.TensorInfo
		steps  []int64
		values []float64
	}
	h, read, at, points := &Heat{}, []course{}, map[int64]bool{}, 0
	series := func(c *course) (err error) {
		c.steps, c.values, err = t.Series(source.Query{Tensor: c.info.Name, Stat: q.Stat, Mode: q.Mode, Worker: q.Worker, From: q.From, To: q.To})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s of %q: %w", q.Stat, c.info.Name, err)
		}
		return nil
	}
	for _, info := range layers {
		there := holds[info.Name]
		h.Stats = union(h.Stats, there.Stats)
		if !slices.Contains(there.Stats, q.Stat) || !slices.Contains(there.Modes, q.Mode) {
			continue
		}
		if h.All++; h.All <= q.Skip || h.All > q.Skip+q.Rows { // what is not shown is not read
			continue
		}
		c := course{info: info}
		if err := series(&c); err != nil {
			return nil, err
		}
		if len(c.steps) == 0 { // another worker has it, or it is at other steps
			continue
		}
		for _, s := range c.steps {
			at[s] = true
		}
		if points += len(c.steps); points > mostHeatPoints { // read again below
			c.steps, c.values = nil, nil
		}
		read = append(read, c)
	}
	h.More = max(0, h.All-q.Skip-q.Rows)
	on := newHeatColumns(at, q.Columns)
	h.Steps = on.starts
	for _, c := range read {
		if c.steps == nil {
			if err := series(&c); err != nil {
				return nil, err
			}
		}
		h.Rows = append(h.Rows, heatLayer(c.info, c.steps, c.values, on))
	}
	h.Log = manyPowers(h.Rows)
	return h, nil
}

// union is a with what only b has, plain statistics first.
func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// mostHeatPoints bounds the points that are in memory for a heat map.
const mostHeatPoints = 4 << 20

// heatLayer lays a course on the columns; steps that came in the meantime are left out.
func heatLayer(info record.TensorInfo, steps []int64, values []float64, on *heatColumns) HeatLayer {
	row := HeatLayer{Name: info.Name, Module: info.Module, Kind: info.Kind, Values: on.empty()}
	for i, s := range steps {
		column, known := on.column[s]
		x := values[i]
		switch {
		case !known:
		case x-x == 0:
			on.put(row.Values, s, x)
		case len(row.Odd) == 0 || row.Odd[len(row.Odd)-1] != int64(column):
			row.Odd = append(row.Odd, int64(column))
		}
	}
	for _, at := range row.Odd {
		if math.IsNaN(row.Values[at]) { // none there is finite
			row.Values[at] = oddOf(steps, values, on, int(at))
		}
	}
	return row
}

// oddOf is an infinite value of a column, if there is one, and else NaN.
func oddOf(steps []int64, values []float64, on *heatColumns, column int) float64 {
	for i, s := range steps {
		if on.column[s] == column && math.IsInf(values[i], 0) {
			return values[i]
		}
	}
	return math.NaN()
}

// heatLayers are the tensors that a heat map may show, in the order of the network.
func heatLayers(t source.Run, collection, pattern string) (list []record.TensorInfo, err error) {
	var re *pyre.Regexp
	if pattern != "" {
		if re, err = pyre.Compile(pattern); err != nil {
			return nil, err
		}
	}
	for _, info := range inCallOrder(t, source.OfTraining(t.Tensors())) {
		if info.AliasOf != "" || info.Strings || collection != "" && !slices.Contains(info.Collections, collection) {
			continue
		}
		if re != nil {
			if found, _ := re.Search(info.Name); !found { // what takes too many steps is no match
				continue
			}
		}
		list = append(list, info)
	}
	return list, nil
}

// manyPowers reports whether values are of one sign and spread over more than two
// powers of ten.
func manyPowers(rows []HeatLayer) bool {
	least, most := math.Inf(1), 0.0
	for _, r := range rows {
		for _, v := range r.Values {
			switch {
			case v < 0:
				return false
			case v > 0 && !math.IsInf(v, 0):
				least, most = min(least, v), max(most, v)
			}
		}
	}
	return most > 100*least
}
