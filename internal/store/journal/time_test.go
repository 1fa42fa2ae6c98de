package journal_test

import (
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

func machineSamples() *journal.Samples {
	return &journal.Samples{Host: "node1", First: 2, Names: []string{"cpu/total", "memory/used_bytes"}, Rows: []journal.Row{
		{Time: 1_790_000_000_000_000, Numbers: []uint32{0, 2, 3}, Values: []float64{0, 37.5, record.RoundMetric(24_123_456_789)}},
		{Time: 1_790_000_000_500_003, Numbers: []uint32{1, 3}, Values: []float64{-1.5, record.RoundMetric(1e300)}},
		{Time: 1_790_000_001_000_000},
	}}
}

func stepTimes() *journal.Times {
	at := time.Unix(1_790_000_000, 123_456_789).UTC()
	t := record.StepTime{Worker: "worker_0", Step: 7, Mode: record.Eval, ModeStep: 5, Steps: 3, Start: at, End: at.Add(36), Gap: 2, Longest: 20, LongestStep: 6}
	for p := range t.Parts {
		t.Parts[p] = int64(p) + 1
	}
	return &journal.Times{Worker: "worker_0", Session: "00112233445566778899aabbccddeeff", Seq: 300, Times: []record.StepTime{t},
		Events: []record.Event{{Worker: "worker_0", Kind: record.CheckpointEvent, Name: "model.pt", Start: at, End: at.Add(time.Second), Step: 7, Facts: []byte(`{"bytes":5}`)},
			{Host: "node1", Kind: record.ClockEvent}}}
}

func TestTimeCodec(t *testing.T) {
	var d journal.Decoder
	got, _, err := d.Decode(journal.AppendSamples(nil, machineSamples()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(machineSamples(), got.Samples); diff != "" {
		t.Error(diff)
	}
	if got, _, err = d.Decode(journal.AppendTimes(nil, stepTimes())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stepTimes(), got.Times); diff != "" {
		t.Error(diff)
	}
}

func TestGoldenTime(t *testing.T) {
	b := []byte(journal.Header)
	b = journal.AppendFrame(b, int64(len(b)), journal.AppendSamples(nil, machineSamples()))
	b = journal.AppendFrame(b, int64(len(b)), journal.AppendTimes(nil, stepTimes()))
	name := filepath.Join("testdata", "journal-time.hex")
	if *update {
		if err := os.WriteFile(name, []byte(hex.Dump(b)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.Dump(b); got != string(want) {
		t.Errorf("the journal's bytes changed:\n%s", cmp.Diff(string(want), got))
	}
}

// A record that is lost costs its samples and the figures of series that it
// named; what comes after does not take their numbers.
func TestNamesInALostRecord(t *testing.T) {
	m := &journal.Machine{}
	lost := machineSamples()
	lost.Names = nil
	if err := m.Add(lost); err == nil {
		t.Error("figures of series without a name were taken in")
	}
	if _, next := m.Numbers(); next != 4 {
		t.Errorf("the next number is %d", next)
	}
	if err := m.Add(&journal.Samples{Host: "node1", First: 4, Names: []string{"cpu/0"}, Rows: []journal.Row{{Time: 9, Numbers: []uint32{4}, Values: []float64{1}}}}); err != nil {
		t.Error(err)
	}
	if c := m.Column("cpu/0"); len(c) != 4 || !math.IsNaN(c[0]) || c[3] != 1 {
		t.Errorf("column %v", c)
	}
}

func FuzzDecodeTime(f *testing.F) {
	f.Add(journal.AppendSamples(nil, machineSamples()))
	f.Add(journal.AppendTimes(nil, stepTimes()))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d journal.Decoder
		got, _, err := d.Decode(b)
		if err != nil || got == nil {
			return
		}
		if got.Samples != nil {
			m := &journal.Machine{}
			m.Add(got.Samples)
			for _, name := range m.Names {
				m.Column(name)
			}
		}
	})
}
