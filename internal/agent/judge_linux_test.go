package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// TestFinding trains into NaN: the finding is stored and sent, and the stop
// asked for, once, although the agent is replaced before and after.
func TestFinding(t *testing.T) {
	t.Parallel()
	set := settings(t)
	set.Config.Every = 1
	set.Config.StopOn = config.When{Severity: record.Error}
	p := startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	h := started(t, set, hook.Options{Model: "Net"})
	w, _ := h.Parameter("fc", "Linear", "weight", 2)
	step := func(loss float64) {
		s := h.Begin(hook.Train)
		s.Loss(loss)
		s.Float32(w, []float32{float32(loss), 1})
		s.End()
	}
	for i := range 20 {
		step(1 + 1/float64(i+1))
	}
	run := func() *trial.Trial {
		tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	wait(t, "the first steps", func() bool { tr := run(); defer tr.Close(); return len(tr.Steps(record.Train)) == 20 })
	p.kill()
	set.Takeover = true
	p = startProcess(t, set)
	for range 20 {
		step(math.NaN())
	}
	wait(t, "the finding", func() bool { tr := run(); defer tr.Close(); return len(tr.Findings()) > 0 })
	wait(t, "the steps", func() bool { tr := run(); defer tr.Close(); return len(tr.Steps(record.Train)) == 40 })
	p.kill()
	a := startAgent(t, set)
	for range 5 {
		step(math.NaN())
	}
	wait(t, "the last steps", func() bool { tr := run(); defer tr.Close(); return len(tr.Steps(record.Train)) == 45 })
	h.Close()
	a.end(Ended{Status: record.Stopped, ExitCode: 3, StoppedBy: "not_finite"})
	tr := openTrial(t, set)
	n := 0
	for _, f := range tr.Findings() {
		if f.Rule == "not_finite" {
			n++
			if f.ModeStep != 20 {
				t.Errorf("finding at step %d: %+v", f.ModeStep, f)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d findings of not_finite: %+v", n, tr.Findings())
	}
	stops := 0
	for _, b := range tr.Actions() {
		if strings.Contains(string(b), `"stop"`) && strings.Contains(string(b), `"done"`) {
			stops++
		}
	}
	if stops != 1 {
		t.Errorf("%d stops: %s", stops, tr.Actions())
	}
	if r := tr.Run(); r.Status != record.Stopped || r.StoppedBy != "not_finite" {
		t.Errorf("run %+v", r)
	}
}

// TestDiskFull fills the disk in mid-run: the training goes on, the user is
// told once, and what waited is stored when there is room.
func TestDiskFull(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	var full atomic.Bool
	was := disk
	disk = vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
		if full.Load() && (op.Kind == vfs.OpWrite || op.Kind == vfs.OpCreate) {
			return syscall.ENOSPC
		}
		return nil
	})
	defer func() { disk = was }()
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	w, _ := h.Parameter("fc", "Linear", "weight", 2)
	for i := range 90 {
		switch i {
		case 30:
			full.Store(true)
		case 60:
			wait(t, "the notice", func() bool { return countNotices(a, "disk is full") > 0 })
			full.Store(false)
		}
		s := h.Begin(hook.Train)
		s.Loss(1)
		s.Float32(w, []float32{1, 2})
		s.End()
	}
	h.Close()
	a.completed()
	if n := countNotices(a, "disk is full"); n != 1 {
		t.Errorf("%d notices of the full disk", n)
	}
	tr := openTrial(t, set)
	if got := len(tr.Steps(record.Train)); got != 90 {
		t.Errorf("%d steps are stored", got)
	}
}

// TestReadOnlyDisk makes the disk read-only in mid-run, as the kernel does after
// an error: the training goes on, the user is told, and what waited is stored
// when the disk takes it again.
func TestReadOnlyDisk(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	var readOnly atomic.Bool
	was := disk
	disk = vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
		if readOnly.Load() && op.Kind != vfs.OpOpen {
			return syscall.EROFS
		}
		return nil
	})
	defer func() { disk = was }()
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	for i := range 60 {
		switch i {
		case 20:
			readOnly.Store(true)
		case 40:
			wait(t, "the notice", func() bool { return countNotices(a, "read-only file system") > 0 })
			readOnly.Store(false)
		}
		s := h.Begin(hook.Train)
		s.Loss(lossAt(i))
		s.End()
	}
	h.Close()
	a.completed()
	tr := openTrial(t, set)
	if got := len(tr.Steps(record.Train)); got != 60 {
		t.Errorf("%d steps are stored", got)
	}
}

// TestSlowDisk takes 100 ms for each write: nothing is lost without a word.
func TestSlowDisk(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	was := disk
	disk = vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
		if op.Kind == vfs.OpWrite {
			time.Sleep(100 * time.Millisecond)
		}
		return nil
	})
	defer func() { disk = was }()
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	for i := range 60 {
		s := h.Begin(hook.Train)
		s.Loss(lossAt(i))
		s.End()
	}
	h.Close()
	a.completed()
	tr := openTrial(t, set)
	steps, losses, err := tr.Series(trial.Query{Tensor: "loss"})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range losses {
		if v != lossAt(int(steps[i])) {
			t.Errorf("loss at %d: %g", steps[i], v)
		}
	}
	if r := tr.Run(); len(steps) < 60 && len(r.Dropped) == 0 && len(r.NotCaptured) == 0 {
		t.Errorf("%d of 60 steps are stored, and nothing says why", len(steps))
	}
}

// nearlyFull is a disk with hardly any room left.
type nearlyFull struct{ vfs.FS }

func (nearlyFull) Usage(string) (vfs.Usage, error) { return vfs.Usage{Free: 1, Total: 100}, nil }

// TestLowDisk stores no raw tensors on a disk that is nearly full, says so
// once, and goes on with statistics; how full, the run's configuration says.
func TestLowDisk(t *testing.T) {
	set := settings(t)
	set.Config.MinFree = config.MinFree{Share: 0.02}
	set.Config.Collect = []plan.Collection{collect(t, "mine:every=1,regex=weight,raw")}
	was := disk
	disk = nearlyFull{vfs.OS}
	defer func() { disk = was }()
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	w, _ := h.Parameter("fc", "Linear", "weight", 2)
	for range 10 {
		s := h.Begin(hook.Train)
		s.Float32(w, []float32{1, 2})
		s.End()
	}
	h.Close()
	a.completed()
	if n := countNotices(a, "raw tensors are no longer stored"); n != 1 {
		t.Errorf("%d notices", n)
	}
	tr := openTrial(t, set)
	if rows, err := tr.Stats(trial.Query{Tensor: "fc.weight"}); len(rows) != 10 {
		t.Errorf("%d statistics, %v", len(rows), err)
	}
	if got := tr.RawSteps("fc.weight", record.Train, ""); len(got) > 0 {
		t.Errorf("raw values at %v", got)
	}
	if n := tr.Run().NotCaptured; len(n) != 1 || n[0].Name != "raw tensors" || n[0].Count != 10 {
		t.Errorf("not captured: %+v", n)
	}
}

// TestLeavesFreeWhatIsAskedFor: with less than 5 % of the disk free, raw tensors are
// stored where the run's configuration allows it.
func TestLeavesFreeWhatIsAskedFor(t *testing.T) {
	set := settings(t)
	set.Config.MinFree = config.MinFree{Share: 0.005}
	set.Config.Collect = []plan.Collection{collect(t, "mine:every=1,regex=weight,raw")}
	was := disk
	disk = nearlyFull{vfs.OS}
	defer func() { disk = was }()
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	w, _ := h.Parameter("fc", "Linear", "weight", 2)
	s := h.Begin(hook.Train)
	s.Float32(w, []float32{1, 2})
	s.End()
	h.Close()
	a.completed()
	if n := countNotices(a, "raw tensors are no longer stored"); n != 0 {
		t.Errorf("%d notices", n)
	}
	if got := openTrial(t, set).RawSteps("fc.weight", record.Train, ""); len(got) != 1 {
		t.Errorf("raw values at %v", got)
	}
}

func countNotices(a *testAgent, text string) (n int) {
	for _, e := range a.list() {
		if e.Notice != nil && strings.Contains(e.Notice.Text, text) {
			n++
		}
	}
	return n
}

// TestControl asks the agent what `vigil stop` asks.
func TestControl(t *testing.T) {
	set := settings(t)
	a := startAgent(t, set)
	ask := func(cmd string) map[string]any {
		c, err := net.Dial("unix", set.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		b, err := capture.AppendMessage(nil, capture.TypeControl, capture.Control{Cmd: cmd})
		if err != nil {
			t.Fatal(err)
		}
		c.Write(b)
		m, err := capture.ReadMessage(c)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(m.Body, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := ask("status"); v["ok"] != true || v["name"] != "run" || v["status"] != record.Running {
		t.Errorf("status: %v", v)
	}
	if v := ask("dance"); v["ok"] != false {
		t.Errorf("unknown command: %v", v)
	}
	if v := ask("stop"); v["ok"] != true {
		t.Errorf("stop: %v", v)
	}
	wait(t, "the stop", func() bool {
		for _, e := range a.list() {
			if e.Stop != nil {
				return true
			}
		}
		return false
	})
	a.end(Ended{Status: record.Stopped})
	run := openTrial(t, set).Run()
	if len(run.NotCaptured) != 1 || !strings.Contains(run.NotCaptured[0].Reason, "the job was stopped before a training was seen") {
		t.Errorf("not captured: %+v", run.NotCaptured)
	}
}

// TestForPID serves this process without a launcher.
func TestForPID(t *testing.T) {
	set := settings(t)
	addr := make(chan Address, 1)
	done := make(chan error, 1)
	go func() {
		done <- RunForPID(context.Background(), ForPID{PID: os.Getpid(), Dir: set.Dir, Name: "mine", Vigil: "test", WorkDir: t.TempDir()},
			func(a Address) error { addr <- a; return nil }, io.Discard)
	}()
	var at Address
	select {
	case at = <-addr:
	case err := <-done:
		t.Fatal(err)
	}
	set.Socket = at.Socket
	h := started(t, set, hook.Options{})
	if h.Run() != at.Run {
		t.Errorf("run %q, want %q", h.Run(), at.Run)
	}
	s := h.Begin(hook.Train)
	s.Loss(1)
	s.End()
	h.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	set.Name = "mine"
	tr := openTrial(t, set)
	if run := tr.Run(); run.Status != record.Completed || run.Steps["TRAIN"] != 1 || run.ExitCode != nil {
		t.Errorf("run: %+v", run)
	}
	if _, err := os.Stat(filepath.Dir(at.Socket)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket's directory is left: %v", err)
	}
}

// TestUnfinishedStep stores nothing of a step that was never closed.
func TestUnfinishedStep(t *testing.T) {
	set := settings(t)
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	s := h.Begin(hook.Train)
	s.Loss(1)
	s.End()
	h.Begin(hook.Train).Loss(2)
	h.Close()
	a.completed()
	tr := openTrial(t, set)
	if got := tr.Steps(record.Train); len(got) != 1 {
		t.Errorf("steps %v", got)
	}
	if n := tr.Run().NotCaptured; len(n) != 1 || !strings.Contains(n[0].Reason, "not finished") {
		t.Errorf("not captured: %+v", n)
	}
}
