package store

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The form of a file of detail is the one that its page describes.
func TestGoldenTrace(t *testing.T) {
	at := time.Unix(1_790_000_000, 123_456_789).UTC()
	b, err := encodeTrace("worker_0 \"\u2028\n", []record.Interval{
		{Part: record.WaitForData, Start: at, End: at.Add(1500), Step: 7, ModeStep: 5},
		{Part: record.Forward, Start: at.Add(1500), End: at.Add(2_000_001), Step: 7, ModeStep: 5, MicroBatch: 1},
		{Part: record.Other, Start: at.Add(3_000_000), End: at.Add(2_000_001), Step: 8, Mode: record.Eval},
	})
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(got) {
		t.Errorf("no JSON:\n%s", got)
	}
	const name = "testdata/trace.json"
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the form of a trace changed:\n%s\nwas\n%s", got, want)
	}
}
