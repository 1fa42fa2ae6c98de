package agent

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

var begun = time.Unix(1_000_000, 0).UTC()

// rowAt is a row of one step that closes some seconds after the beginning.
func rowAt(mode record.Mode, seconds int) record.StepTime {
	row := record.StepTime{Worker: "worker_0", Mode: mode, Steps: 1, Start: begun.Add(time.Duration(seconds-1) * time.Second), End: begun.Add(time.Duration(seconds) * time.Second)}
	row.Parts[record.Forward] = 1e9
	return row
}

func loaderAt(seconds float64, batch int) record.Event {
	at := begun.Add(time.Duration(seconds * 1e9))
	return record.Event{Worker: "worker_0", Kind: record.LoaderEvent, Start: at, End: at, Facts: json.RawMessage(fmt.Sprintf(`{"batch_size":%d,"workers":2}`, batch))}
}

// The batch is that of the loader that trains.
func TestSamplesPerSecond(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []record.Event
		rows   []record.StepTime
		epochs *record.EpochFacts
		want   float64
	}{
		{name: "no loader", rows: []record.StepTime{rowAt(record.Train, 1)}},
		{name: "one loader", events: []record.Event{loaderAt(0.5, 32)}, rows: []record.StepTime{rowAt(record.Train, 1)}, want: 32},
		{name: "evaluation first", events: []record.Event{loaderAt(0.5, 100), loaderAt(1.5, 32)}, rows: []record.StepTime{rowAt(record.Eval, 1), rowAt(record.Train, 2)}, want: 32},
		{name: "evaluation later", events: []record.Event{loaderAt(0.5, 32), loaderAt(1.5, 100)}, rows: []record.StepTime{rowAt(record.Train, 1), rowAt(record.Eval, 2), rowAt(record.Train, 3)}, want: 32},
		{name: "accumulated gradients", events: []record.Event{loaderAt(0.5, 8)}, rows: []record.StepTime{rowAt(record.Train, 1)}, epochs: &record.EpochFacts{Batches: 100, Stretches: []record.EpochStretch{{Number: 1, Updates: 25}}}, want: 32},
		{name: "a loader without a batch size", events: []record.Event{loaderAt(0.5, 0)}, rows: []record.StepTime{rowAt(record.Train, 1)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s spent
			s.times("worker_0", tt.rows, tt.events)
			if got := s.total(tt.epochs, 2).SamplesPerSecond; got != tt.want {
				t.Errorf("got %v samples a second, want %v", got, tt.want)
			}
		})
	}
}

// fakeMetrics is what is stored of a run.
type fakeMetrics struct {
	rows    []record.StepTime
	events  []record.Event
	samples []record.Sample
}

func (m *fakeMetrics) Hosts() []string             { return nil }
func (m *fakeMetrics) MetricNames(string) []string { return nil }
func (m *fakeMetrics) Metric(string, string, time.Time, time.Time) ([]time.Time, []float64, error) {
	return nil, nil, nil
}

func (m *fakeMetrics) Samples(_ string, from, _ time.Time, fn func(*record.Sample) error) error {
	for i := range m.samples {
		if !m.samples[i].Time.Before(from) {
			if err := fn(&m.samples[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *fakeMetrics) Times(_ string, from, _ time.Time, fn func(*record.StepTime) error) error {
	for i := range m.rows {
		if !m.rows[i].End.Before(from) {
			if err := fn(&m.rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *fakeMetrics) Events(time.Time, time.Time) ([]record.Event, error) { return m.events, nil }
func (m *fakeMetrics) SpanOf(string, record.Mode, int64, int64) (from, to time.Time, ok bool) {
	return time.Time{}, time.Time{}, false
}

// An agent that dies after it has stored what run.json does not tell of yet is
// followed by one whose sums are those of an agent that did not die.
func TestSumsAreRestored(t *testing.T) {
	stored := &fakeMetrics{events: []record.Event{
		loaderAt(0.2, 16),
		{Worker: "worker_0", Kind: record.PhaseEvent, Name: record.StartUpPhase, Start: begun.Add(-3 * time.Second), End: begun},
		{Worker: "worker_0", Kind: record.PhaseEvent, Name: record.TrainingPhase, Start: begun, End: begun.Add(20 * time.Second)},
	}}
	for i := 1; i <= 20; i++ {
		row := rowAt(record.Train, i)
		row.Parts[record.WaitForData] += int64(i)
		stored.rows = append(stored.rows, row)
		stored.samples = append(stored.samples, record.Sample{Host: "here", Time: row.End, Values: []record.Scalar{{Name: "cpu/total", Value: float64(i)}}})
	}
	sums := func(s *spent) string {
		b, err := json.Marshal(s.total(nil, 2))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var whole spent
	whole.times("worker_0", stored.rows, stored.events)
	for i := range stored.samples {
		whole.sample(&stored.samples[i])
	}
	want := sums(&whole)
	for died := range len(stored.rows) {
		var first, second spent
		first.times("worker_0", stored.rows[:died], stored.events[:min(died, 2)])
		for i := range died {
			first.sample(&stored.samples[i])
		}
		if b := first.total(nil, 2); b != nil {
			second.restore(b)
		}
		if err := second.countStored(stored, "here", "worker_0"); err != nil {
			t.Fatal(err)
		}
		if got := sums(&second); got != want {
			t.Fatalf("an agent that died after %d rows is followed by one that says\n%s\nwant\n%s", died, got, want)
		}
	}
}

// The rate is that of the last seconds.
func TestRate(t *testing.T) {
	var r rate
	if r.perSecond() != 0 {
		t.Error("a rate is known before the first step")
	}
	at := begun
	for i := range 1000 { // a hundred a second, then two
		took := 10 * time.Millisecond
		if i >= 900 {
			took = 500 * time.Millisecond
		}
		at = at.Add(took)
		r.step(&record.Step{Time: at, ModeStep: int64(i)})
	}
	if got := r.perSecond(); got < 1.9 || got > 2.1 {
		t.Errorf("%v steps a second, want 2", got)
	}
	if len(r.recent) > 110 {
		t.Errorf("%d places are kept", len(r.recent))
	}
	r.step(&record.Step{Time: at.Add(time.Second), ModeStep: 5}) // resumed from a checkpoint
	r.step(&record.Step{Time: at.Add(2 * time.Second), ModeStep: 10})
	if got := r.perSecond(); got != 5 {
		t.Errorf("%v steps a second after going back, want 5", got)
	}
}
