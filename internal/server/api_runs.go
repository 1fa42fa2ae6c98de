package server

import (
	"context"
	"errors"
	"io/fs"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/trial"
)

// Runs is the list of runs.
type Runs struct {
	Format
	Runs []any `json:"runs"`
}

func registerRuns(api huma.API, s *Server) {
	get(api, "/runs", "list-runs", "The runs below the root, newest first", func(context.Context, *struct{}) (Runs, error) {
		list, err := trial.List(s.options.Root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Runs{}, err
		}
		out := Runs{format1, []any{}}
		for _, e := range list {
			out.Runs = append(out.Runs, e.Run.Name)
		}
		return out, nil
	})
}
