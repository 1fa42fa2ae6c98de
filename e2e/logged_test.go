package e2e

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// logged is a loop without a framework. It keeps a log of its own: each loss, and
// the clock before and after it gave it to Vigil.
const logged = `
import math, random, sys, time
import vigil

kind, noise = sys.argv[1], random.Random(1)

def loss(i):
    return {
        "constant": lambda: 0.6931,
        "rising": lambda: 1 + 0.01 * i,
        "flat": lambda: 2.303 + noise.gauss(0, 0.05),
        "exploding": lambda: 2 * 1.1 ** i,
        "leaping": lambda: 2 * 1.2 ** i,
        "nan": lambda: 2 - 0.005 * i if i < 150 else float("nan"),
        "falling": lambda: 2.3 * math.exp(-i / 80) + 0.1 + abs(noise.gauss(0, 0.02)),
        "learnt": lambda: 2.3 * math.exp(-i / 2) + 0.1 + noise.gauss(0, 0.01),
        "overfit": lambda: 2 * math.exp(-i / 60) + 0.02,
    }[kind]()

with open("own.log", "w") as log:
    for i in range(300):
        x = loss(i)
        time.sleep(0.0005)
        values = {"loss": x}
        if kind == "overfit" and i % 10 == 0:
            values["val_loss"] = 2 * math.exp(-min(i, 80) / 60) + 0.05 + max(0, i - 80) * 0.01
        before = time.perf_counter()
        vigil.log(values, step=i)
        log.write("%r %r %r\n" % (x, before, time.perf_counter()))
`

// A loss that a script logs is judged by the rules on losses; the cost of logging
// is that of the time between the calls.
func TestLoggedLoss(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	for _, c := range []struct{ kind, alarms, says string }{
		{"constant", "loss_not_decreasing/constant", "The loss does not change: it is 0.693 at each of the first 200 steps."},
		{"rising", "loss_not_decreasing/rises", "The loss rises: it was 1.25 (mean of the first 50 steps), and is 3.24 (mean of the last 50 steps) after 250 steps."},
		{"flat", "loss_not_decreasing/never_fell", "The loss has not fallen in 300 steps: it was "},
		{"exploding", "loss_not_decreasing/rises", ""},
		{"nan", "not_finite/first_non_finite", ""},
		{"falling", "", "no findings: 4 rules ran and found nothing wrong"},
		{"learnt", "", ""},
		{"overfit", "overfit/validation_rises", ""},
	} {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "loop.py"), []byte(logged), 0o644); err != nil {
				t.Fatal(err)
			}
			o := run(t, dir, nil, binary, "run", "--name", "r", "--", python, "loop.py", c.kind)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
			var alarms []string
			for _, f := range tr.Findings() {
				if f.Severity != record.Info {
					alarms = append(alarms, f.Rule+"/"+f.Check)
				}
			}
			if got := strings.Join(alarms, " "); got != c.alarms || !strings.Contains(strings.Join(strings.Fields(o.stderr), " "), c.says) {
				t.Errorf("found %q, want %q; it says:\n%s", got, c.alarms, o.stderr)
			}
			values, before, after := ownLog(t, filepath.Join(dir, "own.log"))
			for _, f := range tr.Findings() {
				if first, ok := f.Context["first_mean"].(float64); ok {
					n, last := f.Context["steps"].(float64), f.Context["last_mean"].(float64)
					near(t, "the mean of the first 50", first, meanOf(values[:50]))
					near(t, "the mean of the last 50", last, meanOf(values[int(n)-50:int(n)]))
				}
			}
			cost, end := tr.Run().Overhead, len(before)-1
			inside := 0.0
			for i := range end {
				inside += after[i] - before[i]
			}
			within(t, "seconds of the steps", cost.StepSeconds, before[end]-after[0], after[end]-before[0])
			within(t, "seconds that capture took of them", cost.CapturedSeconds, 0, inside)
			near(t, "training and capture together", cost.SinceSeconds*(1+cost.SincePercent/100), cost.StepSeconds)
		})
	}
}

// ownLog reads what the script wrote down.
func ownLog(t *testing.T, path string) (values, before, after []float64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		for i, word := range strings.Fields(line) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			to := []*[]float64{&values, &before, &after}[i]
			*to = append(*to, x)
		}
	}
	return values, before, after
}

func meanOf(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Abs(want) {
		t.Errorf("%s: %v, by the script's own log %v", what, got, want)
	}
}

func within(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	if !(got >= least-1e-6 && got <= most+1e-6) {
		t.Errorf("%s: %v, by the script's own log from %v to %v", what, got, least, most)
	}
}
