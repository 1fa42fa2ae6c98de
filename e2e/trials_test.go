package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/view"
)

// alike is nearly, with NaN for NaN.
func alike(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || nearly(a, b) }

// Several trainings of one process are told apart: each has its steps, epochs and
// losses as the script prints them, and a finding names the one that it is of. That a
// loss is high again at the beginning of the next one is no finding.
func TestTrialsOfASearch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, tt := range []struct {
		name  string
		rates []string
		found string // of each training
	}{
		{"sound", []string{"0.02", "0.05", "0.03", "0.01", "0.04"}, "none, none, none, none, none"},
		{"one-explodes", []string{"0.02", "0.05", "30", "0.01", "0.04"}, "none, none, 1 error, none, none"},
	} {
		argv := append([]string{binary, "run", "--quiet", "--monitor", "off", "--dir", root, "--name", tt.name, "--"}, forkedFile(t, script("trials"))...)
		o := run(t, root, nil, append(argv, tt.rates...)...)
		if o.code != 0 {
			t.Fatalf("%s: exit code %d: %s%s", tt.name, o.code, o.stdout, o.stderr)
		}
		tr, err := trial.Open(filepath.Join(root, tt.name))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		list, err := view.Trainings(tr)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		lines := strings.Split(strings.TrimSpace(o.stdout), "\n")
		for i, one := range list {
			var of view.TrainingOfProcess
			var loss, validation float64
			if _, err := fmt.Sscanf(lines[i], "trial %d %d %d %d %g %g", &of.Number, &of.From, &of.To, &of.Epochs, &loss, &validation); err != nil {
				t.Fatalf("%s: %v: %q", tt.name, err, lines[i])
			}
			if one.Number != of.Number || one.From != of.From || one.To != of.To || one.Epochs != of.Epochs || one.Loss == nil || one.Validation == nil ||
				!alike(float64(*one.Loss), loss) || !alike(float64(*one.Validation), validation) {
				b, _ := json.Marshal(one)
				t.Errorf("%s: %s, but the script has %q", tt.name, b, lines[i])
			}
			found = append(found, one.Findings.String())
		}
		if got := strings.Join(found, ", "); got != tt.found || len(list) != len(lines) {
			t.Errorf("%s: %d trainings with %s, want %s of %d\n%s", tt.name, len(list), got, tt.found, len(lines), o.stderr)
		}
		if tt.name == "sound" {
			continue
		}
		o = run(t, root, nil, binary, "findings", "--dir", root, tt.name)
		if want := "(training 3 of 5"; strings.Count(o.stdout, " (training ") != strings.Count(o.stdout, want) || !strings.Contains(o.stdout, want) {
			t.Errorf("findings do not name the third training alone:\n%s", o.stdout)
		}
		o = run(t, root, nil, binary, "show", "--dir", root, tt.name)
		for _, want := range []string{"(the first of 5 trainings)", "in 5 trainings", "5 trainings in this process:"} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("show does not say %q:\n%s", want, o.stdout)
			}
		}
	}
}
