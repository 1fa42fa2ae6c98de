package e2e

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// While a job runs, one command makes it store all gradients raw for twenty
// steps, no more and no less; what was captured before goes on. A further
// change outlives the agent.
func TestPlanOfARunningJob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	cmd := command(ctx, dir, nil, binary, "run", "--name", "r", "--", testenv.Python(t), script("endless"))
	var out, errOut lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "vigil-runs", "r")
	steps := func() (r record.Run, last int64) {
		tr, err := trial.Open(path)
		if err != nil {
			return r, -1
		}
		defer tr.Close()
		all := tr.Steps(record.Train)
		if len(all) == 0 {
			return tr.Run(), -1
		}
		return tr.Run(), all[len(all)-1]
	}
	waitFor(t, "the first steps", func() bool { _, last := steps(); return last >= 30 })

	for _, wrong := range []struct{ args, says string }{
		{"--collect gradients:evry=1", `"every"`},
		{"--collect heads", "it selects nothing: add a pattern"},
		{"--collect heads:raw --for 5", `there is no collection "heads"`},
		{"--for 5", "--for needs --collect"},
		{"--collect gradients:raw,every=1 --for 0", "--for 0 is below 1"},
		{"--add-rule overfti:patience=2", `did you mean "overfit"?`},
		{"--add-rule overfit:patienec=2", `did you mean "patience"?`},
		{"--add-rule not_finite", `"not_finite" already runs`},
		{"--monitor 250", `--monitor: "250" is none of 100, 200, 500, 1000, 5000, 60000 milliseconds, or off`},
		{"--add-rule overfit --for 5", "--for needs --collect"},
	} {
		o := run(t, dir, nil, append([]string{binary, "plan", "r"}, strings.Fields(wrong.args)...)...)
		if o.code != 1 || !strings.Contains(o.stderr, wrong.says) {
			t.Errorf("%s: exit code %d, %s", wrong.args, o.code, o.stderr)
		}
	}

	for _, change := range []struct{ ms, says string }{{"100", "r: machine metrics every 100 ms from now on\n"}, {"off", "r: machine metrics are off\n"}} {
		if o := run(t, dir, nil, binary, "plan", "r", "--monitor", change.ms); o.code != 0 || o.stdout != change.says {
			t.Errorf("--monitor %s: %+v", change.ms, o)
		}
	}
	if o := run(t, dir, nil, binary, "plan", "r", "--monitor", "1000", "--json"); o.code != 0 || !strings.Contains(o.stdout, `"monitor":1000`) {
		t.Errorf("--monitor --json: %+v", o)
	}

	o := run(t, dir, nil, binary, "plan", "r", "--collect", "gradients:raw,every=1", "--for", "20", "--json")
	if o.code != 0 {
		t.Fatalf("plan: %+v", o)
	}
	var answer struct {
		Windows []struct {
			Mode       string
			Start, End int64
		}
	}
	decode(t, o.stdout, &answer)
	from := int64(-1)
	for _, w := range answer.Windows {
		if w.Mode == "TRAIN" && w.End == w.Start+20 {
			from = w.Start
		}
	}
	if from < 0 {
		t.Fatalf("answer %s", o.stdout)
	}
	waitFor(t, "the twenty steps", func() bool { _, last := steps(); return last > from+60 })

	if o := run(t, dir, nil, binary, "plan", "r", "--collect", "weights:every=7"); o.code != 0 {
		t.Fatalf("plan: %+v", o)
	}
	if o := run(t, dir, nil, binary, "plan", "r", "--add-rule", "all_zero:configuration=late"); o.code != 0 || !strings.Contains(o.stdout, "late: judges from step ") {
		t.Fatalf("plan: %+v", o)
	}
	r, changed := steps()
	kill(t, r.Agent.PID, syscall.SIGKILL)
	waitFor(t, "another agent", func() bool { now, _ := steps(); return now.Agent != nil && now.Agent.PID != r.Agent.PID })
	// Until the hook is with it, it stores what the first one left in the
	// ring. What is in a row well after that was taken under its own plan.
	const inARow = 6
	var weights []int64
	waitFor(t, "every seventh step under the second agent", func() bool {
		tr, err := trial.Open(path)
		if err != nil {
			return false
		}
		defer tr.Close()
		weights, _, err = tr.Series(trial.Query{Tensor: "Sequential_0.weight", Stat: "mean", Mode: record.Train, Worker: "worker_0", From: changed + 200})
		row := 0
		for _, n := range weights {
			// Rules have their own steps besides.
			switch {
			case n%7 != 0:
			case row > 0 && !slices.Contains(weights, n-7):
				row = 1
			default:
				row++
			}
		}
		return err == nil && row >= inARow
	})
	if o := run(t, dir, nil, binary, "stop", "r"); o.code != 0 {
		t.Fatalf("stop: %+v\n%s", o, errOut.String())
	}
	_ = cmd.Wait()

	tr := open(t, path)
	defer tr.Close()
	var want []int64
	for s := from; s < from+20; s++ {
		want = append(want, s)
	}
	for _, name := range []string{"gradient/Sequential_0.weight", "gradient/Sequential_0.bias", "gradient/Sequential_2.weight", "gradient/Sequential_2.bias"} {
		got := tr.RawSteps(name, record.Train, "worker_0")
		outside := slices.ContainsFunc(got, func(n int64) bool { return !slices.Contains(want, n) })
		// On a machine that is too busy values may be dropped, and are counted then.
		if outside || len(got) != len(want) && len(tr.Run().Dropped) == 0 {
			t.Errorf("raw values of %s at %v, want %v", name, got, want)
		}
	}
	after := func(name string, step int64) (found []int64) {
		t.Helper()
		steps, _, err := tr.Series(trial.Query{Tensor: name, Stat: "mean", Mode: record.Train, Worker: "worker_0"})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range steps {
			if n >= step {
				found = append(found, n)
			}
		}
		return found
	}
	if len(after("gradient/Sequential_0.weight", from+20)) == 0 {
		t.Error("statistics of gradients ended with their raw values")
	}
	shown := run(t, dir, nil, binary, "plan", "r")
	for _, line := range []string{"gradients@", "vigil plan --collect gradients:raw,every=1 --for 20", "vigil plan --collect weights:every=7", "vigil plan --add-rule all_zero:configuration=late"} {
		if n := strings.Count(shown.stdout, line); n == 0 || strings.HasPrefix(line, "vigil") && n != 1 {
			t.Errorf("%q stands there %d times:\n%s", line, n, shown.stdout)
		}
	}
	if !slices.ContainsFunc(tr.Statuses(), func(s record.RuleStatus) bool { return s.Configuration == "late" && s.Parameters["start_step"] != "0" }) {
		t.Errorf("the rule that was added has not judged: %+v", tr.Statuses())
	}
	if o := run(t, dir, nil, binary, "plan", "r", "--every", "3"); o.code != 1 || !strings.Contains(o.stderr, "has already ended") {
		t.Errorf("plan of a run that ended: %+v", o)
	}
}
