package manifest_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func events(t testing.TB) []manifest.Event {
	f, err := manifest.Describe("series/worker_0/stats-000001.parquet", bytes.NewReader(make([]byte, 100_000)), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	raw := f
	raw.Path = "tensors/worker_0/TRAIN/3.safetensors"
	trace := f
	trace.Path = "trace/worker_0/000001.json.gz"
	window := f
	window.Path = "profiles/worker_0/window-000001.pb.gz"
	return []manifest.Event{
		{Worker: &manifest.Worker{Name: "worker_0", Dir: "series/worker_0"}},
		{Sealed: &manifest.Sealed{Journal: "series/worker_0/journal-000001.log", Files: []manifest.File{f}, Steps: 2, Rows: 9,
			Sessions: map[string]uint64{"00112233445566778899aabbccddeeff": 1 << 60}}},
		{Raw: &raw},
		{Removed: raw.Path},
		{Sealed: &manifest.Sealed{Journal: "system/node1/journal-000001.log", Steps: 2, Span: &[2]int64{1_790_000_000_000_000, 1_790_000_001_000_000}}},
		{Sealed: &manifest.Sealed{Journal: "series/worker_0/journal-000002.log", Times: map[string]uint64{"00112233445566778899aabbccddeeff": 7}}},
		{Trace: &trace},
		{Profile: &window},
		{Damaged: &manifest.Damaged{File: "series/worker_0/journal-000001.log", Reason: "5 bytes at 120 do not match their checksum"}},
	}
}

func encode(t testing.TB) (b []byte) {
	for _, e := range events(t) {
		l, err := lines.Line(e)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, l...)
	}
	return b
}

func TestGolden(t *testing.T) {
	b := encode(t)
	name := filepath.Join("testdata", "manifest.jsonl")
	if *update {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("the manifest's form changed:\n%s\nwas\n%s", b, want)
	}
	var got []manifest.Event
	torn := manifest.Read(want, func(e manifest.Event) { got = append(got, e) }, func(off int64) { t.Errorf("damaged at %d", off) })
	if torn != 0 || !reflect.DeepEqual(got, events(t)) {
		t.Errorf("read %+v, torn %d", got, torn)
	}
}

func TestChecked(t *testing.T) {
	data := make([]byte, 1_000_000)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	f, err := manifest.Describe("x", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	c := manifest.NewChecked(f, bytes.NewReader(data))
	got, err := io.ReadAll(io.NewSectionReader(c, 0, f.Bytes+10))
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("read %d bytes, %v", len(got), err)
	}
	if err := c.Verify(f.Bytes); err != nil {
		t.Error(err)
	}

	var damage *manifest.DamageError
	data[300_000] ^= 1
	c = manifest.NewChecked(f, bytes.NewReader(data))
	b := make([]byte, 10)
	if _, err := c.ReadAt(b, 299_990); !errors.As(err, &damage) {
		t.Errorf("read beside a changed byte: %v", err)
	}
	if n, err := c.ReadAt(b, 100_000); n != 10 || err != nil {
		t.Errorf("read in another block: %d, %v", n, err)
	}
	if err := c.Verify(f.Bytes); !errors.As(err, &damage) || damage.File != "x" {
		t.Errorf("verify: %v", err)
	}
	if err := c.Verify(f.Bytes - 1); !errors.As(err, &damage) {
		t.Errorf("verify a shorter file: %v", err)
	}
	c = manifest.NewChecked(f, bytes.NewReader(data[:900_000]))
	if _, err := c.ReadAt(b, 950_000); !errors.As(err, &damage) {
		t.Errorf("read behind the end: %v", err)
	}
}

// Reads of any length give what was written, or nothing from the first changed
// byte's block on.
func TestCheckedAtAnyPlace(t *testing.T) {
	data := make([]byte, 700_001)
	for i := range data {
		data[i] = byte(i * i >> 5)
	}
	f, err := manifest.Describe("x", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	const block = 64 << 10
	changed := slices.Clone(data)
	changed[5*block+7] ^= 1
	for _, off := range []int{0, 1, block - 1, block, 3 * block, 3*block + 9, 5 * block, 6 * block, 10 * block, 700_000} {
		for _, n := range []int{1, block - 1, block, block + 1, 3 * block, 8*block + 3, 700_001} {
			b := make([]byte, n)
			there := min(n, len(data)-off)
			got, err := manifest.NewChecked(f, bytes.NewReader(data)).ReadAt(b, int64(off))
			if got != there || !bytes.Equal(b[:got], data[off:off+got]) || errors.Is(err, io.EOF) != (there < n) {
				t.Errorf("%d bytes from %d on: %d, %v", n, off, got, err)
			}
			got, err = manifest.NewChecked(f, bytes.NewReader(changed)).ReadAt(b, int64(off))
			var damage *manifest.DamageError
			hit := off/block <= 5 && (off+there-1)/block >= 5
			if hit != errors.As(err, &damage) || hit && got != max(0, 5*block-off) || !bytes.Equal(b[:got], data[off:off+got]) {
				t.Errorf("%d bytes from %d on, one changed: %d, %v", n, off, got, err)
			}
			got, err = manifest.NewChecked(f, bytes.NewReader(data[:6*block+5])).ReadAt(b, int64(off))
			hit = (off+there-1)/block >= 6
			if hit != errors.As(err, &damage) || got > max(0, 6*block-off) || !bytes.Equal(b[:got], data[off:off+got]) {
				t.Errorf("%d bytes from %d on, cut off: %d, %v", n, off, got, err)
			}
		}
	}
}

func TestBlockSize(t *testing.T) {
	for n, want := range map[int64]int64{0: 64 << 10, 1: 64 << 10, 16 << 20: 64 << 10, 16<<20 + 1: 128 << 10, 1 << 40: 64 << 20} {
		if got := manifest.BlockSize(n); got != want {
			t.Errorf("BlockSize(%d) = %d, want %d", n, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(encode(f))
	f.Add([]byte(`{"raw":{"path":"x","bytes":-1}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		torn := manifest.Read(b, func(e manifest.Event) {
			if e.Raw != nil {
				c := manifest.NewChecked(*e.Raw, bytes.NewReader(b))
				c.ReadAt(make([]byte, 8), 0)
			}
		}, func(int64) {})
		if torn > len(b) {
			t.Fatal("torn is longer than the file")
		}
	})
}
