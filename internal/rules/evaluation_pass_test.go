package rules_test

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// The validation loss that is judged is that which lists and curves show: each batch
// counts by its samples.
func TestEvaluationPassIsWeighted(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples float64 // of the last batch; the others have 32; 0: not known of any
		want    string
	}{
		{"the last batch is small", 1, ""},
		{"all batches have one size", 32, "the validation loss (3)"},
		{"samples are not known", 0, "the validation loss (3)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, config("Overfit", "every", "1"))
			n := int64(0)
			for range 3 {
				j.feed(input{step: n, scalars: map[string]float64{"loss": 1}})
				n++
				for i, loss := range []float64{1, 1, 1, 9} {
					scalars := map[string]float64{"loss": loss}
					switch {
					case c.samples == 0:
					case i == 3:
						scalars[record.SamplesMean] = c.samples
					default:
						scalars[record.SamplesMean] = 32
					}
					j.feed(input{step: n, mode: record.Eval, scalars: scalars})
					n++
				}
			}
			j.feed(input{step: n, scalars: map[string]float64{"loss": 1}})
			if found := len(j.found) > 0; found != (c.want != "") || found && !strings.Contains(j.found[0].Message, c.want) {
				t.Errorf("%+v", j.found)
			}
		})
	}
}
