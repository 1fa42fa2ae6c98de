package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// trainingRun starts a training under vigil run, as one process group, and gives
// the path of its run and what run.json says once it trains.
func trainingRun(t *testing.T) (cmd *exec.Cmd, path string, run record.Run) {
	t.Helper()
	dir := t.TempDir()
	cmd = exec.Command(vigil(t), "run", "--dir", dir, "--name", "r", "--quiet", "--", vigil(t), "demo-train", "--fault", "none", "--seconds", "600")
	cmd.Dir, cmd.Env = dir, cleanEnv(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	path = filepath.Join(dir, "r")
	waitRun(t, path, "the training to begin", func(tr *trial.Trial) bool {
		run = tr.Run()
		return len(tr.Steps(record.Train)) > 5 && run.Agent != nil && run.Launcher != nil && len(run.Workers) == 1
	})
	return cmd, path, run
}

// waitRun waits until a run is as it should be.
func waitRun(t *testing.T, path, what string, is func(*trial.Trial) bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if tr, err := trial.Open(path); err == nil {
			good, run := is(tr), tr.Run()
			tr.Close()
			if good {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("waited a minute for %s: %+v", what, run)
			}
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// TestEverybodyIsKilled kills launcher, agent and training at once. Nobody is
// left to say so in run.json, and whoever reads the run says it.
func TestEverybodyIsKilled(t *testing.T) {
	cmd, path, run := trainingRun(t)
	dir := filepath.Dir(path)
	for _, pid := range []int{run.Launcher.PID, run.Agent.PID, run.Workers[0].PID} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatalf("kill process %d: %v", pid, err)
		}
	}
	_ = cmd.Wait()
	// The agent is nobody's child now, and takes its time to go.
	waitRun(t, path, "the run to be lost", func(tr *trial.Trial) bool { return tr.Run().Status == record.Lost })
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"ls", dir}, 0, "  lost  "},
		{[]string{"ls", dir, "--json"}, 0, `"status":"lost"`},
		{[]string{"show", path}, 0, "status     lost: its processes are gone, killed or with their machine; what was captured before is kept\n"},
		{[]string{"show", path, "--json"}, 0, `"status":"lost"`},
		{[]string{"findings", path}, 0, "no findings"},
		{[]string{"check", path}, 0, "no findings"},
		{[]string{"tail", path}, 0, "the run has ended: lost"},
		{[]string{"doctor", path}, 0, `"r" was cut off: its processes are gone`},
		{[]string{"stop", path}, 1, "is not running: its processes are gone"},
		{[]string{"fsck", path}, 0, "whole"},
		{[]string{"report", path, "-o", filepath.Join(dir, "r.html")}, 0, ""},
	} {
		cmd := exec.Command(vigil(t), c.args...)
		cmd.Env = cleanEnv(t)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("vigil %s: exit code %d, want %d and %q:\n%s", c.args[0], code, c.code, c.want, out)
		}
	}
	b, err := os.ReadFile(filepath.Join(path, "run.json"))
	var stored record.Run
	if err == nil {
		err = json.Unmarshal(b, &stored)
	}
	if err != nil || stored.Status != record.Running {
		t.Errorf("a reader wrote to run.json: %s, %v", stored.Status, err)
	}
}

// TestLauncherIsKilled kills the launcher alone: with it goes the exit code. The
// agent follows the training to its end and says how far that is known.
func TestLauncherIsKilled(t *testing.T) {
	for name, c := range map[string]struct {
		end                          syscall.Signal // that the training gets
		status, show, doctor, report string
	}{
		"the training comes to its end": {syscall.SIGTERM, record.Ended,
			"status     ended, exit code unknown: `vigil run` was killed before the training had ended\n",
			`"r" has ended, its exit code is unknown`, "the training ended, its exit code is unknown"},
		"the training dies too": {syscall.SIGKILL, record.Lost,
			"status     lost: its processes are gone, killed or with their machine; what was captured before is kept\n",
			`"r" was cut off: its processes are gone`, "the processes of the run vanished"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, path, run := trainingRun(t)
			if err := syscall.Kill(run.Launcher.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			var seen int
			waitRun(t, path, "a step after the launcher's death", func(tr *trial.Trial) bool {
				n := len(tr.Steps(record.Train))
				if seen == 0 {
					seen = n
				}
				return n > seen+1
			})
			if err := syscall.Kill(run.Workers[0].PID, c.end); err != nil {
				t.Fatal(err)
			}
			waitRun(t, path, "the end of the run", func(tr *trial.Trial) bool { run = tr.Run(); return run.Ended != nil })
			if run.Status != c.status || run.ExitCode != nil || !run.Over() {
				t.Errorf("the run is %q with exit code %v, want %q with none", run.Status, run.ExitCode, c.status)
			}
			page := filepath.Join(t.TempDir(), "r.html")
			for _, o := range []struct {
				args []string
				want string
			}{
				{[]string{"ls", filepath.Dir(path)}, "  " + c.status + "  "},
				{[]string{"ls", filepath.Dir(path), "--json"}, `"status":"` + c.status + `"`},
				{[]string{"show", path}, c.show},
				{[]string{"show", path, "--json"}, `"status":"` + c.status + `"`},
				{[]string{"show", path, "--json"}, `"exit_code":null`},
				{[]string{"check", path}, "no findings"},
				{[]string{"tail", path}, "the run has ended: " + c.status},
				{[]string{"tail", path, "--json"}, `"status":"` + c.status + `"`},
				{[]string{"doctor", path}, c.doctor},
				{[]string{"fsck", path}, "whole"},
				{[]string{"report", path, "-o", page}, ""},
			} {
				cmd := exec.Command(vigil(t), o.args...)
				cmd.Env = cleanEnv(t)
				out, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(out), o.want) {
					t.Errorf("vigil %s: %v, want %q:\n%s", strings.Join(o.args, " "), err, o.want, out)
				}
			}
			if b, err := os.ReadFile(page); err != nil || !strings.Contains(string(b), c.report) {
				t.Errorf("the report does not say %q (%v)", c.report, err)
			}
		})
	}
}
