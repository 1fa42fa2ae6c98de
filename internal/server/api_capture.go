package server

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// CaptureRequest asks a running job for more of a tensor or a collection.
type CaptureRequest struct {
	Tensor     string `json:"tensor,omitempty" maxLength:"20000" doc:"Name of a tensor of the run; this or collection."`
	Collection string `json:"collection,omitempty" maxLength:"1000" doc:"Name of a collection of the run; this or tensor."`
	Steps      int64  `json:"steps,omitempty" default:"20" minimum:"1" maximum:"1000" doc:"For so many steps of each mode."`
	Raw        *bool  `json:"raw,omitempty" doc:"The values themselves (left out: true); else statistics and histograms."`
}

// Captures are the steps at which it is captured.
type Captures struct {
	Format
	Windows []CaptureWindow `json:"windows"`
}

// CaptureWindow is a span of steps of one mode.
type CaptureWindow struct {
	Collection string `json:"collection"`
	Mode       string `json:"mode"`
	Start      int64  `json:"start"`
	End        int64  `json:"end" doc:"The step after the last one."`
}

type captureIn struct {
	RunPath
	Body CaptureRequest
}

func registerCapture(api huma.API, s *Server) {
	change(api, http.MethodPost, "/runs/{run}/capture", "capture", "Have a running job capture more for some steps", s.capture)
}

func (s *Server) capture(_ context.Context, in *captureIn) (Captures, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return Captures{}, err
	}
	r, err := s.asked(in.Run)
	if err != nil {
		return Captures{}, err
	}
	request, err := captureRequest(t, &in.Body)
	if err != nil {
		return Captures{}, err
	}
	changed, err := r.Plan(request)
	if err != nil {
		return Captures{}, err
	}
	out := Captures{format1, []CaptureWindow{}}
	for _, w := range changed.Windows {
		out.Windows = append(out.Windows, CaptureWindow(w))
	}
	return out, nil
}

// captureRequest is the change of the plan that a request stands for.
func captureRequest(t source.Run, r *CaptureRequest) (*capture.PlanRequest, error) {
	c := plan.Collection{Name: r.Collection, Schedule: plan.Every(1), Want: plan.Raw}
	what := "raw values"
	raw := r.Raw == nil || *r.Raw
	if !raw {
		c.Want, what = plan.Stats|plan.Hist, "statistics"
	}
	of := r.Collection
	infos := source.OfTraining(t.Tensors())
	switch {
	case (r.Tensor == "") == (r.Collection == ""):
		return nil, &wrong{"Name a tensor or a collection, and not both."}
	case r.Tensor != "":
		if !slices.ContainsFunc(infos, func(i record.TensorInfo) bool { return i.Name == r.Tensor }) {
			return nil, &missing{fmt.Sprintf("Run %.200q has no tensor %.200q.", t.Run().Name, r.Tensor)}
		}
		c.Name, c.Regex, of = "raw", []string{`\A` + regexp.QuoteMeta(r.Tensor) + `\Z`}, r.Tensor
		if !raw {
			c.Name = "stats"
		}
	case !slices.ContainsFunc(infos, func(i record.TensorInfo) bool { return slices.Contains(i.Collections, r.Collection) }):
		return nil, &missing{fmt.Sprintf("Run %.200q has no tensor in a collection %.200q.", t.Run().Name, r.Collection)}
	}
	return &capture.PlanRequest{Collect: []plan.Collection{c}, For: r.Steps, Why: fmt.Sprintf("dashboard: %s of %.1000s for %d steps", what, of, r.Steps)}, nil
}
