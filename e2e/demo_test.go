package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// Each planted fault is recognised as what it is, stops the job and is
// reported; the healthy training is silent. What `vigil check` finds in the
// stored run is what was found live.
func TestDemo(t *testing.T) {
	t.Parallel()
	torch := "PATH=" + filepath.Dir(testenv.Python(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, tt := range []struct {
		fault, flag string
		rule        string // of the root cause; empty: nothing may be found
	}{
		{"vanishing", "--go", "vanishing_gradient"},
		{"exploding", "--go", "not_finite"},
		{"dead-relu", "--go", "dead_relu"},
		{"plateau", "--go", "loss_not_decreasing"},
		{"none", "--go", ""},
		{"vanishing", "--torch", "vanishing_gradient"},
		{"exploding", "--torch", "not_finite"},
		{"dead-relu", "--torch", "dead_relu"},
		{"plateau", "--torch", "loss_not_decreasing"},
		{"none", "--torch", ""},
	} {
		t.Run(tt.fault+tt.flag, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := run(t, dir, []string{torch}, binary, "demo", tt.flag, "--fault", tt.fault)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
			}
			if strings.Contains(o.stdout+o.stderr, "cannot be used") {
				t.Errorf("a part of what was captured cannot be used:\n%s", o.stderr)
			}
			path := runDir(t, filepath.Join(dir, "vigil-runs"))
			tr := open(t, path)
			if _, err := os.Stat(filepath.Join(path, "reports", "report.html")); err != nil {
				t.Error(err)
			}
			groups := tr.Groups()
			if tt.rule == "" {
				if len(groups) != 0 || tr.Run().Status != record.Completed {
					t.Fatalf("status %q, groups %+v", tr.Run().Status, groups)
				}
			} else if len(groups) == 0 || groups[0].Root.Rule != tt.rule || tr.Run().Status != record.Stopped {
				t.Fatalf("status %q, groups %+v; want the root %s", tr.Run().Status, groups, tt.rule)
			}
			live := run(t, dir, nil, binary, "findings", path, "--json")
			again := run(t, dir, nil, binary, "check", path, "--json", "--fail-on", "never")
			if l, a := findingsOf(t, live.stdout), findingsOf(t, again.stdout); l != a {
				t.Errorf("check finds something else:\nlive:  %s\ncheck: %s", l, a)
			}
		})
	}
}

// findingsOf is the list of findings in the output of a command, as text.
func findingsOf(t *testing.T, text string) string {
	t.Helper()
	var out struct {
		Findings []record.Finding `json:"findings"`
	}
	decode(t, text, &out)
	b, err := json.Marshal(out.Findings)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
