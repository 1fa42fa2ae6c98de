package cli

import (
	"math"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/ranking"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// Each row of the final values has its best run marked, never one with an error finding; an
// evaluation has a row for its best values, too.
func TestFinalsAreMarked(t *testing.T) {
	course := func(last, least, greatest record.Number) *view.Course {
		return &view.Course{Last: last, At: 9, Min: least, Max: greatest}
	}
	p := &comparison{names: []string{"a", "b", "hot"}, rank: ranking.Answer{Runs: []ranking.Place{{Name: "hot", Distrust: []string{"not_finite"}}}}}
	p.Series = []view.SharedSeries{
		{Name: "loss", Mode: record.Eval, Loss: true, Of: []*view.Course{course(0.5, 0.2, 1), course(0.4, 0.3, 1), course(0.1, 0.1, 1)}},
		{Name: "accuracy", Mode: record.Train, Of: []*view.Course{course(0.7, 0, 1), nil, course(0.9, 0, 1)}},
		{Name: "tokens", Mode: record.Train, Of: []*view.Course{course(1, 1, 1), course(2, 2, 2), nil}},
	}
	want := [][]string{
		{"loss (EVAL)", "0.5 at 9", "0.4 at 9 (best)", "0.1 at 9"},
		{"  least", "0.2 (best)", "0.3", "0.1"},
		{"accuracy (TRAIN)", "0.7 at 9 (best)", "-", "0.9 at 9"},
		{"tokens (TRAIN)", "1 at 9", "2 at 9", "-"},
	}
	if got := p.finals().rows; !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// With more runs than there is room for columns, a line for each run says what it reached
// and with which parameters, as far as they fit; the others are named.
func TestRankingOfManyRuns(t *testing.T) {
	text := func(words ...string) (list []*string) {
		for _, w := range words {
			if w == "" {
				list = append(list, nil)
				continue
			}
			list = append(list, &w)
		}
		return list
	}
	answer := ranking.Answer{
		Metric: "val_loss", Stat: "best",
		Runs: []ranking.Place{{Name: "hot", Value: 0.1, Distrust: []string{"not_finite"}}, {Name: "a", Value: 0.2, Rank: 1}, {Name: "b", Value: record.Number(math.NaN())}},
		Parameters: []ranking.Parameter{
			{Name: "lr", Values: text("3", "0.1", "0.01")}, {Name: "a-parameter-with-a-very-long-name", Values: text("1", "2", "3")}, {Name: "seed", Values: text("1", "", "2")},
		},
	}
	heads, rows, left := rankTable(answer, map[string]string{"hot": "1 error", "a": "none", "b": "none"}, 60)
	got := append([][]string{heads}, rows...)
	want := [][]string{
		{"RANK", "RUN", "val_loss best", "FINDINGS", "lr", "seed"},
		{"-", "hot", "0.1", "1 error", "3", "1"},
		{"1", "a", "0.2", "none", "0.1", "-"},
		{"-", "b", "-", "none", "0.01", "2"},
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) || !slices.Equal(left, []string{"a-parameter-with-a-very-long-name"}) {
		t.Errorf("%q, left out %q", got, left)
	}
}
