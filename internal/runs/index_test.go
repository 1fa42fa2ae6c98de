package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

var dead = record.Finding{Rule: "dead_relu", Configuration: "dead_relu", Check: "dead", Severity: record.Error, Time: began}
var slow = record.Finding{Rule: "slow_training", Configuration: "slow_training", Check: "data", Severity: record.Warning, Time: began.Add(1)}
var muted = record.Finding{Rule: "overfit", Configuration: "overfit", Check: "gap", Severity: record.Warning, Time: began.Add(2), Muted: true}

// A row says what the list of runs shows.
func TestRow(t *testing.T) {
	root := t.TempDir()
	w := write(t, root, "first", made{steps: 10, found: []record.Finding{dead, slow, muted}})
	ok(t, store.WriteLabels(vfs.OS, w.Path(), record.Labels{Tags: map[string]string{"lr": "0.1"}, Note: "a note"}))
	rows := all(t, index(t, vfs.OS, root))
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	b, err := json.MarshalIndent(rows[0], "", " ")
	ok(t, err)
	var got map[string]any
	ok(t, json.Unmarshal(b, &got))
	want := map[string]string{
		"name": `"first"`, "status": `"completed"`, "duration": "60", "host": `"workstation"`, "tags": `{"lr":"0.1"}`, "note": `"a note"`,
		"steps": `{"TRAIN":10}`, "findings": `{"error":1,"info":0,"warning":1}`, "roots": `{"error":1,"info":0,"warning":0}`, "symptoms": "2",
		"found":      `[{"check":"dead","count":1,"root":true,"rule":"dead_relu","severity":"error"},{"check":"data","count":1,"rule":"slow_training","severity":"warning"}]`,
		"progress":   `{"fraction":0.5,"of":20,"step":10}`,
		"machine":    `{"cpus":8,"gpus":["NVIDIA H100"],"memory_bytes":64000000000}`,
		"lost_share": "0.4", "archived": "false", "live": "false", "damaged": `""`,
		"parameters": `{"batch size":"64","lr":"0.1","optimiser":"SGD","optimiser lr":"0.1"}`,
		"losses":     `[{"last":0.2,"min":0.2,"min_step":9,"mode":"TRAIN","name":"loss","steps":[0,1,2,3,4,5,6,7,8,9],"values":[2,1,0.666667,"NaN",0.4,0.333333,0.285714,0.25,0.222222,0.2]}]`,
		"values": `{"accuracy":{"best":0.9,"better":"more","last":0.9,"last_step":9,"max":0.9,"max_step":9,"min":0,"min_step":0,"mode":"TRAIN"},` +
			`"loss":{"best":0.2,"better":"less","last":0.2,"last_step":9,"max":2,"max_step":0,"min":0.2,"min_step":9,"mode":"TRAIN"},` +
			`"temperature":{"last":9,"last_step":9,"max":9,"max_step":9,"min":0,"min_step":0,"mode":"TRAIN"}}`,
	}
	for key, value := range want {
		text, err := json.Marshal(got[key])
		ok(t, err)
		if string(text) != value {
			t.Errorf("%s is\n%s, want\n%s", key, text, value)
		}
	}
	if basic, err := json.Marshal(rows[0].Basic()); err != nil || bytes.Contains(basic, []byte(`"values"`)) || !bytes.Contains(basic, []byte(`"found"`)) {
		t.Errorf("the basic row is %s, %v", basic, err)
	}
	if d, err := rows[0].Details(); err != nil || d.Values["accuracy"].Best == nil || *d.Values["accuracy"].Best != 0.9 {
		t.Errorf("the details are %+v, %v", d, err)
	}
}

// The rows agree with `vigil ls`.
func TestRowsAreThoseOfList(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a", made{steps: 3})
	write(t, root, "b", made{steps: 2, at: time.Hour, found: []record.Finding{dead, muted}})
	write(t, root, "c", made{steps: 1, at: time.Minute, running: true})
	write(t, root, "spoilt", made{steps: 1, at: -time.Hour})
	ok(t, os.WriteFile(filepath.Join(root, "spoilt", "run.json"), []byte("{"), 0o644))
	ok(t, os.WriteFile(filepath.Join(root, "a file"), nil, 0o644))
	ok(t, os.Mkdir(filepath.Join(root, "no run"), 0o755))
	list, err := trial.List(root)
	ok(t, err)
	for _, state := range []string{"first", "from the index"} {
		rows := all(t, runs.Open(vfs.OS, root, runs.Options{}))
		if len(rows) != len(list) {
			t.Fatalf("%s: rows %v, want %d", state, names(rows), len(list))
		}
		for i, e := range list {
			r := rows[i]
			if r.Name != e.Run.Name || r.Status != e.Run.Status || !r.Started.Equal(e.Run.Started) || r.Path != e.Path || !cmp.Equal(r.Steps, e.Run.Steps) && len(r.Steps) > 0 {
				t.Errorf("%s: row %+v of run %+v", state, r, e.Run)
			}
			for s, n := range e.Findings {
				if r.Findings[string(s)] != n {
					t.Errorf("%s: %s has %d findings of %s, want %d", state, r.Name, r.Findings[string(s)], s, n)
				}
			}
		}
		age(t, root)
		x := runs.Open(vfs.OS, root, runs.Options{})
		all(t, x)
		ok(t, x.Close())
	}
}

// What changed of a run is seen, whatever the index says.
func TestChanges(t *testing.T) {
	finding := func(t *testing.T, root string) {
		w, err := store.Resume(vfs.OS, filepath.Join(root, "b"))
		ok(t, err)
		ok(t, w.Finding(dead))
		ok(t, w.Summary([]record.Group{{Root: dead}}))
		ok(t, w.Close())
	}
	for _, test := range []struct {
		what   string
		change func(t *testing.T, root string)
		rows   []string // that changed
		gone   []string
		check  func(r runs.Row) bool
	}{
		{"nothing", func(*testing.T, string) {}, nil, nil, nil},
		{"a tag", func(t *testing.T, root string) {
			ok(t, store.WriteLabels(vfs.OS, filepath.Join(root, "a"), record.Labels{Tags: map[string]string{"k": "v"}}))
		}, []string{"a"}, nil, func(r runs.Row) bool { return r.Tags["k"] == "v" }},
		{"a finding", finding, []string{"b"}, nil, func(r runs.Row) bool { return r.Findings["error"] == 1 && r.Roots["error"] == 1 }},
		{"a run goes", func(t *testing.T, root string) { ok(t, os.RemoveAll(filepath.Join(root, "a"))) }, nil, []string{"a"}, nil},
		{"a run goes half", func(t *testing.T, root string) {
			for _, name := range []string{"run.json", "manifest.jsonl"} {
				ok(t, os.Remove(filepath.Join(root, "a", name)))
			}
		}, nil, []string{"a"}, nil},
		{"a run comes", func(t *testing.T, root string) { write(t, root, "new", made{steps: 1}) }, []string{"new"}, nil, nil},
		{"a run is replaced", func(t *testing.T, root string) {
			ok(t, os.RemoveAll(filepath.Join(root, "a")))
			write(t, root, "a", made{steps: 7})
		}, []string{"a"}, nil, func(r runs.Row) bool { return r.Steps["TRAIN"] == 7 }},
	} {
		t.Run(test.what, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "a", made{steps: 3})
			write(t, root, "b", made{steps: 3})
			age(t, root)
			x := index(t, vfs.OS, root)
			all(t, x)
			before, err := x.List()
			ok(t, err)
			test.change(t, root)
			c, err := x.Changes(before.Version)
			ok(t, err)
			if !slices.Equal(names(c.Rows), append([]string{}, test.rows...)) || !slices.Equal(c.Gone, test.gone) || c.All {
				t.Errorf("changed %v, gone %v, all %t", names(c.Rows), c.Gone, c.All)
			}
			if test.check != nil && (len(c.Rows) != 1 || !test.check(c.Rows[0])) {
				t.Errorf("rows %+v", c.Rows)
			}
			if again, err := x.Changes(c.Version); err != nil || len(again.Rows)+len(again.Gone) != 0 {
				t.Errorf("then %v, %v", again, err)
			}
			// A later process sees the same.
			ok(t, x.Close())
			l, err := x.List()
			ok(t, err)
			if later := all(t, index(t, vfs.OS, root)); !slices.Equal(names(later), names(l.Rows)) {
				t.Errorf("later %v, want %v", names(later), names(l.Rows))
			}
		})
	}
}

// A row is read again only when files of its run are not what they were.
func TestRowIsReadOnce(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a", made{steps: 3})
	age(t, root)
	var opened atomic.Int32
	x := index(t, vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen {
			opened.Add(1)
		}
		return nil
	}), root)
	for _, test := range []struct {
		what   string
		change func()
		read   bool
		note   string
	}{
		{"at first", func() {}, true, ""},
		{"then", func() {}, false, ""},
		{"with a note", func() { ok(t, store.WriteLabels(vfs.OS, filepath.Join(root, "a"), record.Labels{Note: "a note"})) }, true, "a note"},
		{"when the note is so new that a later one could look the same", func() {}, true, "a note"},
		{"long after", func() { age(t, root) }, true, "a note"},
		{"then again", func() {}, false, "a note"},
	} {
		test.change()
		opened.Store(0)
		row, err := x.Row("a")
		if err != nil || row.Note != test.note || row.Duration == nil || (opened.Load() > 0) != test.read {
			t.Errorf("%s: %d files were opened, note %q, %v", test.what, opened.Load(), row.Note, err)
		}
	}
}

// A run that goes on is seen to grow and to end.
func TestRunning(t *testing.T) {
	root := t.TempDir()
	m := made{running: true, steps: 3}
	w := write(t, root, "a", m)
	x := index(t, vfs.OS, root)
	value := func() (string, int64, float64) {
		r := all(t, x)[0]
		d, err := r.Details()
		ok(t, err)
		return r.Status, r.Progress.Step, float64(d.Values["temperature"].Last)
	}
	for to := 4; to < 9; to++ {
		if status, step, last := value(); status != record.Running || step != int64(to-1) || last != float64(to-2) {
			t.Errorf("%s, step %d, %v", status, step, last)
		}
		grow(t, w, m, to-1, to)
	}
	end(t, w, began.Add(time.Minute))
	if status, step, last := value(); status != record.Completed || step != 8 || last != 7 {
		t.Errorf("at its end: %s, step %d, %v", status, step, last)
	}
}

// The values of a run that goes on are read less often where that takes long; all else
// of it, and its end, are always up to date.
func TestRunningTakesItsShare(t *testing.T) {
	root := t.TempDir()
	m := made{running: true, steps: 3}
	w := write(t, root, "a", m)
	now := time.Now()
	x := runs.Open(vfs.OS, root, runs.Options{Fresh: time.Nanosecond, Share: 1e-10, Now: func() time.Time { now = now.Add(time.Millisecond); return now }})
	look := func() (steps int64, last float64) {
		r := all(t, x)[0]
		d, err := r.Details()
		ok(t, err)
		return r.Steps["TRAIN"], float64(d.Values["temperature"].Last)
	}
	for _, test := range []struct {
		what  string
		do    func()
		steps int64
		last  float64
	}{
		{"at first", func() {}, 3, 2},
		{"soon after", func() { grow(t, w, m, 3, 6) }, 6, 2},
		{"then", func() { grow(t, w, m, 6, 7) }, 7, 2},
		{"long after, though nothing more came", func() { now = now.Add(200 * 365 * 24 * time.Hour) }, 7, 6},
		{"and then again", func() { grow(t, w, m, 7, 8) }, 8, 6},
		{"at its end", func() { end(t, w, began.Add(time.Minute)) }, 8, 7},
	} {
		test.do()
		if steps, last := look(); steps != test.steps || last != test.last {
			t.Errorf("%s: %d steps, last value %v", test.what, steps, last)
		}
	}
	ok(t, x.Close())
}

// counting counts what is opened of runs.
type counting struct {
	vfs.FS
	mu    sync.Mutex
	opens []string
}

func (c *counting) Open(name string) (vfs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if filepath.Base(filepath.Dir(name)) != runs.Dir {
		c.opens = append(c.opens, name)
	}
	return c.FS.Open(name)
}

// Of runs that have ended nothing is read again, not even by another process; and
// whatever was done to the index, the rows are right.
func TestIndexFile(t *testing.T) {
	edit := func(change func(b []byte) []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			ok(t, err)
			ok(t, os.WriteFile(path, change(b), 0o644))
		}
	}
	for _, test := range []struct {
		what   string
		change func(t *testing.T, path string)
		read   int // runs that are read again
	}{
		{"untouched", func(*testing.T, string) {}, 0},
		{"removed", func(t *testing.T, path string) { ok(t, os.Remove(path)) }, 4},
		{"empty", edit(func([]byte) []byte { return nil }), 4},
		{"cut off in the middle", edit(func(b []byte) []byte { return b[:len(b)/2] }), 3},
		{"a byte of the first row is another", edit(func(b []byte) []byte { b[bytes.IndexByte(b, '\n')+40] ^= 4; return b }), 1},
		{"a byte of the last line is another", edit(func(b []byte) []byte { b[len(b)-40] ^= 4; return b }), 1},
		{"of another format", edit(func(b []byte) []byte { return bytes.Replace(b, []byte(`"format":3`), []byte(`"format":1`), 1) }), 4},
		{"something else", edit(func([]byte) []byte { return []byte("\x00\x01[]\n{}\n") }), 4},
		{"a folder", func(t *testing.T, path string) { ok(t, os.Remove(path)); ok(t, os.Mkdir(path, 0o755)) }, 4},
		{"without its folder", func(t *testing.T, path string) { ok(t, os.RemoveAll(filepath.Dir(path))) }, 4},
	} {
		t.Run(test.what, func(t *testing.T) {
			root := t.TempDir()
			for i, name := range []string{"a", "b", "c", "d"} {
				write(t, root, name, made{steps: 3, at: time.Duration(i) * time.Hour})
			}
			age(t, root)
			first := runs.Open(vfs.OS, root, runs.Options{})
			want, err := json.Marshal(all(t, first))
			ok(t, err)
			ok(t, first.Close())
			test.change(t, filepath.Join(root, runs.Dir, "index.jsonl"))
			fsys := &counting{FS: vfs.OS}
			x := index(t, fsys, root)
			got, err := json.Marshal(all(t, x))
			ok(t, err)
			if !bytes.Equal(got, want) {
				t.Errorf("rows\n%s, want\n%s", got, want)
			}
			read := map[string]bool{}
			for _, name := range fsys.opens {
				read[strings.Split(strings.TrimPrefix(name, root+"/"), "/")[0]] = true
			}
			if len(read) != test.read {
				t.Errorf("read %v again, want %d", read, test.read)
			}
		})
	}
}

// Without room for the index, or the right to write it, the list is the same.
func TestUnwritable(t *testing.T) {
	for _, kind := range []vfs.OpKind{vfs.OpMkdir, vfs.OpCreate, vfs.OpWrite, vfs.OpRename} {
		t.Run(string(kind), func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "a", made{steps: 3})
			age(t, root)
			fsys := vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
				if op.Kind == kind {
					return fs.ErrPermission
				}
				return nil
			})
			x := runs.Open(fsys, root, runs.Options{Fresh: time.Nanosecond})
			for range 2 {
				if rows := all(t, x); len(rows) != 1 || rows[0].Steps["TRAIN"] != 3 {
					t.Errorf("rows %v", rows)
				}
			}
			ok(t, x.Close())
			left, err := filepath.Glob(filepath.Join(root, runs.Dir, "*"))
			ok(t, err)
			if len(left) != 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// A root may come later, and be no directory.
func TestRoots(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	x := index(t, vfs.OS, root)
	if rows := all(t, x); len(rows) != 0 {
		t.Errorf("rows %v", rows)
	}
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the root was made: %v", err)
	}
	write(t, root, "a", made{steps: 1})
	if rows := all(t, x); len(rows) != 1 {
		t.Errorf("rows %v", rows)
	}
	ok(t, os.RemoveAll(root))
	if rows := all(t, x); len(rows) != 0 {
		t.Errorf("rows %v", rows)
	}
	ok(t, os.WriteFile(root, nil, 0o644))
	if _, err := x.List(); err == nil {
		t.Error("a file was listed")
	}
}

// Links lead to runs inside of the root only, and the folder of the index must be one.
func TestLinks(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	write(t, root, "a", made{steps: 1})
	write(t, other, "away", made{steps: 1})
	for name, target := range map[string]string{"inside": filepath.Join(root, "a"), "outside": filepath.Join(other, "away"), "up": "..", "nowhere": "missing", runs.Dir: other} {
		ok(t, os.Symlink(target, filepath.Join(root, name)))
	}
	x := index(t, vfs.OS, root)
	if got := names(all(t, x)); !slices.Equal(got, []string{"a", "inside"}) {
		t.Errorf("runs %v", got)
	}
	for _, name := range []string{"outside", "..", ".", "", "a/..", "../" + filepath.Base(other) + "/away", runs.Dir, "nowhere", "a\x00"} {
		if _, err := x.Row(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("run %q: %v", name, err)
		}
	}
	if _, err := x.Row("a"); err != nil {
		t.Error(err)
	}
	ok(t, x.Close())
	if left, err := filepath.Glob(filepath.Join(other, "index*")); err != nil || len(left) != 0 {
		t.Errorf("written outside of the root: %v, %v", left, err)
	}
}

// The first listing gives what is ready and says how much is not.
func TestBuilding(t *testing.T) {
	root := t.TempDir()
	for i := range 12 {
		write(t, root, string(rune('a'+i)), made{steps: 1, at: time.Duration(i) * time.Minute})
	}
	x := runs.Open(vfs.OS, root, runs.Options{Fresh: time.Nanosecond, Patience: time.Nanosecond})
	l, err := x.List()
	ok(t, err)
	if b := l.Building; b == nil || b.Of != 12 || b.Done+len(l.Rows) > 24 {
		t.Errorf("building %+v with %d rows", b, len(l.Rows))
	}
	if rows := all(t, x); len(rows) != 12 || rows[0].Name != "l" {
		t.Errorf("rows %v", names(rows))
	}
	ok(t, x.Close())
}

// Several indexes of one root, runs that come and go, and readers of all kinds.
func TestTogether(t *testing.T) {
	root := t.TempDir()
	for i := range 4 {
		write(t, root, string(rune('a'+i)), made{steps: 2})
	}
	age(t, root)
	var wait sync.WaitGroup
	for range 3 {
		x := runs.Open(vfs.OS, root, runs.Options{Fresh: time.Nanosecond, Patience: time.Nanosecond})
		for _, use := range []func(){
			func() { _, _ = x.List() },
			func() { _, _ = x.Changes(1) },
			func() { _, _ = x.Row("a") },
		} {
			wait.Go(func() {
				for range 20 {
					use()
				}
			})
		}
		wait.Go(func() {
			if rows, err := x.All(context.Background()); err != nil || len(rows.Rows) < 4 {
				t.Errorf("rows %v, %v", rows, err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Go(func() {
		for range 5 {
			w := write(t, root, "z", made{steps: 1})
			if err := os.RemoveAll(w.Path()); err != nil {
				t.Error(err)
			}
		}
	})
	wait.Wait()
	if rows := all(t, index(t, vfs.OS, root)); !slices.Equal(names(rows), []string{"a", "b", "c", "d"}) {
		t.Errorf("rows %v", names(rows))
	}
}
