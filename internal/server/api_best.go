package server

import (
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/ranking"
)

// BestQuery is by what runs are ranked.
type BestQuery struct {
	Runs   []string `query:"run,explode" maxItems:"200" doc:"Names of runs: only these; none: all that are not archived."`
	Metric string   `query:"metric" maxLength:"200" doc:"The number, by its name in the list of runs; empty: a loss of evaluation, where there is one."`
	Better string   `query:"better" enum:"less,more" doc:"In which direction it is better; empty: by its name."`
}

// Ranking is which run is best.
type Ranking struct {
	Format
	ranking.Answer
	Building *Building `json:"building" doc:"How far the reading of runs has come that are not in the list yet; null: all are."`
}

func registerBest(api huma.API, s *Server) {
	get(api, "/best", "get-best", "Which run is best by a number, what the runs differ in, and which parameters go with it", s.best)
}

func (s *Server) best(_ context.Context, in *BestQuery) (Ranking, error) {
	rows, _, building, err := s.pageOf(Page{Limit: mostRanked}, in.Runs)
	if err != nil {
		return Ranking{}, err
	}
	var list []ranking.Run
	for _, row := range s.marked(rows) {
		if row.Archived && len(in.Runs) == 0 {
			continue
		}
		one, err := ranking.Of(&row)
		if err != nil {
			return Ranking{}, err
		}
		list = append(list, one)
	}
	answer, err := ranking.Rank(list, ranking.Question{Metric: in.Metric, Better: in.Better})
	if unknown := (*ranking.Unknown)(nil); errors.As(err, &unknown) {
		return Ranking{}, &wrong{"No two of these runs have the number that is asked for: " + unknown.Error() + "."}
	}
	return Ranking{format1, answer, building}, err
}

// mostRanked is how many runs are compared at once, the newest.
const mostRanked = 1000
