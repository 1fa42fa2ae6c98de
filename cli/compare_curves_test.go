package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// A table has each step of a series of up to twenty, so that the best evaluation is in it; of a longer one ten.
func TestTableOfASeries(t *testing.T) {
	for n, rows := range map[int]int{1: 1, 12: 12, 20: 20, 21: 10, 500: 10} {
		course := &view.Course{}
		for i := range n {
			course.Steps, course.Values = append(course.Steps, int64(i)), append(course.Values, record.Number(i))
		}
		var out bytes.Buffer
		p := &comparison{names: []string{"a", "b"}, w: &out}
		p.tabulate(view.SharedSeries{Name: "loss", Mode: record.Eval, Of: []*view.Course{course, course}})
		if got := strings.Count(out.String(), "step "); got != rows {
			t.Errorf("%d points: %d rows\n%s", n, got, out.String())
		}
	}
}
