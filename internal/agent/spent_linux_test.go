package agent

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// What an agent stored after it had written run.json for the last time is in the
// sums of the one after it, once.
func TestTimeOfARunThatIsTakenOver(t *testing.T) {
	set := settings(t)
	w, err := openStore(set)
	if err != nil {
		t.Fatal(err)
	}
	ev := newEvents(io.Discard, nil)
	j := newJob(set, w, ev)
	chief := &worker{name: "worker_0", chief: true}
	store := func(seq uint64, rows []record.StepTime, events []record.Event, samples ...record.Sample) {
		t.Helper()
		if err := w.Times("worker_0", "session", seq, rows, events); err != nil {
			t.Fatal(err)
		}
		if err := w.Samples(samples...); err != nil {
			t.Fatal(err)
		}
	}
	sampleAt := func(seconds int, cpu float64) record.Sample {
		return record.Sample{Host: set.Host, Time: rowAt(record.Train, seconds).End, Values: []record.Scalar{{Name: "cpu/total", Value: cpu}, {Name: "job/rss_bytes", Value: 1e9 * float64(seconds)}}}
	}
	first := []record.StepTime{rowAt(record.Train, 1), rowAt(record.Train, 2)}
	events := []record.Event{loaderAt(0.2, 16)}
	events[0].Worker = "worker_0"
	samples := []record.Sample{sampleAt(1, 10), sampleAt(2, 20), {Host: "elsewhere", Time: begun}}
	store(1, first, events, samples...)
	j.countTimes(chief, first, events)
	j.countTimes(&worker{name: "worker_1"}, first, nil) // of another rank
	j.countSamples(samples...)
	if err := j.writeRun(nil); err != nil {
		t.Fatal(err)
	}
	if got := w.Run().Time; got == nil || got.Modes["TRAIN"].Steps != 2 || got.Modes["TRAIN"].Seconds != 2e9 || got.BatchSize != 16 || got.SamplesPerSecond != 16 {
		t.Fatalf("run.json has %+v", got)
	}
	store(2, []record.StepTime{rowAt(record.Train, 3)}, nil, sampleAt(3, 40))
	ev.close()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	set.Takeover = true
	if w, err = openStore(set); err != nil {
		t.Fatal(err)
	}
	ev = newEvents(io.Discard, nil)
	defer ev.close()
	j = newJob(set, w, ev)
	j.spent.restore(w.Run().Time)
	j.recount()
	last := rowAt(record.Train, 4)
	store(3, []record.StepTime{last}, nil)
	j.countTimes(chief, []record.StepTime{last}, nil)
	if err := j.writeRun(func(*record.Run) {}); err != nil {
		t.Fatal(err)
	}
	got := w.Run().Time
	if m := got.Modes["TRAIN"]; m.Steps != 4 || m.Seconds != 4e9 || m.Parts["forward"] != 4e9 || got.BatchSize != 16 {
		b, _ := json.Marshal(got)
		t.Errorf("the agent after it wrote %s", b)
	}
	if u := got.Machine; u == nil || u.Seconds != 2e9 || *u.CPU != 30 || u.PeakJobMemory < 29e8 {
		t.Errorf("the machine is %+v", u)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
