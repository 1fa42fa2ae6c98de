package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// Whatever a script does with its loaders, the epoch of each update is the one that
// the script counts, in `vigil show` and on the axis of epochs, where no point is left
// out.
func TestEpochsOfTheScript(t *testing.T) {
	for _, tt := range []struct{ style, seed string }{
		{"plain", "1"}, {"while_next", "2"}, {"nested", "3"}, {"left_early", "4"}, {"progress_bar", "5"}, {"together", "6"},
		{"endless", "7"}, {"validated", "8"}, {"accumulated", "9"}, {"without_a_length", "10"}, {"workers", "11"},
		{"lightning", "1"}, {"trainer", "2"}, {"accelerate", "3"},
	} {
		t.Run(tt.style, func(t *testing.T) {
			if slices.Contains([]string{"lightning", "trainer", "accelerate"}, tt.style) && without("trainers") {
				t.Skip("VIGIL_TEST_WITHOUT names trainers")
			}
			dir := t.TempDir()
			o := run(t, dir, nil, append(append([]string{binary, "run", "--name", "r", "--"}, forked(t, "loaders")...), tt.style, tt.seed)...)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			lines := strings.Split(strings.TrimSpace(o.stdout), "\n")
			var log []int64
			decode(t, lines[len(lines)-1], &log)
			path := filepath.Join(dir, "vigil-runs", "r")
			tr := open(t, path)
			r := tr.Run()
			if n := r.Steps["TRAIN"]; n != int64(len(log)) {
				t.Fatalf("%d updates, the script made %d", n, len(log))
			}
			epochs := r.Clock().Epochs
			facts, _ := json.Marshal(epochs)
			for step, want := range log {
				if e, ok := epochs.Of(int64(step)); !ok || e.Number != want {
					t.Fatalf("update %d is of epoch %d, want %d; %s", step, e.Number, want, facts)
				}
			}
			line := func(axis view.Axis) view.Line {
				l := view.Lines(tr, []view.Ask{{Tensor: "loss", Mode: "TRAIN"}}, view.Frame{Axis: axis, From: math.NaN(), To: math.NaN(), Columns: 4096})[0]
				if l.Err != nil || !l.Raw {
					t.Fatalf("axis %s: raw %t, %v", axis, l.Raw, l.Err)
				}
				return l
			}
			steps, placed := line(view.ByStep), line(view.ByEpoch)
			if len(placed.X) != len(steps.X) || placed.Points != steps.Points || len(steps.X) != len(log) {
				t.Fatalf("%d points on the axis of epochs, %d on that of steps, of %d updates", len(placed.X), len(steps.X), len(log))
			}
			for i, x := range placed.X {
				if int64(math.Floor(x))+1 != log[i] || i > 0 && !(x > placed.X[i-1]) {
					t.Fatalf("update %d of epoch %d is at %g; %s", i, log[i], x, facts)
				}
			}
			shown := run(t, dir, nil, binary, "show", "r")
			if want := fmt.Sprintf("(0 to %d) in %s", len(log)-1, record.Several(log[len(log)-1], "epoch")); !strings.Contains(shown.stdout, want) {
				t.Errorf("it does not show %q:\n%s", want, shown.stdout)
			}
		})
	}
}
