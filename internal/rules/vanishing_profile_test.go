package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// early is a job of four layers whose first two get a small share of the last
// one's gradient, while the loss stands still.
func early(j *job) {
	for i := range int64(140) {
		x := input{step: i, scalars: map[string]float64{"loss": 2.3}, tensors: map[string]values{}}
		for k, g := range []float64{1e-6, 1e-6, 0.5, 1} {
			x.tensors[fmt.Sprintf("gradient/Net_fc%d.weight", k)] = values{[]int64{1, 2}, []float64{g, -g}}
		}
		j.feed(x)
	}
}

// Weights that an earlier training left have no initialisation that could be
// better.
func TestVanishingProfileOfLoadedWeights(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts *record.Facts
		names bool // initialisation is among the causes and remedies
	}{
		{"weights that begin at random", classifier(), true},
		{"weights that were loaded", came(), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, config("vanishing_gradient", "relative", "0.0002", "every", "1"))
			j.engine.Facts(c.facts)
			early(j)
			if len(j.found) != 1 || j.found[0].Check != "profile" {
				t.Fatalf("findings are %+v", j.found)
			}
			f := j.found[0]
			says := strings.ToLower(f.Cause + "; " + f.Remedy)
			if strings.Contains(says, "initial") != c.names {
				t.Errorf("it says %q", says)
			}
		})
	}
}
