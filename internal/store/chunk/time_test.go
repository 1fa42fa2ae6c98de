package chunk_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

func goldenMachine(t *testing.T) *journal.Machine {
	m := &journal.Machine{}
	if err := m.Add(&journal.Samples{Host: "node1", Names: []string{"cpu/total", "memory/used_bytes"}, Rows: []journal.Row{
		{Time: 1_790_000_000_000_000, Numbers: []uint32{0}, Values: []float64{37.5}},
		{Time: 1_790_000_000_500_003, Numbers: []uint32{0, 1}, Values: []float64{12.25, 24e9}},
		{Time: 1_790_000_001_000_000, Numbers: []uint32{1}, Values: []float64{25e9}},
	}}); err != nil {
		t.Fatal(err)
	}
	return m
}

func goldenTimes() ([]record.StepTime, []record.Event) {
	at := time.Unix(1_790_000_000, 123_456_789).UTC()
	row := record.StepTime{Worker: "worker_0", Step: 7, Mode: record.Eval, ModeStep: 5, Steps: 3, Start: at, End: at.Add(36), Gap: 2, Longest: 20, LongestStep: 6}
	for p := range row.Parts {
		row.Parts[p] = int64(p) + 1
	}
	return []record.StepTime{row, {Worker: "worker_0", Steps: 1}}, []record.Event{
		{Worker: "worker_0", Kind: record.CheckpointEvent, Name: "model.pt", Start: at, End: at.Add(time.Second), Step: 7, Facts: []byte(`{"bytes":5}`)},
		{Host: "node1", Kind: record.ClockEvent, Start: at, End: at}}
}

// The tables by time are read as they were written, and so are those of earlier
// releases.
func TestGoldenTime(t *testing.T) {
	times, events := goldenTimes()
	for name, write := range map[string]func(io.Writer) error{
		"metrics-000001.parquet": func(w io.Writer) error { return chunk.WriteMetrics(w, goldenMachine(t)) },
		"times-000001.parquet":   func(w io.Writer) error { return chunk.WriteTimes(w, times) },
		"events-000001.parquet":  func(w io.Writer) error { return chunk.WriteEvents(w, events) },
	} {
		var now bytes.Buffer
		if err := write(&now); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if _, err := os.Stat(path); *update && os.IsNotExist(err) {
			if err := os.WriteFile(path, now.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range [][]byte{golden, now.Bytes()} {
			f, err := chunk.Open(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			switch name[0] {
			case 'm':
				m := goldenMachine(t)
				at, err := f.Instants(0, f.Rows())
				if err != nil || !cmp.Equal(at, m.Times) || !cmp.Equal(f.MetricNames(), m.Names) {
					t.Errorf("%s: times %v, series %q, %v", name, at, f.MetricNames(), err)
				}
				for _, series := range m.Names {
					if got, _, err := f.Figures(series, 0, f.Rows()); err != nil || !cmp.Equal(got, m.Column(series), equal) {
						t.Errorf("%s: %s is %v, %v", name, series, got, err)
					}
				}
				if got, _, err := f.Figures("memory/used_bytes", 1, 1); err != nil || !cmp.Equal(got, []float64{24e9}) {
					t.Errorf("%s: one figure: %v, %v", name, got, err)
				}
				if _, ok, err := f.Figures("gpu/0/utilization", 0, f.Rows()); ok || err != nil {
					t.Errorf("%s: a series that is not there: %t, %v", name, ok, err)
				}
			case 't':
				if got, err := f.ReadTimes(0, f.Rows()); err != nil || !cmp.Equal(got, times) {
					t.Errorf("%s: %s, %v", name, cmp.Diff(times, got), err)
				}
			case 'e':
				if got, err := f.ReadEvents(0, f.Rows()); err != nil || !cmp.Equal(got, events) {
					t.Errorf("%s: %s, %v", name, cmp.Diff(events, got), err)
				}
			}
		}
	}
}
