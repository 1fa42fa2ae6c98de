package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

func registerTensors(api huma.API, s *Server) {
	get(api, "/runs/{run}/heat", "get-heat", "One statistic of many tensors over steps, in the order of the network", s.heat)
	get(api, "/runs/{run}/histograms", "get-histograms", "How the elements of a tensor spread, over its steps", s.histograms)
	get(api, "/runs/{run}/stats", "get-stats", "What is known of a tensor at one step", s.stats)
	get(api, "/runs/{run}/raw", "get-raw", "A part of a tensor's values at one step", s.raw)
	get(api, "/runs/{run}/images", "get-images", "Images of a tensor at one step", s.images)
	get(api, "/runs/{run}/stats/compare", "compare-stats", "A tensor at one step beside one of another run", s.compareStats)
	get(api, "/runs/{run}/raw/compare", "compare-raw", "A part of a tensor's values at one step, less those of another run", s.compareRaw)
}

// TensorOf is the part of a request that says which tensor of a run is meant, and
// of whom.
type TensorOf struct {
	RunPath
	Tensor string `query:"tensor" required:"true" minLength:"1" maxLength:"20000" doc:"Name of the tensor."`
	Mode   string `query:"mode" enum:"TRAIN,EVAL,PREDICT,GLOBAL" doc:"Mode of the steps; left out, TRAIN, or the first that has values."`
	Worker string `query:"worker" maxLength:"1000" doc:"Whose values; left out, the chief's, or the first worker's that has any."`
}

// tensor gives the run, what was announced of the tensor, and a query for the mode
// in which has says that there is something of it, or for the first that may be.
func (s *Server) tensor(in *TensorOf, has func(t source.Run, q source.Query) (bool, error)) (source.Run, record.TensorInfo, source.Query, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return nil, record.TensorInfo{}, source.Query{}, err
	}
	infos := source.OfTraining(t.Tensors())
	i := slices.IndexFunc(infos, func(info record.TensorInfo) bool { return info.Name == in.Tensor })
	if i < 0 {
		return nil, record.TensorInfo{}, source.Query{}, &missing{fmt.Sprintf("Run %.200q has no tensor %.200q.", in.Run, in.Tensor)}
	}
	modes, err := modesOf(t, in.Mode)
	if err != nil {
		return nil, infos[i], source.Query{}, err
	}
	q := source.Query{Tensor: in.Tensor, Worker: in.Worker}
	for _, q.Mode = range modes {
		there, err := has(t, q)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, infos[i], q, err
		}
		if there {
			return t, infos[i], q, nil
		}
	}
	q.Mode = modes[0]
	return t, infos[i], q, nil
}

// modesOf are the modes to look in: that which was named, or those of the run with
// training first.
func modesOf(t source.Run, name string) ([]record.Mode, error) {
	if name != "" {
		m, err := record.ParseMode(name)
		if err != nil {
			return nil, &wrong{err.Error()}
		}
		return []record.Mode{m}, nil
	}
	modes := []record.Mode{record.Train}
	for _, m := range t.Modes() {
		if m != record.Train {
			modes = append(modes, m)
		}
	}
	return modes, nil
}

// Heat is a heat map.
type Heat struct {
	Format
	Stat  string    `json:"stat" doc:"The statistic that is shown."`
	Mode  string    `json:"mode"`
	Log   bool      `json:"log" doc:"The values spread over many powers of ten: colours are better those of the logarithm."`
	Steps integers  `json:"steps" doc:"Steps of the mode: the first one of each column."`
	Rows  []HeatRow `json:"rows" doc:"In the order of the network."`
	Stats []string  `json:"stats" doc:"The statistics that one of the tensors asked for has."`
	All   int       `json:"all" doc:"How many rows there are."`
	More  int       `json:"more" doc:"How many come after these."`
}

// HeatRow is a tensor of a heat map.
type HeatRow struct {
	Name   string   `json:"name"`
	Module string   `json:"module"`
	Kind   string   `json:"kind"`
	Values floats   `json:"values" doc:"Of each column the value of largest magnitude; NaN where nothing was captured, unless the column is one of odd."`
	Odd    integers `json:"odd" doc:"Columns in which a value is not finite."`
}

type heatIn struct {
	RunPath
	Stat       string `query:"stat" default:"mean" minLength:"1" maxLength:"1000" doc:"Which statistic, as in stats."`
	Mode       string `query:"mode" enum:"TRAIN,EVAL,PREDICT,GLOBAL" doc:"Mode of the steps; left out, TRAIN, or the first of the run."`
	Worker     string `query:"worker" maxLength:"1000" doc:"Whose values; left out, the chief's."`
	Collection string `query:"collection" maxLength:"1000" doc:"Only the tensors of this collection."`
	Q          string `query:"q" maxLength:"2000" doc:"Only tensors in whose name this regular expression, as Python's re has it, matches."`
	From       int64  `query:"from" minimum:"0" doc:"First step of the mode."`
	To         int64  `query:"to" minimum:"0" doc:"The step after the last one; 0: no end."`
	Columns    int    `query:"columns" default:"400" minimum:"1" maximum:"2000" doc:"At most so many columns."`
	Rows       int    `query:"rows" default:"400" minimum:"1" maximum:"2000" doc:"At most so many rows."`
	Skip       int    `query:"skip" minimum:"0" doc:"Rows to leave out at the top."`
}

func (s *Server) heat(_ context.Context, in *heatIn) (Heat, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return Heat{}, err
	}
	modes, err := modesOf(t, in.Mode)
	if err != nil {
		return Heat{}, err
	}
	mode := modes[0]
	if in.Mode == "" && len(t.Modes()) > 0 && !slices.Contains(t.Modes(), mode) {
		mode = t.Modes()[0]
	}
	h, err := view.HeatOf(t, view.HeatQuery{Stat: in.Stat, Mode: mode, Worker: in.Worker, Collection: in.Collection, Pattern: in.Q,
		From: in.From, To: in.To, Skip: in.Skip, Rows: in.Rows, Columns: in.Columns})
	var pattern *pyre.Error
	if errors.As(err, &pattern) {
		return Heat{}, &wrong{fmt.Sprintf("%q is not a regular expression: %s", in.Q, pattern.Text())}
	}
	if err != nil {
		return Heat{}, err
	}
	out := Heat{Format: format1, Stat: in.Stat, Mode: mode.String(), Log: h.Log, Steps: h.Steps, Rows: []HeatRow{}, Stats: nonNil(h.Stats), All: h.All, More: h.More}
	for _, r := range h.Rows {
		out.Rows = append(out.Rows, HeatRow{r.Name, r.Module, string(r.Kind), r.Values, r.Odd})
	}
	return out, nil
}

// Histograms are those of a tensor over its steps.
type Histograms struct {
	Format
	Name     string     `json:"name"`
	Mode     string     `json:"mode"`
	Worker   string     `json:"worker"`
	Edges    floats     `json:"edges" doc:"Bounds of the bins, one more than there are bins: powers of two, zeros are in the bin between the signs. Empty when there are no histograms."`
	Zero     int        `json:"zero" doc:"Number of the bin that zeros are in."`
	Steps    integers   `json:"steps" doc:"Steps of the mode, the first and the last one among them."`
	Counts   []integers `json:"counts" doc:"Elements by step, then by bin."`
	Shares   []floats   `json:"shares" doc:"Of the finite elements of the step, by step, then by bin."`
	Elements integers   `json:"elements" doc:"All elements, by step."`
	NaN      integers   `json:"nan" doc:"Elements that are NaN, by step. They are in no bin."`
	Inf      integers   `json:"inf" doc:"Infinite elements, by step. They are in no bin."`
	All      int        `json:"all" doc:"How many steps have a histogram."`
}

type histogramsIn struct {
	TensorOf
	From    int64 `query:"from" minimum:"0" doc:"First step of the mode."`
	To      int64 `query:"to" minimum:"0" doc:"The step after the last one; 0: no end."`
	Columns int   `query:"columns" default:"120" minimum:"1" maximum:"2000" doc:"At most so many steps."`
	Bins    int   `query:"bins" default:"128" minimum:"2" maximum:"600" doc:"At most so many bins: neighbours are united."`
}

func (s *Server) histograms(_ context.Context, in *histogramsIn) (Histograms, error) {
	var rows []source.StatsRow
	_, _, q, err := s.tensor(&in.TensorOf, func(t source.Run, q source.Query) (_ bool, err error) {
		q.From, q.To = in.From, in.To
		rows, err = t.Stats(q)
		return slices.ContainsFunc(rows, func(r source.StatsRow) bool { return r.Hist != nil }), err
	})
	if err != nil {
		return Histograms{}, err
	}
	out := Histograms{Format: format1, Name: in.Tensor, Mode: q.Mode.String(), Worker: in.Worker, Counts: []integers{}, Shares: []floats{}}
	h := view.RidgesOf(rows, in.Columns, in.Bins)
	if h == nil {
		return out, nil
	}
	out.Worker = rows[0].Worker
	out.Edges, out.Zero, out.Steps, out.All = h.Edges, h.Zero, h.Steps, h.All
	out.Elements, out.NaN, out.Inf = h.Elements, h.NaN, h.Inf
	for i := range h.Steps {
		out.Counts, out.Shares = append(out.Counts, h.Counts[i]), append(out.Shares, h.Shares[i])
	}
	return out, nil
}

// Stats are what is known of a tensor at one step.
type Stats struct {
	Format
	Name      string             `json:"name"`
	Mode      string             `json:"mode"`
	Worker    string             `json:"worker"`
	Step      int64              `json:"step" doc:"Step of the mode: the last one up to that asked for at which there is anything of the tensor, or the first."`
	Steps     integers           `json:"steps" doc:"Steps of the mode at which there is anything of it."`
	RawSteps  integers           `json:"raw_steps" doc:"Steps of the mode at which its values are stored."`
	Shape     *[]int64           `json:"shape" doc:"Its shape at that step; null when it is not known."`
	Stats     map[string]number  `json:"stats" doc:"Its statistics at that step, by name."`
	Derived   map[string]number  `json:"derived" doc:"Further numbers that rules asked for."`
	Histogram *HistogramOfMoment `json:"histogram" doc:"How its elements spread at that step; null when that is not known."`
	Orders    []string           `json:"image_orders" doc:"The orders in which its dimensions may be those of images, the likeliest first; none: it has no images."`
	Images    bool               `json:"images" doc:"Its shape is likely one of images."`
}

// HistogramOfMoment is one histogram.
type HistogramOfMoment struct {
	_      struct{} `nullable:"true"`
	Edges  floats   `json:"edges"`
	Counts integers `json:"counts"`
}

type statsIn struct {
	TensorOf
	Step int64 `query:"step" default:"-1" minimum:"-1" doc:"Step of the mode; -1: the last one."`
}

func (s *Server) stats(_ context.Context, in *statsIn) (Stats, error) {
	var m *view.Moment
	t, info, q, err := s.tensor(&in.TensorOf, func(t source.Run, q source.Query) (_ bool, err error) {
		q.From = in.Step
		m, err = view.MomentOf(t, q)
		return m != nil, err
	})
	if err != nil {
		return Stats{}, err
	}
	if m == nil {
		return Stats{}, nothing(t, in.Tensor, "")
	}
	out := Stats{Format: format1, Name: in.Tensor, Mode: q.Mode.String(), Worker: m.Worker, Step: m.Step, Steps: m.Steps, RawSteps: m.Raw,
		Stats: map[string]number{}, Derived: map[string]number{}}
	shape := info.Shape
	if m.Shape != nil {
		out.Shape, shape = &m.Shape, m.Shape
	}
	if out.Orders = []string{}; !info.Strings {
		orders, likely := view.ImageOrders(shape)
		out.Orders, out.Images = nonNil(orders), likely
	}
	for k, v := range m.Stats {
		out.Stats[k] = number(v)
	}
	for k, v := range m.Derived {
		out.Derived[k] = number(v)
	}
	if m.Histogram != nil {
		out.Histogram = &HistogramOfMoment{Edges: m.Histogram.Edges, Counts: m.Histogram.Counts[0]}
	}
	return out, nil
}

// nothing is the error for a tensor of which there is nothing to show.
func nothing(t source.Run, tensor, hint string) error {
	return &missing{fmt.Sprintf("Run %.200q has nothing of %.200q in the mode and of the worker asked for%s.", t.Run().Name, tensor, hint)}
}
