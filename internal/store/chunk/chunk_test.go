package chunk_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
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
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/tensor"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var equal = cmp.Options{cmpopts.EquateNaNs()}

// steps makes n steps with everything in them that may be.
func steps(n, tensors int) []*record.Step {
	var out []*record.Step
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	odd := []string{"a/b\"c\nd", strings.Repeat("long", 1250), "", "ünï"}
	for i := range n {
		s := &record.Step{Worker: "worker_0", Step: int64(i), Mode: record.Mode(i % 2), ModeStep: int64(i / 2),
			Time: start.Add(time.Duration(i) * 1234 * time.Millisecond), Seconds: float64(i) / 7, Overhead: 1e-4, Skipped: i%5 == 4}
		s.Scalars = []record.Scalar{{Name: "loss", Value: 1 / float64(i+1)}, {Name: odd[i%4], Value: math.NaN()}}
		for k := range tensors {
			v := record.TensorStats{Tensor: fmt.Sprintf("layer%d.weight", tensors-k), Stats: tensor.Stats{Count: 100, NaN: int64(i % 3), Zeros: int64(k),
				Min: -1 - float64(i), Max: math.Pow(2, float64(k)), Mean: 0.1, M2: 3, L1: math.Inf(1)}}
			if k%2 == 0 {
				v.Hist = new(tensor.Histogram)
				v.Hist.Pos[k+i%10] = 5
			}
			s.Stats = append(s.Stats, v)
			if k < 2 {
				s.Derived = append(s.Derived, record.Derived{Tensor: v.Tensor, Stat: "pair[lag=1].mean_abs_diff", From: int64(i/2) - 1, Value: 0.5})
			}
		}
		if i%3 == 0 {
			s.Raw = []string{"layer1.weight", odd[i%4]}
		}
		out = append(out, s)
	}
	return append(out, &record.Step{Worker: "worker_0", Step: -1, Mode: record.Global})
}

type tables struct{ stats, scalars, steps []byte }

// lazy encodes the histograms of steps, as a journal has them.
func lazy(t testing.TB, list []*record.Step) []journal.Lazy {
	var d journal.Decoder
	l, _, err := d.Decode(journal.AppendSteps(nil, &journal.Steps{Worker: "worker_0", Steps: list}))
	if err != nil {
		t.Fatal(err)
	}
	return l.Steps
}

func encode(t testing.TB, steps []*record.Step) tables {
	t.Helper()
	list := lazy(t, steps)
	var a, b, c bytes.Buffer
	if _, err := chunk.WriteStats(&a, list); err != nil {
		t.Fatal(err)
	}
	if _, err := chunk.GatherScalars(list).Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := chunk.WriteSteps(&c, list); err != nil {
		t.Fatal(err)
	}
	return tables{a.Bytes(), b.Bytes(), c.Bytes()}
}

func open(b []byte) (*chunk.File, error) { return chunk.Open(bytes.NewReader(b), int64(len(b))) }

func decode(tb tables) ([]*record.Step, error) {
	f, err := open(tb.steps)
	if err != nil {
		return nil, err
	}
	list, err := f.ReadSteps()
	if err != nil {
		return nil, err
	}
	if f, err = open(tb.stats); err != nil {
		return nil, err
	}
	if err := f.FillStats(list); err != nil {
		return nil, err
	}
	if f, err = open(tb.scalars); err != nil {
		return nil, err
	}
	if err := f.FillScalars(list); err != nil {
		return nil, err
	}
	var out []*record.Step
	for _, l := range list {
		s, err := l.Full()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func TestStepsComeBack(t *testing.T) {
	for _, n := range []int{0, 1, 40} {
		want := steps(n, 7)
		got, err := decode(encode(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, equal); diff != "" {
			t.Fatalf("%d steps: %.2000s", n, diff)
		}
	}
}

func TestNothingInATable(t *testing.T) {
	got, err := decode(encode(t, nil))
	if err != nil || len(got) != 0 {
		t.Errorf("%d steps, %v", len(got), err)
	}
}

func TestSeriesIsCutOut(t *testing.T) {
	list := steps(3000, 20)
	tb := encode(t, list)
	counted := &counter{src: bytes.NewReader(tb.stats)}
	f, err := chunk.Open(counted, int64(len(tb.stats)))
	if err != nil {
		t.Fatal(err)
	}
	e := f.Find("layer7.weight")
	if len(e) != 1 || e[0].Rows != 3000 {
		t.Fatalf("directory entry %+v", e)
	}
	min, err := f.Floats("min", e[0].From, e[0].Rows)
	if err != nil {
		t.Fatal(err)
	}
	points, err := f.Points(e[0].From, e[0].Rows, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range min {
		want := list[i]
		if min[i] != -1-float64(i) || points[i].Step != want.Step || points[i].Mode != want.Mode || points[i].ModeStep != want.ModeStep || points[i].Time != want.Time.UnixNano() {
			t.Fatalf("row %d: min %g, %+v, want %+v", i, min[i], points[i], want)
		}
	}
	if counted.n > int64(len(tb.stats))/2 {
		t.Errorf("%d of %d bytes were read for one series of 20", counted.n, len(tb.stats))
	}
	if f.Find("layer0.weight") != nil && len(f.Find("layer0.weight")) != 0 {
		t.Error("found a tensor that is not there")
	}
}

type counter struct {
	src io.ReaderAt
	n   int64
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	c.n += int64(len(p))
	return c.src.ReadAt(p, off)
}

func TestRowGroupsStaySmall(t *testing.T) {
	list := []*record.Step{{Worker: "worker_0"}}
	for i := range 300_000 {
		list[0].Scalars = append(list[0].Scalars, record.Scalar{Name: "loss", Value: float64(i)})
	}
	tb := encode(t, list)
	f, err := open(tb.scalars)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range f.RowGroups() {
		if n > 128<<10 {
			t.Errorf("a row group of %d rows", n)
		}
	}
	got, err := decode(tb)
	if err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("300,000 scalars of one step do not come back: %v", err)
	}
}

func TestDecisions(t *testing.T) {
	want := []*journal.Decision{{Step: 3, Mode: record.Eval, ModeStep: 1, Time: time.UnixMilli(7009).UTC(), Workers: []string{"worker_1", "a\"b"}}, {Workers: []string{"worker_0"}, Joined: []int{7}}, {}, {Window: &journal.Window{
		Index: 12, From: time.Unix(120, 1).UTC(), To: time.Unix(130, 1).UTC(), Late: []string{"b"},
		Rows: record.Rows{{Kind: record.SampleRows, Name: "a/b\n"}: 20, {Kind: record.TimeRows, Name: ""}: 1},
	}}}
	var b bytes.Buffer
	if err := chunk.WriteDecisions(&b, want); err != nil {
		t.Fatal(err)
	}
	f, err := open(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.ReadDecisions()
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v: %s", err, cmp.Diff(want, got))
	}
}

// The first runs do not say what was given after a step.
func TestGoldenDecisions(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "complete-000001.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.ReadDecisions()
	want := []*journal.Decision{{Step: 3, Mode: record.Eval, ModeStep: 1, Time: time.UnixMilli(7009).UTC(), Workers: []string{"worker_1", "worker_2"}}, {}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v: %s", err, cmp.Diff(want, got))
	}
}

// Files written by earlier versions stay readable.
// TestGolden reads what earlier releases wrote: the first kept times to the nanosecond.
func TestGolden(t *testing.T) {
	for part, unit := range map[string]time.Duration{"000001": time.Nanosecond, "000002": time.Millisecond} {
		want := steps(6, 3)
		for i := range want {
			if want[i].Time.IsZero() {
				continue
			}
			want[i].Time = want[0].Time.Add(time.Duration(i) * 1234567 * time.Nanosecond / unit * unit)
		}
		now := encode(t, want)
		var old tables
		for name, p := range map[string]*[]byte{"stats": &old.stats, "scalars": &old.scalars, "steps": &old.steps} {
			file := filepath.Join("testdata", name+"-"+part+".parquet")
			if *update && unit == time.Millisecond {
				b := map[string][]byte{"stats": now.stats, "scalars": now.scalars, "steps": now.steps}[name]
				if err := os.WriteFile(file, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			*p = b
		}
		got, err := decode(old)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, equal); diff != "" {
			t.Errorf("part %s: %s", part, diff)
		}
	}
}

// FuzzChanged changes a table in any way: read as the manifest describes it,
// the change is noticed before the Parquet library, which believes sizes that
// it reads, sees any of it.
func FuzzChanged(f *testing.F) {
	tb := encode(f, steps(3, 2))
	entry, err := manifest.Describe("stats", bytes.NewReader(tb.stats), int64(len(tb.stats)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(5, []byte{1})
	f.Add(len(tb.stats)-6, []byte{255, 255})
	f.Fuzz(func(t *testing.T, at int, with []byte) {
		b := bytes.Clone(tb.stats)
		copy(b[uint(at)%uint(len(b)):], with)
		file, err := chunk.Open(manifest.NewChecked(entry, bytes.NewReader(b)), entry.Bytes)
		if bytes.Equal(b, tb.stats) {
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := file.ReadStats(0, file.Rows()); err != nil {
				t.Fatal(err)
			}
			return
		}
		var damage *manifest.DamageError
		if !errors.As(err, &damage) {
			t.Fatalf("a changed table was opened: %v", err)
		}
	})
}

// A table without our metadata, cut short or of another kind is refused.
func TestForeignFiles(t *testing.T) {
	tb := encode(t, steps(3, 2))
	long := bytes.Clone(tb.stats)
	copy(long[len(long)-8:], []byte{255, 255, 255, 127})
	for name, b := range map[string][]byte{"empty": nil, "text": []byte("this is no table at all"), "cut": tb.stats[:len(tb.stats)-1], "footer longer than the file": long} {
		if _, err := open(b); !errors.Is(err, chunk.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := open(tb.stats)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadSteps(); !errors.Is(err, chunk.ErrFormat) {
		t.Errorf("statistics read as steps: %v", err)
	}
	if err := f.FillStats(nil); !errors.Is(err, chunk.ErrFormat) {
		t.Errorf("statistics of steps that are not there: %v", err)
	}
}
