package agent

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
)

// dieOver makes the agent end, as by a fault that nothing catches, over tensors
// of that name whose first value is 666.
func dieOver(name string) {
	if name == "" {
		return
	}
	deadly = func(m *measurement) {
		if m.info.Name == name && tensor.ToFloat64(m.view, 0) == 666 {
			os.Exit(66)
		}
	}
}

// TestAgentsDieOverOneRecord trains with values that kill every agent that
// looks at them. They are found out, set aside, counted and told; all else is
// captured.
func TestAgentsDieOverOneRecord(t *testing.T) {
	const steps = 30
	poison := []int{7, 8}
	t.Setenv("VIGIL_TEST_DEADLY", "fc.weight")
	set := settings(t)
	set.Config.Every = 1
	// As the launcher does, an agent that died is followed by another.
	agents, over, done := 1, make(chan struct{}), make(chan struct{})
	first, next := startProcess(t, set), set
	next.Takeover = true
	go func() {
		defer close(done)
		for p := first; ; {
			died := make(chan struct{})
			go func() { p.cmd.Wait(); close(died) }()
			select {
			case <-over:
				fmt.Fprintf(p.in, `{"ended":{"status":%q}}`+"\n", record.Completed)
				<-died
				return
			case <-died:
			}
			agents++
			p = startProcess(t, next)
		}
	}()
	wait(t, "the agent's socket", func() bool { return listens(set) })
	h := started(t, set, hook.Options{Model: "Net"})
	w, _ := h.Parameter("fc", "Linear", "weight", 64)
	b, _ := h.Parameter("fc", "Linear", "bias", 8)
	for i := range steps {
		values := make([]float32, 64)
		for k := range values {
			values[k] = float32(math.Sin(float64(i + k)))
		}
		if slices.Contains(poison, i) {
			values[0] = 666
		}
		s := h.Begin(hook.Train)
		s.Loss(1 / float64(i+1))
		s.Float32(w, values)
		s.Float32(b, values[1:9])
		s.End()
	}
	stored := func() *trial.Trial {
		tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	for end := time.Now().Add(2 * waitTime); ; time.Sleep(10 * time.Millisecond) {
		tr := stored()
		n := len(tr.Steps(record.Train))
		tr.Close()
		if n == steps {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d steps are stored", n, steps)
		}
	}
	h.Close()
	close(over)
	<-done

	// Two agents die unawares, and two over each of the records.
	if agents > 2+2*len(poison)+1 {
		t.Errorf("%d agents were needed", agents)
	}
	tr := stored()
	defer tr.Close()
	for name, want := range map[string]int{"loss": steps, "fc.weight": steps - len(poison)} {
		q := trial.Query{Tensor: name}
		if name != "loss" {
			q.Stat = "max"
		}
		at, _, err := tr.Series(q)
		if err != nil || len(at) != want || name == "fc.weight" && slices.ContainsFunc(poison, func(i int) bool { return slices.Contains(at, int64(i)) }) {
			t.Errorf("%s is stored at %v, %v", name, at, err)
		}
	}
	run := tr.Run()
	n := run.Dropped[setAside]
	if n < int64(len(poison)) || len(run.Dropped) != 1 {
		t.Errorf("dropped: %+v", run.Dropped)
	}
	listed := int64(0)
	for _, m := range run.NotCaptured {
		if strings.Contains(m.Reason, "left out") {
			listed += m.Count
		}
	}
	if listed != n {
		t.Errorf("%d values are counted as set aside; not captured: %+v", n, run.NotCaptured)
	}
}
