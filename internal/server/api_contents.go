package server

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// TensorList is everything that has a name in a run.
type TensorList struct {
	Format
	Tensors     []Tensor     `json:"tensors" doc:"In the network's order, then by name."`
	Collections []Collection `json:"collections"`
}

// Tensor is a tensor or series of a run.
type Tensor struct {
	Name        string   `json:"name"`
	Kind        string   `json:"kind" doc:"weight, bias, gradient, loss, input, output, label, prediction, optimizer_state, scalar, custom, samples, training, machine, time."`
	Collections []string `json:"collections"`
	Module      string   `json:"module"`
	ModuleType  string   `json:"module_type"`
	Modes       []string `json:"mode_list"`
	DType       string   `json:"dtype"`
	Shape       []int64  `json:"shape"`
	Stats       []string `json:"stats" doc:"Statistics that have values; \"value\" of a scalar."`
	Raw         bool     `json:"raw" doc:"Raw values are stored at some step."`
	Histogram   bool     `json:"histogram"`
	Strings     bool     `json:"strings"`
	By          string   `json:"by" enum:"step,time"`
	Unit        string   `json:"unit"`
	Order       int      `json:"order" doc:"Place in the network."`
	AliasOf     string   `json:"alias_of,omitempty"`
	Frozen      bool     `json:"frozen,omitempty"`
}

// Collection is how many tensors belong to a collection.
type Collection struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func toTensor(l *view.Listed) Tensor {
	out := Tensor{Name: l.Name, Kind: string(l.Kind), Collections: nonNil(l.TensorInfo.Collections), Module: l.Module, ModuleType: l.ModuleType, Modes: []string{},
		DType: l.DType, Shape: nonNil(l.Shape), Stats: nonNil(l.Stats), Raw: l.Raw, Histogram: l.Histogram, Strings: l.Strings, By: "step", Unit: l.Unit,
		Order: l.Order, AliasOf: l.AliasOf, Frozen: l.Frozen}
	if l.ByTime {
		out.By = "time"
	}
	for _, m := range l.Modes {
		out.Modes = append(out.Modes, m.String())
	}
	return out
}

// nonNil is a list that JSON writes as one.
func nonNil[E any](list []E) []E {
	if list == nil {
		return []E{}
	}
	return list
}

// CurveList is what the page of curves shows of a run.
type CurveList struct {
	Format
	Curves      []CurveEntry     `json:"curves"`
	Marks       []MarkEntry      `json:"marks" doc:"Findings that count, at the updates that curves show."`
	Checkpoints []CheckpointMark `json:"checkpoints"`
	Epochs      []EpochMark      `json:"epochs"`
}

// CurveEntry is a curve that a run has.
type CurveEntry struct {
	Name   string `json:"name"`
	Series string `json:"series" doc:"As /series takes it."`
	Mode   string `json:"mode"`
	Group  string `json:"group" doc:"losses, metrics, or collection NAME."`
	Points int64  `json:"points"`
}

// MarkEntry is a finding on a curve.
type MarkEntry struct {
	ID       string    `json:"id"`
	Step     int64     `json:"step" doc:"Among the steps of all modes."`
	Mode     string    `json:"mode"`
	ModeStep int64     `json:"mode_step"`
	Time     time.Time `json:"time" doc:"When that step closed."`
	Update   int64     `json:"update" doc:"The update of the weights that was about to be made, or was made last."`
	Epoch    number    `json:"epoch" doc:"Passes over the data that were done before that update; NaN where that is not known."`
	Severity string    `json:"severity"`
	Title    string    `json:"title"`
	Rule     string    `json:"rule"`
	Check    string    `json:"check"`
	Subject  string    `json:"subject"`
}

// CheckpointMark is when a checkpoint was written.
type CheckpointMark struct {
	Step  int64     `json:"step"`
	Epoch number    `json:"epoch" doc:"Passes over the data that were done before that step; NaN where that is not known."`
	Time  time.Time `json:"time"`
}

// EpochMark is where an epoch begins.
type EpochMark struct {
	Epoch int64 `json:"epoch"`
	Step  int64 `json:"step"`
}

func registerContents(api huma.API, s *Server) {
	get(api, "/runs/{run}/tensors", "list-tensors", "All tensors and series of a run", func(_ context.Context, in *struct{ RunPath }) (TensorList, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return TensorList{}, err
		}
		list := view.List(t)
		out := TensorList{format1, make([]Tensor, len(list)), []Collection{}}
		for i := range list {
			out.Tensors[i] = toTensor(&list[i])
		}
		for _, c := range view.CollectionCounts(list) {
			out.Collections = append(out.Collections, Collection{c.Name, c.Count})
		}
		return out, nil
	})
	get(api, "/runs/{run}/curves", "list-curves", "The curves of a run, and what is marked on them", func(_ context.Context, in *struct{ RunPath }) (CurveList, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return CurveList{}, err
		}
		run := t.Run()
		charts := view.Charts(view.List(t))
		out := CurveList{format1, make([]CurveEntry, len(charts)), []MarkEntry{}, []CheckpointMark{}, []EpochMark{}}
		for i, c := range charts {
			out.Curves[i] = CurveEntry{Name: c.Name, Series: spellAsk(c.Ask), Mode: c.Ask.Mode, Group: string(c.Group), Points: c.Points}
		}
		epochs, made := run.Clock().Epochs, run.Steps[record.Train.String()]
		for _, m := range view.FindingMarks(t, view.NamedFindings(t.Findings(), run.Clock())) {
			out.Marks = append(out.Marks, MarkEntry{m.ID, m.Step, m.Mode.String(), m.ModeStep, m.Finding.Time, m.Update, number(epochs.Passed(m.Update, made)), string(m.Severity), m.Message, m.Rule, m.Check, m.Subject})
		}
		checkpoints, err := view.Checkpoints(t)
		if err != nil {
			return CurveList{}, err
		}
		for _, c := range checkpoints {
			out.Checkpoints = append(out.Checkpoints, CheckpointMark{c.Step, number(epochs.Passed(c.Step, made)), c.Time})
		}
		for _, e := range view.EpochMarks(run) {
			out.Epochs = append(out.Epochs, EpochMark(e))
		}
		return out, nil
	})
}
