package journal_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/tensor"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func sample() *journal.Steps {
	h := &tensor.Histogram{}
	h.Pos[150], h.Neg[140] = 3, 2
	return &journal.Steps{Worker: "worker_0", Session: "00112233445566778899aabbccddeeff", Seq: 300, Steps: []*record.Step{
		{Worker: "worker_0", Step: 7, Mode: record.Train, ModeStep: 5, Time: time.Date(2026, 11, 21, 10, 0, 0, 123456000, time.UTC),
			Seconds: 0.125, Overhead: 0.0005, Skipped: true,
			Scalars: []record.Scalar{{Name: "loss", Value: math.NaN()}, {Name: "acc", Value: math.Inf(-1)}},
			Stats: []record.TensorStats{
				{Tensor: "layer1.weight", Stats: tensor.Stats{Count: 6, Zeros: 1, Min: -2, Max: 1.5, Mean: 0.25, M2: 3, L1: 4, Hist: h}},
				{Tensor: strings.Repeat("n", 5000) + "/\"\n", Stats: tensor.Stats{Count: 2, NaN: 1, PosInf: 1, Min: math.NaN(), Max: math.NaN()}},
			},
			Derived: []record.Derived{{Tensor: "layer1.weight", Stat: "pair[lag=1,every=0].mean_abs_diff", From: -1, Value: 1e-9}},
			Raw:     []string{"layer1.weight"}},
		{Worker: "worker_0", Step: 8, Mode: record.Global, ModeStep: math.MinInt64},
	}}
}

var joined = &journal.Decision{Step: 8, Mode: record.Train, ModeStep: 6, Workers: []string{"worker_0", "worker_1"}, Joined: []int{0, 300}}

var decision = &journal.Decision{Step: 7, Mode: record.Eval, ModeStep: 5, Time: time.Unix(1, 5).UTC(), Workers: []string{"worker_0", "worker_1"}}

var window = &journal.Decision{Window: &journal.Window{
	Index: 12, From: time.Unix(120, 1).UTC(), To: time.Unix(130, 1).UTC(), Late: []string{"host_b"},
	Rows: record.Rows{{Kind: record.SampleRows, Name: "host_a"}: 20, {Kind: record.TimeRows, Name: "worker_0"}: 300, {Kind: record.EventRows, Name: ""}: 1},
}}

var equal = cmp.Options{cmpopts.EquateNaNs()}

func TestCodec(t *testing.T) {
	var d journal.Decoder
	l, _, err := d.Decode(journal.AppendSteps(nil, sample()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := full(l)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), s, equal); diff != "" {
		t.Error(diff)
	}
	for _, want := range []*journal.Decision{decision, joined, window} {
		if _, c, err := d.Decode(journal.AppendDecision(nil, want)); err != nil || !reflect.DeepEqual(c, want) {
			t.Errorf("decision %+v, %v", c, err)
		}
	}
}

// full is a record with its histograms decoded.
func full(d *journal.Decoded) (*journal.Steps, error) {
	s := &journal.Steps{Worker: d.Worker, Session: d.Session, Seq: d.Seq}
	for _, l := range d.Steps {
		st, err := l.Full()
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, st)
	}
	return s, nil
}

// file is a journal of three records and where each starts.
func file() (b []byte, starts []int64) {
	b = []byte(journal.Header)
	small := sample()
	small.Steps = small.Steps[1:]
	for _, p := range [][]byte{journal.AppendDecision(nil, decision), journal.AppendSteps(nil, small), journal.AppendDecision(nil, decision)} {
		starts = append(starts, int64(len(b)))
		b = journal.AppendFrame(b, int64(len(b)), p)
	}
	return b, starts
}

func scan(b []byte) (found []int64, bad int, next int64, tail journal.Tail) {
	next, tail = journal.Scan(b, 0, func(off int64, _ []byte) { found = append(found, off) }, func(int64, int64) { bad++ })
	return found, bad, next, tail
}

func TestScan(t *testing.T) {
	b, starts := file()
	found, bad, next, tail := scan(b)
	if !reflect.DeepEqual(found, starts) || bad != 0 || next != int64(len(b)) || tail != (journal.Tail{}) {
		t.Errorf("found %v of %v, %d bad, next %d, tail %+v", found, starts, bad, next, tail)
	}
	for cut := range b {
		found, bad, next, tail := scan(b[:cut])
		want := 0
		for i := range starts {
			end := int64(len(b))
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			if int64(cut) >= end {
				want = i + 1
			}
		}
		if len(found) != want || bad != 0 || tail.Garbage || next+tail.Bytes != int64(cut) {
			t.Fatalf("cut at %d: %d records of %d, %d bad, next %d, tail %+v", cut, len(found), want, bad, next, tail)
		}
	}
}

// Whatever byte changes, it is noticed and costs one record.
func TestEveryByteCounts(t *testing.T) {
	b, starts := file()
	for i := range b {
		for _, flip := range []byte{1, 0x80, 0xff} {
			b[i] ^= flip
			found, bad, _, tail := scan(b)
			if bad == 0 && tail.Bytes == 0 {
				t.Fatalf("byte %d changed by %#x: not noticed", i, flip)
			}
			if len(found) < len(starts)-1 {
				t.Fatalf("byte %d changed by %#x: found %v of %v", i, flip, found, starts)
			}
			b[i] ^= flip
		}
	}
}

// A record whose bytes stand at another offset is none.
func TestMovedRecordIsNone(t *testing.T) {
	b, starts := file()
	moved := append([]byte(journal.Header), b[starts[1]:]...)
	if found, _, _, _ := scan(moved); len(found) != 0 {
		t.Errorf("found records at %v", found)
	}
}

func TestGolden(t *testing.T) {
	b := []byte(journal.Header)
	s := sample()
	s.Steps[0].Stats = s.Steps[0].Stats[:1]
	b = journal.AppendFrame(b, int64(len(b)), journal.AppendSteps(nil, s))
	b = journal.AppendFrame(b, int64(len(b)), journal.AppendDecision(nil, decision))
	b = journal.AppendFrame(b, int64(len(b)), journal.AppendDecision(nil, joined))
	b = journal.AppendFrame(b, int64(len(b)), journal.AppendDecision(nil, window))
	name := filepath.Join("testdata", "journal.hex")
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

func FuzzScan(f *testing.F) {
	b, _ := file()
	f.Add(b)
	f.Add(journal.AppendFrame([]byte(journal.Header), 16, journal.AppendSteps(nil, sample())))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d journal.Decoder
		last := int64(0)
		next, tail := journal.Scan(b, 0, func(off int64, p []byte) {
			if off < last || !bytes.Equal(p, b[off+16:off+16+int64(len(p))]) {
				t.Fatalf("record at %d after %d", off, last)
			}
			last = off + int64(len(p))
			d.Decode(p)
		}, func(int64, int64) {})
		if next+tail.Bytes != int64(len(b)) {
			t.Fatalf("next %d, tail %d of %d bytes", next, tail.Bytes, len(b))
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(journal.AppendSteps(nil, sample()))
	f.Add(journal.AppendDecision(nil, decision))
	f.Add(journal.AppendDecision(nil, joined))
	f.Add(journal.AppendDecision(nil, window))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d journal.Decoder
		s, c, err := d.Decode(b)
		if (err == nil) != (s != nil || c != nil) {
			t.Fatalf("%v, %v, %v", s, c, err)
		}
		if s == nil {
			return
		}
		one, err := full(s)
		if err != nil {
			return
		}
		l, _, err := d.Decode(journal.AppendSteps(nil, one))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := full(l); err != nil || !cmp.Equal(one, again, equal) {
			t.Fatalf("what was decoded does not come back: %v", err)
		}
	})
}
