package agent

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

const thisSession = "0123456789abcdef0123456789abcdef"

// hello connects as a session and does not wait for the answer.
func hello(t *testing.T, set Settings) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", set.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	b, err := capture.AppendMessage(nil, capture.TypeHello, capture.Hello{V: capture.Version, Session: thisSession, World: 1, Framework: record.Framework{Name: "pytorch"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFailedSession breaks the stream of a session: when it comes again it is
// turned down with the reason, also by the next agent.
func TestFailedSession(t *testing.T) {
	set := settings(t)
	a := startAgent(t, set)
	c := hello(t, set)
	if m, err := capture.ReadMessage(c); err != nil || m.Type != capture.TypeWelcome {
		t.Fatalf("the answer is %q, %v", m.Type, err)
	}
	c.Write([]byte{255, 255, 255, 255})
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Fatal(err)
	}
	refused := func() {
		t.Helper()
		m, err := capture.ReadMessage(hello(t, set))
		var r capture.Refused
		if err != nil || m.Type != capture.TypeRefused || m.Decode(&r) != nil || !strings.Contains(r.Reason, "length 4294967295") || r.Hint == "" {
			t.Errorf("the answer is %q %s, %v", m.Type, m.Body, err)
		}
	}
	refused()
	if n := countNotices(a, "is no longer captured"); n != 1 {
		t.Errorf("%d notices", n)
	}
	a.cancel()
	<-a.done
	set.Takeover = true
	a = startAgent(t, set)
	refused()
	a.end(Ended{Status: record.Failed})
}

// TestStaleConnections opens a session while its connection before is still
// there, again and again: each waits for the one before, whose end does not
// make the worker one that has gone.
func TestStaleConnections(t *testing.T) {
	set := settings(t)
	r, err := start(context.Background(), set, io.Discard, func(*job, string, string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	j := r.job
	c := hello(t, set)
	for range 20 {
		if m, err := capture.ReadMessage(c); err != nil || m.Type != capture.TypeWelcome {
			t.Fatalf("the answer is %q, %v", m.Type, err)
		}
		next := hello(t, set)
		c.Close()
		c = next
	}
	if m, err := capture.ReadMessage(c); err != nil || m.Type != capture.TypeWelcome {
		t.Fatalf("the answer is %q, %v", m.Type, err)
	}
	state := func() (gone bool, absent, open, all int) {
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, w := range j.workers {
			if !w.isClosed() {
				open++
			}
		}
		return j.sessions[thisSession].Gone, len(j.absent), open, len(j.workers)
	}
	if gone, absent, open, all := state(); gone || absent != 0 || open != 1 || all != 21 {
		t.Errorf("gone %v, %d absent, %d of %d connections are open", gone, absent, open, all)
	}
	// The process lives and has not said bye: it may come back.
	c.Close()
	wait(t, "the end of the connection", func() bool { _, absent, open, _ := state(); return open == 0 && absent == 1 })
	if gone, _, _, _ := state(); gone {
		t.Error("the worker has gone although its process lives")
	}
	if err := r.finish(Ended{Status: record.Completed}, true); err != nil {
		t.Error(err)
	}
}

// TestDroppedOnce reports drops to three agents, one after another: records
// that the next one reads once more and totals that a hook gives since its
// beginning are counted once.
func TestDroppedOnce(t *testing.T) {
	set := settings(t)
	p := startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	c := dial(t, set, record.TensorInfo{Name: "loss", Kind: record.Loss, DType: "F64", Shape: []int64{}})
	counted := func(want int64) bool {
		tr, err := trial.Open(set.Dir + "/" + set.Name)
		if err != nil {
			return false
		}
		defer tr.Close()
		return tr.Run().Dropped[capture.RingFull.String()] == want
	}
	c.Publish(capture.Record{Kind: capture.Scalar, Value: 1}) // the step stays open: nothing is acknowledged
	for i := range int64(2) {
		c.Publish(capture.Record{Kind: capture.Drop, NBytes: 5, Shape: uint32(capture.RingFull)})
		wait(t, "the drops in run.json", func() bool { return counted(5 * (i + 1)) })
		p.kill()
		set.Takeover = true
		p = startProcess(t, set)
	}
	c.Publish(capture.Record{Kind: capture.Step, Value: 0.1})
	wait(t, "the step to be stored", func() bool { return c.Acked() == c.Head() })
	c.Say(capture.TypeBye, capture.Bye{Dropped: map[string]int64{capture.RingFull.String(): 12}})
	c.Close()
	p.end(t, Ended{Status: record.Completed})
	if run := openTrial(t, set).Run(); !counted(12) || len(run.NotCaptured) != 1 || run.NotCaptured[0].Count != 10 {
		t.Errorf("dropped %v, not captured %+v", run.Dropped, run.NotCaptured)
	}
}

// TestEndedWithoutBye loses the last message of a process that closed in good
// order, and lives on: nobody waits for it, and the run is complete.
func TestEndedWithoutBye(t *testing.T) {
	set := settings(t)
	r, err := start(context.Background(), set, io.Discard, func(*job, string, string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, set, record.TensorInfo{Name: "loss", Kind: record.Loss, DType: "F64", Shape: []int64{}})
	c.End()
	c.Close()
	wait(t, "the end of the connection", func() bool { n, seen, _ := r.job.live(); return n == 0 && seen > 0 })
	if !r.deserted() {
		t.Error("the process that closed is waited for")
	}
	if e := r.guess(); e.Status != record.Completed {
		t.Errorf("the run is %s", e.Status)
	}
	if err := r.finish(r.guess(), false); err != nil {
		t.Fatal(err)
	}
}

// TestLostConnectionIsNoEnd cuts the connection of a process that has not said
// bye: the agent waits for it as long as the process lives, and no longer.
func TestLostConnectionIsNoEnd(t *testing.T) {
	set := settings(t)
	r, err := start(context.Background(), set, io.Discard, func(*job, string, string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	gone := func() bool { n, seen, _ := r.job.live(); return n == 0 && seen > 0 }
	here := hello(t, set)
	if m, err := capture.ReadMessage(here); err != nil || m.Type != capture.TypeWelcome {
		t.Fatalf("the answer is %q, %v", m.Type, err)
	}
	if r.deserted() {
		t.Error("deserted, while a worker is connected")
	}
	here.Close()
	wait(t, "the end of the connection", gone)
	if r.deserted() {
		t.Error("deserted, while the process that lost its connection lives")
	}
	if err := r.finish(r.guess(), false); err != nil {
		t.Fatal(err)
	}

	set = settings(t)
	if r, err = start(context.Background(), set, io.Discard, func(*job, string, string, string) {}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "VIGIL_TEST_TRAINER="+set.Socket)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, "the trainer", func() bool { n, _, _ := r.job.live(); return n == 1 })
	cmd.Process.Kill()
	cmd.Wait()
	wait(t, "the end of the trainer", gone)
	if !r.deserted() {
		t.Error("not deserted, though the process is dead")
	}
	if err := r.finish(r.guess(), false); err != nil {
		t.Fatal(err)
	}
}

// TestRunRemoved removes the run's directory while a training is captured: the
// training goes on, the user is told once, and the run says it too.
func TestRunRemoved(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	for i := range 20 {
		if i == 10 {
			// Moved away at once: removing races with the agent, which writes.
			if err := os.Rename(filepath.Join(set.Dir, set.Name), filepath.Join(t.TempDir(), "gone")); err != nil {
				t.Fatal(err)
			}
		}
		s := h.Begin(hook.Train)
		s.Loss(1)
		s.End()
	}
	h.Close()
	a.completed()
	if n := countNotices(a, "directory was removed"); n != 1 {
		t.Errorf("%d notices", n)
	}
	n := openTrial(t, set).Run().NotCaptured
	if len(n) == 0 || !strings.Contains(n[len(n)-1].Reason, "directory was removed") {
		t.Errorf("not captured: %+v", n)
	}
}
