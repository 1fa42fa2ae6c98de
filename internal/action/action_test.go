//go:build unix

package action_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/record"
)

// dir keeps states in files, as the store does.
type dir string

func (d dir) SaveState(name string, data []byte) error {
	tmp := filepath.Join(string(d), name+".tmp")
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(string(d), name))
}

func (d dir) LoadState(name string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(string(d), name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

type log struct {
	mu       sync.Mutex
	attempts []action.Attempt
	stops    []record.Finding
	told     []string
}

func (l *log) record(x any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts = append(l.attempts, x.(action.Attempt))
	return nil
}

func (l *log) last(t *testing.T) action.Attempt {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.attempts) == 0 {
		t.Fatal("nothing is on record")
	}
	return l.attempts[len(l.attempts)-1]
}

func runner(t *testing.T, state action.State, stopOn string, commands ...action.Command) (*action.Runner, *log) {
	t.Helper()
	l := &log{}
	r, err := action.NewRunner(action.Options{
		StopOn: stopOn, Commands: commands, State: state, Record: l.record, Run: "/runs/x",
		Stop: func(f record.Finding) { l.stops = append(l.stops, f) }, Configurations: map[string]string{"mine": "dead_relu"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, l
}

func finding(rule, configuration string, s record.Severity, step int64) record.Finding {
	return record.Finding{Rule: rule, Configuration: configuration, Severity: s, Step: step, Context: map[string]any{}}
}

func end(t *testing.T, r *action.Runner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestStopOn(t *testing.T) {
	muted := finding("dead_relu", "dead_relu", record.Error, 0)
	muted.Muted = true
	asked := finding("stalled_training_rule", "stalled_training_rule", record.Error, 0)
	asked.Context["stop_training"] = true
	warning, severe := finding("dead_relu", "mine", record.Warning, 0), finding("not_finite", "not_finite", record.Error, 0)
	cases := []struct {
		on    string
		f     record.Finding
		stops bool
	}{
		{"", severe, false}, {"never", severe, false}, {"error", severe, true}, {"error", warning, false}, {"warning", warning, true}, {"info", warning, true},
		{"DeadRelu", warning, true}, {"mine", warning, true}, {"not_finite, dead_relu", warning, true}, {"not_finite", warning, false},
		{"error,dead_relu", warning, true}, {"not_finite, error", warning, false}, {"not_finite, error", severe, true}, {"mine,error", warning, true},
		{"error,vanishing_gradient", severe, true}, {"error,vanishing_gradient", warning, false},
		{"error", muted, false}, {"never", asked, true},
	}
	for _, c := range cases {
		r, l := runner(t, nil, c.on)
		r.Fire(c.f)
		r.Fire(c.f)
		if stopped := len(l.stops) == 1; stopped != c.stops {
			t.Errorf("--stop-on %q, finding of %s: %d stops", c.on, c.f.Rule, len(l.stops))
		}
		end(t, r)
	}
	for bad, want := range map[string]string{"error,warning": "two severities", "error,never": "cannot be combined"} {
		if _, err := action.NewRunner(action.Options{StopOn: bad}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--stop-on %q: %v", bad, err)
		}
	}
	for _, bad := range []string{"eror", "dead_rel", "error,mine2"} {
		if _, err := action.NewRunner(action.Options{StopOn: bad}); err == nil || !strings.Contains(err.Error(), "did you mean") {
			t.Errorf("--stop-on %q: %v", bad, err)
		}
	}
}

func TestCommand(t *testing.T) {
	d := t.TempDir()
	r, l := runner(t, dir(t.TempDir()), "never", action.Command{Argv: []string{"sh", "-c", `cat > "$0/in"; echo "out $VIGIL_RUN [$VIGIL_SOCKET]"; echo err >&2; exit 3`, d}})
	t.Setenv("VIGIL_SOCKET", "/s")
	f := finding("dead_relu", "dead_relu", record.Warning, 7)
	r.Fire(f)
	f.Step = 8
	r.Fire(f) // the same firing goes on
	r.Fire(finding("dead_relu", "dead_relu", record.Info, 9))
	end(t, r)
	var got record.Finding
	b, err := os.ReadFile(filepath.Join(d, "in"))
	if err != nil || json.Unmarshal(b, &got) != nil || got.Step != 7 || got.Rule != "dead_relu" {
		t.Errorf("standard input was %s, %v", b, err)
	}
	a := l.last(t)
	if len(l.attempts) != 2 || l.attempts[0].State != record.Begun || a.State != record.Undone || *a.ExitCode != 3 || a.Output != "out /runs/x []\nerr\n" || a.Error == "" {
		t.Errorf("attempts are %+v", l.attempts)
	}
}

func TestCommandEach(t *testing.T) {
	r, l := runner(t, nil, "never", action.Command{Argv: []string{"true"}, Each: true, On: "dead_relu"})
	for s := range int64(3) {
		r.Fire(finding("dead_relu", "dead_relu", record.Warning, s))
		r.Fire(finding("dead_relu", "dead_relu", record.Warning, s))
		r.Fire(finding("not_finite", "not_finite", record.Error, s))
	}
	end(t, r)
	if len(l.attempts) != 6 {
		t.Errorf("attempts are %+v", l.attempts)
	}
}

func TestCommandThatCannotRun(t *testing.T) {
	cases := map[string]struct {
		c    action.Command
		want string
	}{
		"not there":     {action.Command{Argv: []string{"/no/such/program"}}, "no such file"},
		"too slow":      {action.Command{Argv: []string{"sh", "-c", "sleep 100 & wait"}, Timeout: 50 * time.Millisecond}, "killed after 50ms"},
		"talkative":     {action.Command{Argv: []string{"sh", "-c", "yes | head -c 200000; exit 1"}}, "exit status 1"},
		"reads nothing": {action.Command{Argv: []string{"false"}}, "exit status 1"},
	}
	for name, c := range cases {
		r, l := runner(t, nil, "never", c.c)
		r.Fire(finding("dead_relu", "dead_relu", record.Warning, 0))
		end(t, r)
		if a := l.last(t); a.State != record.Undone || !strings.Contains(a.Error, c.want) || len(a.Output) > 70000 {
			t.Errorf("%s: attempt is %s, %d bytes of output, error %q", name, a.State, len(a.Output), a.Error)
		}
	}
	r, l := runner(t, nil, "never", action.Command{Argv: []string{"sleep", "100"}})
	r.Fire(finding("dead_relu", "dead_relu", record.Warning, 0))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if a := l.last(t); !strings.Contains(a.Error, "end of the job") {
		t.Errorf("attempt is %+v", a)
	}
}

// A state that cannot be written: nothing is done, because it might be done
// twice, and the end tells.
func TestStateCannotBeWritten(t *testing.T) {
	d := dir(filepath.Join(t.TempDir(), "gone"))
	r, l := runner(t, d, "error", action.Command{Argv: []string{"true"}})
	r.Fire(finding("not_finite", "not_finite", record.Error, 0))
	if err := r.Close(context.Background()); err == nil || len(l.stops) != 0 || len(l.attempts) != 0 {
		t.Errorf("stops %v, attempts %v, error %v", l.stops, l.attempts, err)
	}
}

// TestHelper is the process that TestKilled kills: it fires, and waits.
func TestHelper(t *testing.T) {
	state, out := os.Getenv("VIGIL_TEST_ACTION_STATE"), os.Getenv("VIGIL_TEST_ACTION_OUT")
	if state == "" {
		return // not the helper
	}
	r, _ := runner(t, dir(state), "never", slow(out))
	r.Fire(finding("dead_relu", "dead_relu", record.Warning, 0))
	time.Sleep(time.Minute)
}

func slow(out string) action.Command {
	return action.Command{Argv: []string{"sh", "-c", `echo ran >> "$0"; sleep 1`, out}}
}

// The agent is killed while a command runs: the next one does not run it
// again, and says that it does not know how it ended.
func TestKilled(t *testing.T) {
	state, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelper$")
	cmd.Env = append(os.Environ(), "VIGIL_TEST_ACTION_STATE="+state, "VIGIL_TEST_ACTION_OUT="+out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if b, _ := os.ReadFile(out); len(b) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the command never ran")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed: that is its error
	r, l := runner(t, dir(state), "never", slow(out))
	if a := l.last(t); a.State != record.Unknown || a.Error == "" || a.Finding.Rule != "dead_relu" {
		t.Errorf("attempt is %+v", a)
	}
	r.Fire(finding("dead_relu", "dead_relu", record.Warning, 0))
	end(t, r)
	if b, _ := os.ReadFile(out); string(b) != "ran\n" {
		t.Errorf("the command left %q", b)
	}
	r, l = runner(t, dir(state), "never", slow(out))
	end(t, r)
	if len(l.attempts) != 0 {
		t.Errorf("told again: %+v", l.attempts)
	}
}

// A stop that was intended and not asked for is asked for after a restart; one
// that was is not.
func TestStopAcrossRestart(t *testing.T) {
	d := dir(t.TempDir())
	b, err := json.Marshal(map[string]action.Attempt{"stop": {Action: "stop", Key: "stop", State: record.Begun, Finding: finding("not_finite", "not_finite", record.Error, 3)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SaveState("actions", b); err != nil {
		t.Fatal(err)
	}
	for want := 1; want >= 0; want-- {
		r, l := runner(t, d, "error")
		r.Fire(finding("not_finite", "not_finite", record.Error, 3))
		end(t, r)
		if len(l.stops) != want {
			t.Errorf("%d stops, want %d", len(l.stops), want)
		}
	}
}

// An agent that died after it had written the state, and before the record, is
// made good for: the record ends as the state does, and has nothing twice.
func TestRecordCatchesUpWithState(t *testing.T) {
	d := dir(t.TempDir())
	r, l := runner(t, d, "error")
	r.Fire(finding("not_finite", "not_finite", record.Error, 3))
	end(t, r)
	whole := l.attempts // the stop begun and done
	if len(whole) != 2 {
		t.Fatalf("recorded: %+v", whole)
	}
	for known, want := range map[int]int{0: 1, 1: 1, 2: 0} {
		var again []action.Attempt
		r, err := action.NewRunner(action.Options{
			StopOn: "error", State: d, Record: func(x any) error { again = append(again, x.(action.Attempt)); return nil },
			Recorded: func() []action.Attempt { return whole[:known] },
		})
		if err != nil {
			t.Fatal(err)
		}
		end(t, r)
		if len(again) != want || want == 1 && again[0].State != record.Done {
			t.Errorf("of two lines %d were on record, then %+v", known, again)
		}
	}
}
