package e2e

import (
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// Without any option a run has the rate of each group of parameters, the norm of all
// gradients and the size of updates: at the steps that were captured, what the script
// itself computed. A number that the script logs under such a name stays its own.
func TestCurvesOfATraining(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := run(t, dir, nil, binary, "run", "--name", "r", "--", testenv.Python(t), script("training_curves"))
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	var printed []struct {
		Rates         []float64
		Norm, Changed float64
	}
	for text := range strings.Lines(o.stdout) {
		if strings.HasPrefix(text, "{") {
			printed = append(printed, struct {
				Rates         []float64
				Norm, Changed float64
			}{})
			decode(t, text, &printed[len(printed)-1])
		}
	}
	if len(printed) != 64 {
		t.Fatalf("the script made %d updates: %s", len(printed), o.stdout)
	}
	path := filepath.Join(dir, "vigil-runs", "r")
	for _, tt := range []struct {
		series string
		least  int // points
		want   func(step int64) float64
	}{
		{"learning_rate", 8, func(step int64) float64 { return printed[step].Rates[0] }},
		{"learning_rate/group1", 8, func(step int64) float64 { return printed[step].Rates[1] }},
		{record.GradientNorm, 4, func(step int64) float64 { return printed[step].Norm }},
		{"update_size", 3, func(step int64) float64 { return printed[step-1].Changed }},
		{"gradient_norm", 64, func(int64) float64 { return 7 }},
	} {
		var got struct {
			Steps  []int64
			Values []json.Number
		}
		decode(t, run(t, dir, nil, binary, "values", path, tt.series, "--json").stdout, &got)
		if len(got.Steps) < tt.least || len(got.Steps) != len(got.Values) {
			t.Errorf("%s has the steps %v", tt.series, got.Steps)
		}
		for i, step := range got.Steps {
			v, err := got.Values[i].Float64()
			if want := tt.want(step); err != nil || math.Abs(v-want) > 1e-5*want {
				t.Errorf("%s is %s at step %d, and the script computed %v", tt.series, got.Values[i], step, want)
			}
		}
	}
	said := regexp.MustCompile(`(?m)^rate +(\S+) in step (\d+), (\S+) in step (\d+)$`).FindStringSubmatch(run(t, dir, nil, binary, "show", path).stdout)
	if said == nil {
		t.Fatal("show has no line about the rate")
	}
	var of [2]int64
	for i := range of {
		of[i], _ = strconv.ParseInt(said[2*i+2], 10, 64)
		if v, err := strconv.ParseFloat(said[2*i+1], 64); err != nil || math.Abs(v-printed[of[i]].Rates[0]) > 1e-2*v {
			t.Errorf("show says %q, and the script had %v in step %d", said[0], printed[of[i]].Rates[0], of[i])
		}
	}
	if of[0] < 40 || of[1] != 0 {
		t.Errorf("show says %q of 64 updates", said[0])
	}
}
