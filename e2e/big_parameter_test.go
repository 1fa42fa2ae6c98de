package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// A parameter of 2 GB and its gradient travel in pieces, and every element is
// in the statistics.
func TestParameterOfTwoGigabytes(t *testing.T) {
	if os.Getenv("VIGIL_TEST_LONG") == "" {
		t.Skip("needs some 8 GB of memory")
	}
	const elements = 1<<29 + 3
	dir := t.TempDir()
	o := run(t, dir, nil, binary, "run", "--quiet", "--name", "r", "--every", "1", "--rules", "none", "--", testenv.Python(t), bad("big_parameter"))
	if o.code != 0 {
		t.Fatalf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if bare := run(t, dir, nil, testenv.Python(t), bad("big_parameter")); bare.code != 0 || bare.stdout != o.stdout {
		t.Errorf("the bare script ended with %d and weights %q, not %q\n%s", bare.code, bare.stdout, o.stdout, bare.stderr)
	}
	for _, c := range []struct {
		tensor, stat string
		first        float64
	}{
		{"Net_big", "count", elements},
		{"Net_big", "max", 7},
		{"Net_big", "min", 1},
		{"Net_big", "sum", elements + 6},
		{"gradient/Net_big", "count", elements},
		{"gradient/Net_big", "zeros", elements - 1},
	} {
		var got struct{ Steps, Values []float64 }
		v := run(t, dir, nil, binary, "values", "r", c.tensor, "--stat", c.stat, "--format", "json")
		if err := json.Unmarshal([]byte(v.stdout), &got); err != nil {
			t.Fatalf("%s of %s: %v\n%s%s", c.stat, c.tensor, err, v.stdout, v.stderr)
		}
		if !slices.Contains(got.Steps, 0) || got.Values[0] != c.first {
			t.Errorf("%s of %s: %v at %v, want %v at step 0", c.stat, c.tensor, got.Values, got.Steps, c.first)
		}
	}
}
