package trial_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// tiny makes a run with one of everything: two sealed steps, one step and one
// decision in journals, raw tensors, findings, state.
func tiny(t testing.TB) *vfs.Crash {
	disk := vfs.NewCrash(1)
	w, err := store.Create(disk, "/root", "run", record.Run{Status: record.Running})
	ok(t, err)
	ok(t, w.Announce("w", []record.TensorInfo{{Name: "weight", Kind: record.Weight}, {Name: "t", Order: 1}}))
	for i := range int64(3) {
		s := small("w", i+1)
		s.Stats = s.Stats[:1]
		ok(t, w.Append("w", "s", uint64(i+1), s))
		ok(t, w.Complete(complete(s)))
		ok(t, w.Samples(record.Sample{Host: "h", Time: s.Time, Values: []record.Scalar{{Name: "cpu/total", Value: float64(i)}}}))
		if i != 2 {
			ok(t, w.Times("w", "s", uint64(i+1), []record.StepTime{took("w", i+1)}, []record.Event{{Kind: record.LoaderEvent, Start: s.Time, End: s.Time}}))
		}
		if i == 1 {
			ok(t, w.Trace("w", []record.Interval{{Start: s.Time, End: s.Time, Step: i}}))
			ok(t, w.Seal())
		}
	}
	for i := range int64(2) {
		r, err := w.RawStep("w", record.Train, i+1)
		ok(t, err)
		ok(t, r.Add("weight", tensor.View{DType: tensor.F32, Shape: []int64{2}, Data: make([]byte, 8)}))
		ok(t, r.Commit())
		ok(t, w.Finding(record.Finding{Rule: fmt.Sprint("rule", i), Step: i}))
	}
	ok(t, w.Summary([]record.Group{{CauseClass: "loss"}}))
	ok(t, w.Statuses([]record.RuleStatus{{Rule: "rule0"}}))
	ok(t, w.Action(map[string]string{"action": "stop"}))
	ok(t, w.SaveState("rules", []byte("abc")))
	ok(t, w.UpdateRun(func(r *record.Run) { r.Status = record.Completed }))
	ok(t, store.WriteLabels(disk, w.Path(), record.Labels{Tags: map[string]string{"lr": "0.1"}, Note: "first"}))
	return disk
}

// files lists all files of a file system below a directory.
func files(t failing, fsys vfs.FS, dir string) (list []string) {
	entries, err := fsys.List(dir)
	ok(t, err)
	for _, e := range entries {
		if p := filepath.Join(dir, e.Name()); e.IsDir() {
			list = append(list, files(t, fsys, p)...)
		} else {
			list = append(list, p)
		}
	}
	return list
}

func readFile(t failing, fsys vfs.FS, name string) []byte {
	f, err := fsys.Open(name)
	ok(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	ok(t, err)
	return b
}

func writeFile(t failing, fsys vfs.FS, name string, b []byte) {
	f, err := fsys.Create(name)
	ok(t, err)
	defer f.Close()
	_, err = f.Write(b)
	ok(t, err)
}

// counts is how much of the tiny run can be read.
type counts struct {
	steps, scalars, stats, findings, raw, tensors int
	samples, times, events, traces                int
}

func count(t testing.TB, tr *trial.Trial) (c counts) {
	ok(t, tr.Replay(func(d *record.Complete) error {
		for _, p := range d.Parts {
			c.steps++
			c.scalars += len(p.Scalars)
			c.stats += len(p.Stats)
		}
		return nil
	}))
	c.findings = len(tr.Findings())
	for i := range int64(2) {
		if v, err := tr.Raw("weight", record.Train, i+1, "w"); err == nil && len(v.Data) == 8 {
			c.raw++
		}
	}
	c.tensors = len(tr.Announced())
	c.samples, c.times = len(samplesOf(t, tr, "h", time.Time{}, time.Time{})), len(timesOf(t, tr, "w"))
	events, err := tr.Events(time.Time{}, time.Time{})
	ok(t, err)
	c.events = len(events)
	for _, f := range tr.Traces("") {
		if _, err := tr.Trace(f); err == nil {
			c.traces++
		}
	}
	return c
}

// The bytes of a run are changed, one at a time: it is noticed, the file is
// named, and what is not in that place of that file is read as before.
func TestEveryByteIsCovered(t *testing.T) {
	disk := tiny(t)
	whole(t, open(t, disk, "/root/run"))
	full := counts{steps: 3, scalars: 3, stats: 3, findings: 2, raw: 2, tensors: 2, samples: 3, times: 2, events: 2, traces: 1}
	if got := count(t, open(t, disk, "/root/run")); got != full {
		t.Fatalf("the whole run has %+v", got)
	}
	list := files(t, disk, "/root/run")
	for _, want := range []string{"run.json", "manifest.jsonl", "steps-000001.parquet", "stats-000001.parquet", "scalars-000001.parquet", "complete-000001.parquet",
		"metrics-000001.parquet", "times-000001.parquet", "events-000001.parquet", "000001.json.gz", "journal-000002.log", "tensors.jsonl", "1.safetensors", "rule0.jsonl", "summary.json", "statuses.json", "actions.jsonl", "rules.bin", "tags.json"} {
		if !slices.ContainsFunc(list, func(f string) bool { return filepath.Base(f) == want }) {
			t.Errorf("%s is not among the files %q", want, list)
		}
	}
	for _, name := range list {
		rel := strings.TrimPrefix(filepath.ToSlash(name), "/root/run/")
		t.Run(rel, func(t *testing.T) {
			t.Parallel()
			disk := disk.KillClone()
			b := readFile(t, disk, name)
			for i := 0; i < len(b); i += apart(len(b)) {
				b[i] ^= 1 << (i % 8)
				writeFile(t, disk, name, b)
				flipped(t, disk, rel, i, full)
				b[i] ^= 1 << (i % 8)
			}
		})
	}
}

// apart is how far apart the bytes that are changed are. Each byte of a long file is
// changed in the long tests; here so many that each page, header and checksum of it
// is hit, at a distance that has no factor in common with the sizes of values; under
// the race detector some of each file are.
func apart(size int) int {
	if testenv.Raced {
		return 97
	}
	if os.Getenv("VIGIL_TEST_LONG") != "" || size < 1000 {
		return 1
	}
	return 3
}

func flipped(t *testing.T, disk vfs.FS, rel string, i int, full counts) {
	t.Helper()
	tr, err := trial.OpenFS(disk, "/root/run")
	if err != nil {
		t.Fatalf("byte %d: %v", i, err)
	}
	damage, err := tr.Verify(context.Background(), nil)
	ok(t, err)
	if !slices.ContainsFunc(damage, func(d trial.Damage) bool { return d.File == rel }) {
		t.Fatalf("byte %d of %s: only this was noticed: %v", i, rel, damage)
	}
	if i%15 != 0 && os.Getenv("VIGIL_TEST_LONG") == "" {
		return // the rest is slow, and the same for neighbours
	}
	got, want := count(t, tr), full
	switch base := filepath.Base(rel); {
	case strings.HasPrefix(base, "steps-"), strings.HasPrefix(base, "complete-"):
		want.steps, want.scalars, want.stats = 1, 1, 1
	case strings.HasPrefix(base, "metrics-"):
		want.samples = 1
	case strings.HasPrefix(base, "times-"):
		want.times = 0
	case strings.HasPrefix(base, "events-"):
		want.events = 0
	case strings.HasSuffix(base, ".json.gz"):
		want.traces = 0
	case strings.HasPrefix(base, "journal-"):
		want.samples = 2
		want.steps, want.scalars, want.stats = 2, 2, 2
	case strings.HasPrefix(base, "stats-"):
		want.stats = 1
	case strings.HasPrefix(base, "scalars-"):
		want.scalars = 1
	case strings.HasSuffix(base, ".safetensors"):
		want.raw = 1
	case strings.HasPrefix(base, "rule") && strings.HasSuffix(base, ".jsonl"):
		want.findings = 1
	}
	if got.samples < want.samples || got.times < want.times || got.events < want.events || got.traces < want.traces {
		t.Fatalf("byte %d of %s: read %+v, want at least %+v", i, rel, got, want)
	}
	if got.steps < want.steps || got.scalars < want.scalars || got.stats < want.stats || got.findings < want.findings || got.raw < want.raw || got.tensors < 1 {
		t.Fatalf("byte %d of %s: read %+v, want at least %+v", i, rel, got, want)
	}
}

// A run cut off in mid-write is read up to there and says so.
func TestCutOffRun(t *testing.T) {
	disk := tiny(t)
	for _, rel := range []string{"series/w/journal-000002.log", "complete/journal-000002.log", "findings/rule1.jsonl", "manifest.jsonl"} {
		t.Run(rel, func(t *testing.T) {
			disk := disk.KillClone()
			name := filepath.Join("/root/run", rel)
			b := readFile(t, disk, name)
			writeFile(t, disk, name, b[:len(b)-5])
			tr := open(t, disk, "/root/run")
			got := count(t, tr)
			if got.steps < 2 || got.findings < 1 {
				t.Errorf("read %+v", got)
			}
			damage, err := tr.Verify(context.Background(), nil)
			ok(t, err)
			if len(damage) == 0 || damage[len(damage)-1].File != rel {
				t.Errorf("damage %+v", damage)
			}
		})
	}
}

// What is missing as a whole is named too.
func TestMissingFiles(t *testing.T) {
	disk := tiny(t)
	for _, name := range files(t, disk, "/root/run") {
		rel := strings.TrimPrefix(filepath.ToSlash(name), "/root/run/")
		sealed := strings.HasSuffix(rel, ".parquet") || strings.HasSuffix(rel, ".safetensors") || strings.HasSuffix(rel, ".json.gz") || rel == "run.json" || rel == "manifest.jsonl" || rel == "findings/summary.json"
		if !sealed {
			continue // nothing says that these were there
		}
		disk := disk.KillClone()
		ok(t, disk.Remove(name))
		damage, err := open(t, disk, "/root/run").Verify(context.Background(), nil)
		ok(t, err)
		if !slices.ContainsFunc(damage, func(d trial.Damage) bool { return d.File == rel }) {
			t.Errorf("%s is missing: %+v", rel, damage)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add(0, []byte("{}"))
	f.Add(1, []byte("vigil journal 1\nVJR1"))
	list := []string{"run.json", "manifest.jsonl", "series/w/journal-000002.log", "series/w/tensors.jsonl", "findings/rule0.jsonl",
		"findings/summary.json", "series/w/stats-000001.parquet", "system/h/journal-000002.log", "system/h/metrics-000001.parquet", "series/w/times-000001.parquet", "trace/w/000001.json.gz", "tensors/w/TRAIN/1.safetensors"}
	base := tiny(f)
	f.Fuzz(func(t *testing.T, which int, b []byte) {
		disk := base.KillClone()
		rel := list[uint(which)%uint(len(list))]
		writeFile(t, disk, filepath.Join("/root/run", rel), b)
		tr, err := trial.OpenFS(disk, "/root/run")
		if err != nil {
			return
		}
		if _, err := tr.Verify(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		count(t, tr)
		if w, err := store.Resume(disk, "/root/run"); err == nil {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
