package server

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/view"
)

// ValuesAt are values of series at a step.
type ValuesAt struct {
	Format
	Values map[string]number `json:"values" doc:"By name; one without a value by then is left out."`
}

func registerValues(api huma.API, s *Server) {
	get(api, "/runs/{run}/values", "get-values", "Values of series at a step, or the last ones before it", func(_ context.Context, in *struct {
		RunPath
		At     int64    `query:"at" required:"true" minimum:"0" doc:"A step of the series' mode."`
		Series []string `query:"series,explode" maxItems:"500" doc:"Names as in values of the list of runs."`
	},
	) (ValuesAt, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return ValuesAt{}, err
		}
		at, err := view.ValuesAt(t, in.Series, in.At)
		if err != nil {
			return ValuesAt{}, err
		}
		out := ValuesAt{format1, map[string]number{}}
		for name, v := range at {
			out.Values[name] = number(v)
		}
		return out, nil
	})
}
