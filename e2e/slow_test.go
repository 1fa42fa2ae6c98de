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

// A training that blurs each image pixel by pixel is found to be slow for that, at
// the line of the loop.
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
	lines := strings.Split(string(text), "\n")
	if line := strings.TrimSpace(lines[f.Where.Line-1]); !strings.HasPrefix(line, "out[y, x] = ") && !strings.HasPrefix(line, "for x in ") {
		t.Errorf("the line is %d, %q", f.Where.Line, line)
	}
}
