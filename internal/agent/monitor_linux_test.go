package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

// samples are the samples that an agent of this process stores.
type samples struct {
	mu   sync.Mutex
	list []record.Sample
}

func storesSamples(t *testing.T) *samples {
	t.Helper()
	s, before := &samples{}, storeSamples
	storeSamples = func(_ *job, list []record.Sample) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = append(s.list, list...)
		return nil
	}
	t.Cleanup(func() { storeSamples = before })
	return s
}

func (s *samples) all() []record.Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// with counts the samples that have a series.
func (s *samples) with(name string) (n int) {
	for _, x := range s.all() {
		if slices.ContainsFunc(x.Values, func(v record.Scalar) bool { return v.Name == name }) {
			n++
		}
	}
	return n
}

func sampling100(t *testing.T) (Settings, *samples) {
	s := storesSamples(t)
	set := settings(t)
	set.Config.Monitor = 100
	return set, s
}

func begin(t *testing.T, set Settings) *running {
	t.Helper()
	r, err := start(context.Background(), set, io.Discard, func(*job, string, string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func end(t *testing.T, r *running) record.Run {
	t.Helper()
	if err := r.finish(Ended{Status: record.Failed, ExitCode: 1}, true); err != nil {
		t.Fatal(err)
	}
	return r.job.store.Run()
}

// The machine is sampled before any process of the job has said hello, in order,
// and to the end.
func TestMachineIsSampled(t *testing.T) {
	set, s := sampling100(t)
	r := begin(t, set)
	wait(t, "samples", func() bool { return s.with("cpu/total") >= 3 })
	before := len(s.all())
	run := end(t, r)
	list := s.all()
	if len(list) == before {
		t.Error("the end of the job is not sampled")
	}
	for i, x := range list {
		if x.Host != "here" || i > 0 && !x.Time.After(list[i-1].Time) {
			t.Errorf("sample %d: host %q, time %v", i, x.Host, x.Time)
		}
	}
	if cpu, ok := r.job.sampling.totals.Of("cpu/total"); !ok || cpu.Count < 3 || cpu.Percentages == nil {
		t.Errorf("over the whole run: %+v", cpu)
	}
	if len(run.Dropped) > 0 {
		t.Errorf("dropped: %v", run.Dropped)
	}
	// What this machine has not is told to who asks, and is no fault of the training.
	for _, m := range record.OfTraining(run.NotCaptured) {
		if strings.Contains(m.Name, "gpu") {
			t.Errorf("not captured of the training: %+v", m)
		}
	}
	for _, m := range r.job.summary().NotCaptured {
		if strings.HasPrefix(m.Name, record.MachineMetrics) {
			t.Errorf("the summary tells %+v", m)
		}
	}
}

// With --monitor off nothing is sampled, and nothing is said to be missing.
func TestMachineIsNotSampled(t *testing.T) {
	set, s := sampling100(t)
	set.Config.Monitor = 0
	r := begin(t, set)
	run := end(t, r)
	if len(s.all()) > 0 {
		t.Errorf("%d samples", len(s.all()))
	}
	for _, m := range run.NotCaptured {
		if strings.HasPrefix(m.Name, record.MachineMetrics) {
			t.Errorf("%+v", m)
		}
	}
}

// vigil plan --monitor changes the interval of a running job before it trains, and
// the next agent of the run keeps to it.
func TestMonitorIsChanged(t *testing.T) {
	set, s := sampling100(t)
	r := begin(t, set)
	wait(t, "samples", func() bool { return s.with("cpu/total") >= 1 })
	ask := func(ms int) map[string]any {
		return r.job.Control(capture.Control{Cmd: "plan", Plan: &capture.PlanRequest{Monitor: &ms, Why: fmt.Sprintf("vigil plan --monitor %d", ms)}}, capture.Peer{}).(map[string]any)
	}
	if a := ask(250); a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]), "250 is none of the intervals") {
		t.Errorf("an interval that there is not: %v", a)
	}
	if a := ask(0); a["ok"] != true {
		t.Fatalf("off: %v", a)
	}
	wait(t, "the end of sampling", func() bool { return len(r.job.sampling.change) == 0 })
	if a := ask(100); a["ok"] != true {
		t.Fatalf("on again: %v", a)
	}
	n := len(s.all())
	wait(t, "samples again", func() bool { return len(s.all()) > n })
	list := s.all()
	// A sampler that begins has no rates yet.
	begins := 0
	for _, x := range list {
		if !slices.ContainsFunc(x.Values, func(v record.Scalar) bool { return v.Name == "cpu/total" }) {
			begins++
		}
	}
	if begins != 2 {
		t.Errorf("sampling began %d times, want 2", begins)
	}
	if a := ask(5000); a["ok"] != true {
		t.Fatalf("every 5 s: %v", a)
	}
	end(t, r)
	if a := ask(100); a["ok"] != false {
		t.Errorf("after the end: %v", a)
	}

	set.Takeover = true
	r = begin(t, set)
	if ms := r.job.monitorInterval(); ms != 5000 {
		t.Errorf("the next agent samples every %d ms", ms)
	}
	run := end(t, r)
	told := map[string]int64{}
	for _, m := range run.NotCaptured {
		if strings.HasPrefix(m.Name, record.MachineMetrics) {
			told[m.Name+m.Reason] += m.Count
		}
	}
	for what, n := range told {
		if n != 1 {
			t.Errorf("%q is told %d times", what, n)
		}
	}
}

// Samples wait while the store takes none; beyond a bound the oldest are dropped
// and counted, also for the next agent.
func TestSamplesThatAreNotStored(t *testing.T) {
	set, _ := sampling100(t)
	set.Config.Monitor = 0
	r := begin(t, set)
	w := &watcher{job: r.job}
	for range mostWaiting + 10 {
		w.waiting = append(w.waiting, record.Sample{Host: "here", Values: make([]record.Scalar, 7)})
	}
	storeSamples = func(*job, []record.Sample) error { return errors.New("the disk is broken") }
	w.hand()
	if len(w.waiting) != mostWaiting {
		t.Errorf("%d samples wait", len(w.waiting))
	}
	var took int
	storeSamples = func(_ *job, list []record.Sample) error { took = len(list); return nil }
	w.hand()
	if took != mostWaiting || len(w.waiting) > 0 {
		t.Errorf("%d were stored when it worked again, %d wait", took, len(w.waiting))
	}
	if run := end(t, r); run.Dropped[machineDropped] != 70 {
		t.Errorf("dropped: %v", run.Dropped)
	}
	set.Takeover = true
	if run := end(t, begin(t, set)); run.Dropped[machineDropped] != 70 {
		t.Errorf("after a restart dropped: %v", run.Dropped)
	}
}

// A trainer is named by its rank.
func TestTrainers(t *testing.T) {
	set, s := sampling100(t)
	r := begin(t, set)
	c, err := capture.Dial(capture.ClientOptions{Socket: set.Socket, Hello: capture.Hello{Session: "00112233445566778899aabbccddeeff", PID: os.Getpid(), World: 1, Framework: record.Framework{Name: "go"}}})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, "the trainer", func() bool { return s.with("process/0/rss_bytes") > 0 && s.with("process/0/cores") > 0 })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	end(t, r)
}
