package trial_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/vfs"
)

func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*i>>3) + seed
	}
	return b
}

func bytesView(b []byte) tensor.View {
	return tensor.View{DType: tensor.U8, Shape: []int64{int64(len(b))}, Data: b}
}

func save(t testing.TB, w *store.Writer, worker string, step int64, views map[string]tensor.View) {
	t.Helper()
	r, err := w.RawStep(worker, record.Train, step)
	ok(t, err)
	for name, v := range views {
		ok(t, r.Add(name, v))
	}
	ok(t, r.Commit())
}

func TestRaw(t *testing.T) {
	testenv.Unraced(t)
	w := create(t, vfs.OS, t.TempDir())
	// More than a raw writer keeps in memory, in several tensors and in one.
	big := map[string]tensor.View{"z": {DType: tensor.C128, Shape: []int64{1}, Data: pattern(16, 1)}, odd[0]: bytesView(pattern(5, 2)), "0-d": {DType: tensor.F32, Data: pattern(4, 3)}}
	huge := pattern(129<<20, 9)
	for i, name := range []string{"a", "b", "c", "d"} {
		big[name] = bytesView(huge[i*1001:][:36<<20])
	}
	big["huge"] = bytesView(huge)
	save(t, w, "worker_0", 1, big)
	// A second commit for the same step adds and replaces.
	second := map[string]tensor.View{"a": bytesView(pattern(3, 7)), "new": bytesView(nil)}
	save(t, w, "worker_0", 1, second)
	s := step("worker_0", 1)
	s.Raw = []string{"a", "b", "c", "d", "huge", "z", odd[0], "0-d", "new", "never stored"}
	ok(t, w.Append("worker_0", "", 0, s))
	tr := open(t, vfs.OS, w.Path())
	for name, v := range second {
		big[name] = v
	}
	for name, want := range big {
		got, err := tr.Raw(name, record.Train, 1, "")
		if err != nil || got.DType != want.DType || len(got.Shape) != len(want.Shape) || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("raw %.20q: %s %v, %d bytes, %v", name, got.DType, got.Shape, len(got.Data), err)
		}
		if got := tr.RawSteps(name, record.Train, ""); !cmp.Equal(got, []int64{1}) {
			t.Errorf("raw steps of %.20q: %v", name, got)
		}
	}
	for _, q := range []struct {
		name string
		step int64
		mode record.Mode
	}{{"never stored", 1, record.Train}, {"a", 2, record.Train}, {"a", 1, record.Eval}} {
		if _, err := tr.Raw(q.name, q.mode, q.step, ""); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("raw %+v: %v", q, err)
		}
	}
	if info, err := os.Stat(filepath.Join(w.Path(), "tensors", "worker_0", "TRAIN", "1.safetensors")); err != nil || info.Size() != w.RawBytes() {
		t.Errorf("raw bytes %d, file %v, %v", w.RawBytes(), info, err)
	}
	r, err := w.RawStep("worker_0", record.Train, 2)
	ok(t, err)
	if err := r.Add("bad", tensor.View{DType: tensor.F32, Shape: []int64{2}, Data: make([]byte, 7)}); err == nil {
		t.Error("a tensor with too few bytes was taken")
	}
	ok(t, r.Commit())
	r.Abort()
	if list, _ := filepath.Glob(filepath.Join(w.Path(), "tensors", "*", "*", "*")); len(list) != 1 {
		t.Errorf("files of raw tensors: %v", list)
	}
	whole(t, tr)
	ok(t, w.Close())
}

// What is lent is stored as what is copied is: whether it stays until the end,
// is kept before that, is replaced, or is too much for the memory.
func TestRawLent(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	huge := pattern(130<<20, 5)
	views := map[string]tensor.View{"a": bytesView(pattern(300_000, 1)), "b": bytesView(pattern(5<<20, 2)), "none": bytesView(nil), "huge": bytesView(huge)}
	var content [][]byte
	for n, way := range []string{"copied", "lent", "kept", "mixed"} {
		r, err := w.RawStep("worker_0", record.Train, int64(n))
		ok(t, err)
		if way == "kept" {
			ok(t, r.Lend("a", bytesView([]byte("replaced later"))))
			ok(t, r.Keep())
		}
		for name, v := range views {
			if way == "copied" || way == "mixed" && name < "b" {
				ok(t, r.Add(name, v))
				continue
			}
			mine := bytesView(bytes.Clone(v.Data))
			ok(t, r.Lend(name, mine))
			if way == "kept" {
				ok(t, r.Keep())
				clear(mine.Data)
			}
		}
		ok(t, r.Commit())
		b, err := os.ReadFile(filepath.Join(w.Path(), "tensors", "worker_0", "TRAIN", fmt.Sprintf("%d.safetensors", n)))
		ok(t, err)
		if content = append(content, b); !bytes.Equal(b, content[0]) {
			t.Errorf("%s: %d bytes are not the %d that were copied", way, len(b), len(content[0]))
		}
	}
	whole(t, open(t, vfs.OS, w.Path()))
	ok(t, w.Close())
}

// advised notes of which files the system was told that nobody is about to read them.
type advised struct {
	vfs.FS
	files []string
}

func (a *advised) Uncache(name string) error {
	a.files = append(a.files, filepath.Base(name))
	return a.FS.Uncache(name)
}

func TestRawLetsGoOfTheCache(t *testing.T) {
	disk := &advised{FS: vfs.OS}
	w := create(t, disk, t.TempDir())
	data := pattern(50<<20, 1)
	for i := range int64(4) {
		save(t, w, "w", i, map[string]tensor.View{"a": bytesView(data)})
		s := step("w", i)
		s.Raw = []string{"a"}
		ok(t, w.Append("w", "", uint64(i), s))
	}
	if want := []string{"0.safetensors", "1.safetensors"}; !cmp.Equal(disk.files, want) {
		t.Errorf("let go of %v, want %v: the last 128 MB stay", disk.files, want)
	}
	tr := open(t, disk, w.Path())
	if got, err := tr.Raw("a", record.Train, 0, ""); err != nil || !bytes.Equal(got.Data, data) {
		t.Errorf("a file that was let go of: %d bytes, %v", len(got.Data), err)
	}
	ok(t, w.Close())
}

func TestRawStopsWhenTheDiskIsNearlyFull(t *testing.T) {
	disk := vfs.NewCrash(1)
	w := create(t, disk, "/root")
	disk.SetRoom(100 << 20) // of 1 GB
	save(t, w, "w", 1, map[string]tensor.View{"a": bytesView(pattern(10, 1))})
	disk.SetRoom(50 << 20)
	if _, err := w.RawStep("w", record.Train, 2); !errors.Is(err, store.ErrLowDisk) {
		t.Errorf("raw step with 5 %% of the disk free: %v", err)
	}
	for _, c := range []struct {
		share  float64
		bytes  int64
		stored bool
	}{{0.05, 0, false}, {0.04, 0, true}, {0, 51 << 20, false}, {0, 50 << 20, true}, {0, 0, false}} {
		w.LeaveFree(c.share, c.bytes)
		r, err := w.RawStep("w", record.Train, 2)
		if stored := err == nil; stored != c.stored {
			t.Errorf("raw step that leaves %g and %d bytes: %v", c.share, c.bytes, err)
		}
		if r != nil {
			r.Abort()
		}
	}
	disk.SetRoom(-1)
	r, err := w.RawStep("w", record.Train, 2)
	ok(t, err)
	ok(t, r.Add("a", bytesView(pattern(1000, 1))))
	disk.SetRoom(500)
	if err := r.Commit(); !errors.Is(err, store.ErrNoSpace) {
		t.Errorf("commit on a full disk: %v", err)
	}
	disk.SetRoom(-1)
	tr := open(t, disk, w.Path())
	if _, err := tr.Raw("a", record.Train, 2, "w"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was not committed: %v", err)
	}
	whole(t, tr)
	ok(t, w.Close())
}

// The oldest raw files of all runs go first, and no reader calls that damage.
func TestKeep(t *testing.T) {
	root := t.TempDir()
	other, err := store.Create(vfs.OS, root, "older", record.Run{Status: record.Running})
	ok(t, err)
	w := create(t, vfs.OS, root)
	ok(t, os.MkdirAll(filepath.Join(root, "no run", "tensors", "w", "TRAIN"), 0o755))
	foreign := filepath.Join(root, "no run", "tensors", "w", "TRAIN", "1.safetensors")
	ok(t, os.WriteFile(foreign, pattern(5000, 0), 0o644))
	age := func(w *store.Writer, step string, seconds int) {
		name := filepath.Join(w.Path(), "tensors", "w", "TRAIN", step+".safetensors")
		ok(t, os.Chtimes(name, start, start.Add(time.Duration(seconds)*time.Second)))
	}
	view := map[string]tensor.View{"a": bytesView(pattern(1000, 1))}
	for i, step := range []string{"1", "2", "3"} {
		save(t, other, "w", int64(i+1), view)
		age(other, step, i)
		save(t, w, "w", int64(i+1), view)
		age(w, step, 10+i)
	}
	size := w.RawBytes() / 3
	if n, err := w.Keep(store.Limit{Bytes: 6 * size}, start); n != 0 || err != nil {
		t.Errorf("keep all: %d, %v", n, err)
	}
	n, err := w.Keep(store.Limit{Bytes: 2 * size}, start)
	if n != 4*size || err != nil {
		t.Errorf("keep two: %d, %v", n, err)
	}
	if w.RawBytes() != 2*size {
		t.Errorf("raw bytes %d", w.RawBytes())
	}
	for _, w := range []*store.Writer{other, w} {
		tr := open(t, vfs.OS, w.Path())
		for i := range int64(3) {
			_, err := tr.Raw("a", record.Train, i+1, "w")
			kept := w.Path() != other.Path() && i > 0
			if kept != (err == nil) {
				t.Errorf("%s step %d: %v", w.Path(), i+1, err)
			}
		}
		whole(t, tr)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file of no run was touched: %v", err)
	}
	// The other run's writer goes on with its manifest.
	save(t, other, "w", 9, view)
	ok(t, other.Close())
	again, err := store.Resume(vfs.OS, other.Path())
	ok(t, err)
	if again.RawBytes() != size {
		t.Errorf("raw bytes after Resume: %d, want %d", again.RawBytes(), size)
	}
	ok(t, again.Close())
	ok(t, w.Close())
}

// Raw files that are too old go, and then the oldest until the rest fits.
// Series, findings and their evidence stay.
func TestKeepByAge(t *testing.T) {
	hours := func(n int) time.Duration { return time.Duration(n) * time.Hour }
	for _, c := range []struct {
		name  string
		files int64 // how many the bytes allow; 0: no bound
		age   time.Duration
		after time.Duration // since the first of the files, one an hour
		kept  []int64
	}{
		{"no limit", 0, 0, hours(1000), []int64{1, 2, 3, 4}},
		{"all are young", 0, hours(5), hours(4), []int64{1, 2, 3, 4}},
		{"two are too old", 0, hours(2), hours(3) + time.Minute, []int64{3, 4}},
		{"exactly as old as allowed", 0, hours(3), hours(3), []int64{1, 2, 3, 4}},
		{"all are too old", 0, hours(1), hours(1000), nil},
		{"age bites first", 3, hours(1), hours(3) + time.Minute, []int64{4}},
		{"size bites first", 1, hours(2), hours(3) + time.Minute, []int64{4}},
		{"from the future", 0, hours(1), hours(-1000), []int64{1, 2, 3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := create(t, vfs.OS, t.TempDir())
			var size int64
			for i := int64(1); i <= 4; i++ {
				save(t, w, "w", i, map[string]tensor.View{"a": bytesView(pattern(1000, 1))})
				name := filepath.Join(w.Path(), "tensors", "w", "TRAIN", fmt.Sprint(i, ".safetensors"))
				at := start.Add(hours(int(i - 1)))
				ok(t, os.Chtimes(name, at, at))
				ok(t, w.Append("w", "", 0, &record.Step{Worker: "w", Step: i, ModeStep: i, Raw: []string{"a"}}))
				size = w.RawBytes() / i
			}
			ok(t, w.Finding(record.Finding{Rule: "r", Configuration: "r", Step: 1, Context: map[string]any{"seen": "evidence"}}))
			limit := store.Limit{Bytes: c.files * size, Age: c.age}
			for range 2 { // nothing more is found the second time
				_, err := w.Keep(limit, start.Add(c.after))
				ok(t, err)
			}
			tr := open(t, vfs.OS, w.Path())
			var kept []int64
			for i := int64(1); i <= 4; i++ {
				if _, err := tr.Raw("a", record.Train, i, "w"); err == nil {
					kept = append(kept, i)
				}
			}
			if !slices.Equal(kept, c.kept) || w.RawBytes() != int64(len(c.kept))*size {
				t.Errorf("kept %v, %d bytes; want %v", kept, w.RawBytes(), c.kept)
			}
			if n, f := len(tr.Steps(record.Train)), tr.Findings(); n != 4 || len(f) != 1 || f[0].Context["seen"] != "evidence" {
				t.Errorf("%d steps and the findings %v are left, want 4 and one with its evidence", n, f)
			}
			whole(t, tr)
			ok(t, w.Close())
		})
	}
}

// A file that was young at the last look is found when it has become too old.
func TestKeepLooksAgain(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	save(t, w, "w", 1, map[string]tensor.View{"a": bytesView(pattern(1000, 1))})
	name := filepath.Join(w.Path(), "tensors", "w", "TRAIN", "1.safetensors")
	ok(t, os.Chtimes(name, start, start))
	for _, c := range []struct {
		minutes int
		left    bool
	}{{1, true}, {59, true}, {61, false}} {
		_, err := w.Keep(store.Limit{Age: time.Hour}, start.Add(time.Duration(c.minutes)*time.Minute))
		ok(t, err)
		if left := w.RawBytes() > 0; left != c.left {
			t.Errorf("after %d minutes the file is there: %v", c.minutes, left)
		}
	}
	ok(t, w.Close())
}

// Reading one tensor of a large file does not read the others.
func TestRawReadsWhatIsAsked(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	save(t, w, "w", 1, map[string]tensor.View{"small": bytesView(pattern(10, 1)), "large": bytesView(pattern(8<<20, 2))})
	ok(t, w.Append("w", "", 0, &record.Step{Worker: "w", Step: 1, ModeStep: 1, Raw: []string{"small"}}))
	counted := &countingFS{FS: vfs.OS}
	tr := open(t, counted, w.Path())
	counted.n = 0
	if _, err := tr.Raw("small", record.Train, 1, "w"); err != nil {
		t.Fatal(err)
	}
	if counted.n > 1<<20 {
		t.Errorf("%d bytes were read for a tensor of 10", counted.n)
	}
	ok(t, w.Close())
}

// countingFS counts the bytes that are read.
type countingFS struct {
	vfs.FS
	n int64
}

type countingFile struct {
	vfs.File
	fs *countingFS
}

func (c *countingFS) Open(name string) (vfs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &countingFile{f, c}, nil
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.fs.n += int64(n)
	return n, err
}

func TestCreateAndClose(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	ok(t, w.Close())
	if err := w.Append("w", "", 0, step("w", 1)); !errors.Is(err, store.ErrClosed) {
		t.Errorf("append after Close: %v", err)
	}
	if err := w.UpdateRun(func(r *record.Run) { r.Status = record.Failed }); err != nil {
		t.Errorf("update run after Close: %v", err)
	}
	ok(t, w.Close())
	if got := open(t, vfs.OS, w.Path()).Run().Status; got != record.Failed {
		t.Errorf("status %q", got)
	}
	if _, err := store.Create(vfs.OS, filepath.Dir(w.Path()), "run", record.Run{}); !errors.Is(err, store.ErrExists) {
		t.Errorf("create a run that exists: %v", err)
	}
	for _, name := range []string{"", ".", "..", "a/b", "a\\b"} {
		if _, err := store.Create(vfs.OS, t.TempDir(), name, record.Run{}); err == nil {
			t.Errorf("a run was called %q", name)
		}
	}
}

// A part of a tensor costs what is asked of it; others read meanwhile, and what is
// damaged next to it does no harm.
func TestRawPart(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	huge := pattern(40<<20, 3)
	save(t, w, "worker_1", 1, map[string]tensor.View{"huge": bytesView(huge), "small": bytesView([]byte("abc"))})
	s := step("worker_1", 1)
	s.Raw = []string{"huge", "small"}
	ok(t, w.Append("worker_1", "", 0, s))
	ok(t, w.Close())
	file := filepath.Join(w.Path(), "tensors", "worker_1", "TRAIN", "1.safetensors")
	b, err := os.ReadFile(file)
	ok(t, err)
	b[30<<20] ^= 1
	ok(t, os.WriteFile(file, b, 0o644))

	tr := open(t, vfs.OS, w.Path())
	read := func(name, worker string, off, n int64) ([]byte, error) {
		p := make([]byte, n)
		return p, tr.RawPart(name, record.Train, 1, worker, func(part source.RawPart) error {
			if _, err := tr.Raw("small", record.Train, 1, ""); err != nil {
				t.Errorf("another read meanwhile: %v", err)
			}
			if part.Block < 64<<10 || part.DType != tensor.U8 {
				t.Errorf("blocks of %d bytes, elements of %s", part.Block, part.DType)
			}
			_, err := part.Bytes.ReadAt(p, off)
			return err
		})
	}
	if p, err := read("huge", "", 20<<20, 5000); err != nil || !bytes.Equal(p, huge[20<<20:][:5000]) {
		t.Errorf("a part: %v", err)
	}
	if _, err := read("huge", "", 40<<20, 1); !errors.Is(err, io.EOF) {
		t.Errorf("beyond the end: %v", err)
	}
	for name, worker := range map[string]string{"none": "", "huge": "worker_0"} {
		if _, err := read(name, worker, 0, 1); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of %q: %v", name, worker, err)
		}
	}
	if d := tr.Damage(); len(d) > 0 {
		t.Errorf("damage where none was read: %v", d)
	}
	if _, err := read("huge", "", 30<<20, 5000); err == nil {
		t.Error("damaged bytes were handed out")
	}
	if d := tr.Damage(); len(d) != 1 {
		t.Errorf("damage: %v", d)
	}
}
