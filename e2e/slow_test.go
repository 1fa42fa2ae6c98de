package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// A training that blurs each image pixel by pixel is found to be slow for that, in
// the code that makes items.
func TestSlowTraining(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(testenv.Root(), "examples", "slow.py"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "train.py"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if o := run(t, dir, []string{"OMP_NUM_THREADS=1"}, binary, "run", "--name", "r", "--", testenv.Python(t), "train.py"); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	root := filepath.Join(dir, "vigil-runs")
	waitEnded(t, root)
	found := open(t, runDir(t, root)).Findings()
	i := slices.IndexFunc(found, func(f record.Finding) bool { return f.Rule == "slow_training" })
	if i < 0 {
		t.Fatalf("found %v", found)
	}
	f := found[i]
	if f.Check != "transforms" || f.Where == nil || f.Share <= 0 || f.Gain <= 1 {
		t.Fatalf("found %+v", f)
	}
	// Which line of the items it is depends on where Python next gives the thread that
	// samples a turn.
	before, _, _ := strings.Cut(string(text), "def __getitem__")
	items, _, _ := strings.Cut(string(text), "def blur_rows")
	if line := f.Where.Line; line <= strings.Count(before, "\n") || line > strings.Count(items, "\n") {
		t.Errorf("line %d is none of those that make items", line)
	}
}
