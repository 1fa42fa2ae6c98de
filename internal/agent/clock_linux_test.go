package agent

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// TestClockSetBack sets the clock of a training back by a day in its middle, and
// on again: every value is stored once, in the order of the steps, no byte is
// damaged, and no rule takes it for a fault.
func TestClockSetBack(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	a := startAgent(t, set)
	c, err := capture.Dial(capture.ClientOptions{Socket: set.Socket, Hello: capture.Hello{
		Session: "00112233445566778899aabbccddeeff", PID: os.Getpid(), World: 1, Framework: record.Framework{Name: "go"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.Say(capture.TypeTensors, capture.Tensors{Tensors: []capture.TensorInfo{
		{ID: 0, TensorInfo: record.TensorInfo{Name: "loss", Kind: record.Loss, DType: "F64", Shape: []int64{}}},
	}})
	const n = 300
	clock := time.Now()
	times := make([]int64, n)
	for i := range int64(n) {
		clock = clock.Add(10 * time.Millisecond)
		switch i {
		case n / 3:
			clock = clock.Add(-24 * time.Hour)
		case 2 * n / 3:
			clock = clock.Add(24 * time.Hour)
		}
		times[i] = clock.UnixMicro()
		at := uint64(times[i])
		for _, r := range []capture.Record{
			{Kind: capture.Scalar, Step: i, ModeStep: i, Value: lossAt(int(i)), Time: at},
			{Kind: capture.Step, Step: i, ModeStep: i, Value: 0.01, Time: at},
		} {
			if !c.Publish(r) {
				t.Fatalf("no room at step %d", i)
			}
		}
		if i%50 == 49 {
			c.Wait(time.Minute)
		}
	}
	c.Say(capture.TypeBye, capture.Bye{})
	c.Close()
	a.completed()

	tr := openTrial(t, set)
	if damage, err := tr.Verify(context.Background(), nil); err != nil || len(damage) > 0 {
		t.Errorf("damaged: %+v, %v", damage, err)
	}
	steps, values, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Train})
	if err != nil || len(steps) != n {
		t.Fatalf("%d losses are stored, want %d (%v)", len(steps), n, err)
	}
	for i, v := range values {
		if steps[i] != int64(i) || v != lossAt(i) {
			t.Errorf("loss %d is of step %d: %g", i, steps[i], v)
		}
	}
	next := int64(0)
	if err := tr.Replay(func(d *record.Complete) error {
		if d.Step != next || !d.Time.Equal(record.Moment(uint64(times[next]))) {
			t.Errorf("step %d of %s comes, want %d of %s", d.Step, d.Time, next, time.UnixMicro(times[next]))
		}
		next++
		return nil
	}); err != nil || next != n {
		t.Errorf("%d steps come, want %d (%v)", next, n, err)
	}
	for _, f := range tr.Findings() {
		t.Errorf("finding: %s: %s", f.Rule, f.Message)
	}
}
