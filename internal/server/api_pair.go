package server

import (
	"context"
	"errors"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// StatsCompared is a tensor at a step next to one of another run.
type StatsCompared struct {
	Format
	Error      string          `json:"error" doc:"Why they cannot be compared, a sentence; \"\" otherwise."`
	Here       ComparedTensor  `json:"here"`
	There      ComparedTensor  `json:"there"`
	Stats      []StatCompared  `json:"stats" doc:"The numbers that both have."`
	Histograms *HistogramsPair `json:"histograms" doc:"How the elements of both spread; null when that is not known of one of them."`
	Values     bool            `json:"values" doc:"Values of both are stored and of one shape."`
	WhyNot     string          `json:"why_not" doc:"Why values is false, a sentence."`
}

// ComparedTensor is one of two tensors that are compared.
type ComparedTensor struct {
	Run      string   `json:"run"`
	Name     string   `json:"name"`
	Mode     string   `json:"mode"`
	Worker   string   `json:"worker"`
	Step     int64    `json:"step" doc:"Step of the mode; -1 when there is an error."`
	Steps    integers `json:"steps" doc:"Steps of the mode at which there is anything of it."`
	RawSteps integers `json:"raw_steps" doc:"Steps of the mode at which its values are stored."`
	Shape    *[]int64 `json:"shape" doc:"Its shape at that step; null when it is not known."`
}

// StatCompared is a number that two tensors have.
type StatCompared struct {
	Name       string `json:"name"`
	Derived    bool   `json:"derived" doc:"A rule asked for it."`
	Here       number `json:"here"`
	There      number `json:"there"`
	Difference number `json:"difference" doc:"That of here from there."`
	Relative   number `json:"relative" doc:"The difference as a part of the magnitude of there; NaN where there is none."`
}

// HistogramsPair are the histograms of two tensors in common bins.
type HistogramsPair struct {
	_         struct{} `nullable:"true"`
	Edges     floats   `json:"edges"`
	Here      integers `json:"here" doc:"Elements by bin."`
	There     integers `json:"there"`
	HereStep  int64    `json:"here_step" doc:"The last step up to its own that has a histogram."`
	ThereStep int64    `json:"there_step"`
}

// WithOf is the part of a request that names the tensor to compare with.
type WithOf struct {
	With       string `query:"with" required:"true" minLength:"1" maxLength:"255" doc:"Name of the run to compare with; it may be the same one."`
	WithTensor string `query:"with_tensor" maxLength:"20000" doc:"Name of the tensor there; left out, the same."`
	WithStep   int64  `query:"with_step" default:"-1" minimum:"-1" doc:"Step of the mode there, or the last one up to it; -1: the same step as here."`
}

type statsComparedIn struct {
	TensorOf
	WithOf
	Step int64 `query:"step" default:"-1" minimum:"-1" doc:"Step of the mode; -1: the last one."`
}

// pair are the two tensors that a request names. Where the second one's run is not there,
// the first one is known.
func (s *Server) pair(in *TensorOf, with *WithOf, step int64, has func(t source.Run, q source.Query) (bool, error)) (here, there view.Member, err error) {
	t, _, q, err := s.tensor(in, has)
	if err != nil {
		return here, there, err
	}
	here = view.Member{Run: t, Name: in.Run, Tensor: in.Tensor, Mode: q.Mode, Worker: in.Worker, Step: step}
	there = view.Member{Name: with.With, Tensor: with.WithTensor, Mode: q.Mode, Worker: in.Worker, Step: with.WithStep}
	if there.Tensor == "" {
		there.Tensor = in.Tensor
	}
	if there.Run, err = s.run(with.With); err != nil {
		return here, there, err
	}
	return here, there, nil
}

func (s *Server) compareStats(_ context.Context, in *statsComparedIn) (StatsCompared, error) {
	here, there, err := s.pair(&in.TensorOf, &in.WithOf, in.Step, func(t source.Run, q source.Query) (bool, error) {
		q.From = in.Step
		m, err := view.MomentOf(t, q)
		return m != nil, err
	})
	var unlike *view.Unlike
	var gone *missing
	var p *view.Pair
	if err == nil {
		p, err = view.PairOf(here, there)
	}
	out := StatsCompared{Format: format1, Here: toCompared(&here, nil), There: toCompared(&there, nil), Stats: []StatCompared{}}
	switch {
	case errors.As(err, &unlike):
		out.Error = unlike.Error()
		return out, nil
	case here.Run != nil && errors.As(err, &gone):
		out.Error = gone.message
		return out, nil
	case err != nil:
		return StatsCompared{}, err
	}
	out.Here, out.There, out.Values, out.WhyNot = toCompared(&here, p.Here), toCompared(&there, p.There), p.Values, p.WhyNot
	for _, st := range p.Stats {
		out.Stats = append(out.Stats, StatCompared{st.Name, st.Derived, number(st.Here), number(st.There), number(st.Difference), number(st.Relative)})
	}
	if h := p.Histograms; h != nil {
		out.Histograms = &HistogramsPair{Edges: h.Edges, Here: h.Counts[0], There: h.Counts[1], HereStep: h.Steps[0], ThereStep: h.Steps[1]}
	}
	return out, nil
}

func toCompared(m *view.Member, of *view.Moment) ComparedTensor {
	out := ComparedTensor{Run: m.Name, Name: m.Tensor, Mode: m.Mode.String(), Worker: m.Worker, Step: -1}
	if of == nil {
		return out
	}
	out.Worker, out.Step, out.Steps, out.RawSteps = of.Worker, of.Step, of.Steps, of.Raw
	if of.Shape != nil {
		out.Shape = &of.Shape
	}
	return out
}

// RawCompared are differences of values: of min, max and values, all others are those
// of here.
type RawCompared struct {
	Raw
	With ComparedTensor `json:"with" doc:"What was subtracted."`
}

type rawComparedIn struct {
	TensorOf
	WithOf
	PartOf
}

func (s *Server) compareRaw(_ context.Context, in *rawComparedIn) (RawCompared, error) {
	c, err := in.cut()
	if err != nil {
		return RawCompared{}, err
	}
	here, there, err := s.pair(&in.TensorOf, &in.WithOf, in.Step, hasRaw)
	if err != nil {
		return RawCompared{}, err
	}
	a, b, err := view.DifferenceOf(here, there, c)
	var unlike *view.Unlike
	if errors.As(err, &unlike) {
		return RawCompared{}, &missing{unlike.Error()}
	}
	if err != nil {
		return RawCompared{}, noValues(err, here.Run, in.Tensor)
	}
	with := toCompared(&there, nil)
	with.Worker, with.Step, with.RawSteps = b.Worker, b.Step, b.Steps
	return RawCompared{toRaw(in.Tensor, here.Mode.String(), a), with}, nil
}
