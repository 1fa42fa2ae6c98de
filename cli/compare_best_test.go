package cli

import (
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
