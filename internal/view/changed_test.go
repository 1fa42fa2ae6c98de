package view_test

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// What of a run may have made it slower than another one.
func TestChanged(t *testing.T) {
	made := func(commit, torch string, flags, environ map[string]string) record.Run {
		return record.Run{Host: "h", Command: []string{"python", "train.py"}, Tags: map[string]string{"who": commit}, Provenance: &record.Provenance{
			Git: &record.Git{Commit: commit}, Packages: map[string]string{"torch": torch, "numpy": "2"}, Hyperparameters: flags, Environment: environ,
			Python: &record.Interpreter{Version: "3.12", Executable: "/" + commit}, Machine: &record.Machine{Cores: 2},
		}}
	}
	before := made("0123456789abcdef", "2.14", map[string]string{"lr": "0.1", "cache": "true"}, nil)
	for _, c := range []struct {
		name          string
		now           record.Run
		diff, diffNow string
		want          string
	}{
		{"nothing", before, "", "", ""},
		{"commit, package, flags, environment", made("fedcba9876543210", "2.15", map[string]string{"lr": "0.2", "workers": "4"}, map[string]string{"OMP_NUM_THREADS": "1"}), "", "",
			"commit 0123456789 → fedcba9876 | torch 2.14 → 2.15 | cache no longer set (was true) | lr 0.1 → 0.2 | workers set to 4 | OMP_NUM_THREADS set to 1"},
		{"a diff", before, "-a", "-b", "uncommitted changes of the code"},
		{"what one of them does not know", record.Run{Host: "h", Command: []string{"python", "train.py"}, Provenance: &record.Provenance{Hyperparameters: map[string]string{"lr": "0.1", "cache": "true"}}}, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(view.Changed(before, c.now, []byte(c.diff), []byte(c.diffNow)), " | "); got != c.want {
				t.Errorf("changed: %s\nwant: %s", got, c.want)
			}
		})
	}
}
