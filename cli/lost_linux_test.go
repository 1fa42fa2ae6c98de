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

// TestEverybodyIsKilled kills launcher, agent and training at once. Nobody is
// left to say so in run.json, and whoever reads the run says it.
func TestEverybodyIsKilled(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(vigil(t), "run", "--dir", dir, "--name", "r", "--quiet", "--", vigil(t), "demo-train", "--fault", "none", "--seconds", "600")
	cmd.Dir, cmd.Env = dir, cleanEnv(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	path := filepath.Join(dir, "r")
	var run record.Run
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if tr, err := trial.Open(path); err == nil {
			run = tr.Run()
			n := len(tr.Steps(record.Train))
			tr.Close()
			if n > 5 && run.Agent != nil && run.Launcher != nil && len(run.Workers) == 1 {
				break
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the training does not begin: %+v", run)
		}
	}
	for _, pid := range []int{run.Launcher.PID, run.Agent.PID, run.Workers[0].PID} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatalf("kill process %d: %v", pid, err)
		}
	}
	_ = cmd.Wait()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		tr, err := trial.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		status := tr.Run().Status
		tr.Close()
		if status == record.Lost {
			break
		}
		if time.Now().After(end) { // the agent is nobody's child now, and takes its time to go
			t.Fatalf("the run is %s", status)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"ls", dir}, 0, "  lost  "},
		{[]string{"ls", dir, "--json"}, 0, `"status":"lost"`},
		{[]string{"show", path}, 0, "status     lost: its processes are gone, killed or with their machine; what was captured until then is there\n"},
		{[]string{"show", path, "--json"}, 0, `"status":"lost"`},
		{[]string{"findings", path}, 0, "no findings"},
		{[]string{"check", path}, 0, "no findings"},
		{[]string{"tail", path}, 0, "the run has ended: lost"},
		{[]string{"doctor", path}, 0, `"r" was cut off: its processes are gone`},
		{[]string{"stop", path}, 1, "does not run: its processes are gone"},
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
