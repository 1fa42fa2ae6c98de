package runs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/vfs"
)

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	ok(t, err)
	return string(b)
}

const nothingSet = `{"archived":[],"pinned":{},"colours":{},"styles":{}}`

// A change is merged into what is set; all others read it.
func TestSettings(t *testing.T) {
	for _, test := range []struct {
		what    string
		changes []string
		want    string // "" refused
	}{
		{"nothing", nil, nothingSet},
		{"an empty change", []string{`{}`}, nothingSet},
		{"runs are archived one after the other", []string{`{"archived":{"b":true}}`, `{"archived":{"a":true}}`}, `{"archived":["a","b"],"pinned":{},"colours":{},"styles":{}}`},
		{"one comes back", []string{`{"archived":{"b":true,"a":true}}`, `{"archived":{"b":null}}`}, `{"archived":["a"],"pinned":{},"colours":{},"styles":{}}`},
		{"a list replaces what is archived", []string{`{"archived":{"b":true}}`, `{"archived":["c"]}`}, `{"archived":["c"],"pinned":{},"colours":{},"styles":{}}`},
		{"none is archived", []string{`{"archived":{"b":true}}`, `{"archived":null}`}, nothingSet},
		{"colours", []string{`{"colours":{"a":"#112233","b":"blue"}}`, `{"colours":{"a":null}}`}, `{"archived":[],"pinned":{},"colours":{"b":"blue"},"styles":{}}`},
		{"charts", []string{`{"pinned":{"a":["loss||TRAIN|",{"pattern":"acc"}]}}`, `{"pinned":{"a":["x"],"b":[]}}`}, `{"archived":[],"pinned":{"a":["x"],"b":[]},"colours":{},"styles":{}}`},
		{"styles", []string{`{"styles":{"by":"tag:model","dash":{"a":1}}}`, `{"styles":{"dash":null}}`}, `{"archived":[],"pinned":{},"colours":{},"styles":{"by":"tag:model"}}`},
		{"an unknown member", []string{`{"colour":{}}`}, ""},
		{"no object", []string{`[]`}, ""},
		{"null", []string{`null`}, ""},
		{"no JSON", []string{`{`}, ""},
		{"colours that are none", []string{`{"colours":{"a":1}}`}, ""},
		{"archived that is none", []string{`{"archived":{"a":"yes"}}`}, ""},
		{"too much", []string{`{"colours":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`}, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			root := t.TempDir()
			u, other := runs.OpenUI(vfs.OS, root), runs.OpenUI(vfs.OS, root)
			for _, change := range test.changes {
				s, err := u.Change([]byte(change))
				if test.want == "" {
					var refused *runs.Refused
					if !errors.As(err, &refused) {
						t.Fatalf("set %v, %v", s, err)
					}
					if got := text(t, other.Settings()); got != nothingSet {
						t.Errorf("a refused change left %s", got)
					}
					return
				}
				ok(t, err)
			}
			if persisted, why := u.Persisted(); !persisted {
				t.Error(why)
			}
			for name, u := range map[string]*runs.UI{"it": u, "another": other, "a later one": runs.OpenUI(vfs.OS, root)} {
				if got := text(t, u.Settings()); got != test.want {
					t.Errorf("%s has %s, want %s", name, got, test.want)
				}
			}
		})
	}
}

// ui.json is as docs/formats/dashboard.md describes it.
func TestSettingsFile(t *testing.T) {
	root := t.TempDir()
	_, err := runs.OpenUI(vfs.OS, root).Change([]byte(`{"archived":{"a":true},"colours":{"b":"#0072b2"}}`))
	ok(t, err)
	b, err := os.ReadFile(filepath.Join(root, ".vigil", "ui.json"))
	ok(t, err)
	const want = `{
  "archived": {
    "a": true
  },
  "colours": {
    "b": "#0072b2"
  },
  "format": 1,
  "crc": "46b685db"
}
`
	if string(b) != want {
		t.Errorf("ui.json is\n%s", b)
	}
	for what, content := range map[string][]byte{"damaged": append([]byte("x"), b...), "cut off": b[:40], "empty": nil, "no object": []byte("[]")} {
		ok(t, os.WriteFile(filepath.Join(root, ".vigil", "ui.json"), content, 0o644))
		u := runs.OpenUI(vfs.OS, root)
		if got := text(t, u.Settings()); got != nothingSet {
			t.Errorf("%s: %s", what, got)
		}
		if _, err := u.Change([]byte(`{"archived":{"z":true}}`)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := runs.OpenUI(vfs.OS, root).Settings().Archived; len(got) != 1 || got[0] != "z" {
			t.Errorf("%s, then changed: %v", what, got)
		}
	}
}

// Servers of one root do not undo what the other one sets.
func TestSettingsTogether(t *testing.T) {
	root := t.TempDir()
	var wait sync.WaitGroup
	const servers, changes = 4, 20
	for s := range servers {
		u := runs.OpenUI(vfs.OS, root)
		for range 2 {
			wait.Go(func() { _ = u.Settings(); _ = u.Views() })
		}
		wait.Go(func() {
			for i := range changes {
				if _, err := u.Change(fmt.Appendf(nil, `{"archived":{"run-%d-%d":true}}`, s, i)); err != nil {
					t.Error(err)
				}
				if err := u.PutView(fmt.Sprintf("view %d", i%3), json.RawMessage(`{}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	u := runs.OpenUI(vfs.OS, root)
	if n := len(u.Settings().Archived); n != servers*changes {
		t.Errorf("%d runs are archived, want %d", n, servers*changes)
	}
	if n := len(u.Views()); n != 3 {
		t.Errorf("%d views", n)
	}
}

// A view is a file; its name is any text that can be read, and never a path.
func TestViews(t *testing.T) {
	root := t.TempDir()
	u := runs.OpenUI(vfs.OS, root)
	if views := u.Views(); len(views) != 0 {
		t.Errorf("views %v", views)
	}
	kept := []string{"../../up", "a/b", "Lernrate ✓", strings.Repeat("ä", 80), "con", "x.json"}
	for _, name := range kept {
		ok(t, u.PutView(name, json.RawMessage(`{"columns":["name"]}`)))
	}
	ok(t, u.PutView("a/b", json.RawMessage(`{"sort":"-loss"}`)))
	var got []string
	for _, v := range runs.OpenUI(vfs.OS, root).Views() {
		got = append(got, v.Name)
		if v.Name == "a/b" && string(v.View) != `{"sort":"-loss"}` {
			t.Errorf("view %q is %s", v.Name, v.View)
		}
	}
	if len(got) != len(kept) {
		t.Errorf("views %q", got)
	}
	files, err := os.ReadDir(filepath.Join(root, ".vigil", "views"))
	ok(t, err)
	if len(files) != len(kept) {
		t.Errorf("files %v", files)
	}
	for _, name := range []string{"", " a", "a ", "a\nb", "\x00", "\u202eabc", strings.Repeat("a", 81), "\xff"} {
		var refused *runs.Refused
		if err := u.PutView(name, json.RawMessage(`{}`)); !errors.As(err, &refused) {
			t.Errorf("view %q: %v", name, err)
		}
	}
	for _, view := range []string{"[]", "null", "1", "", `{"a":"` + strings.Repeat("x", 64<<10) + `"}`} {
		var refused *runs.Refused
		if err := u.PutView("v", json.RawMessage(view)); !errors.As(err, &refused) {
			t.Errorf("view %.20q: %v", view, err)
		}
	}
	ok(t, os.WriteFile(filepath.Join(root, ".vigil", "views", "con.json"), []byte("{"), 0o644))
	ok(t, u.RemoveView("a/b"))
	if err := u.RemoveView("a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v", err)
	}
	if n := len(u.Views()); n != len(kept)-2 {
		t.Errorf("%d views are left", n)
	}
	ok(t, u.RemoveView("con")) // a damaged one goes, too
}

// Where nothing can be written, what is set stays until the end, and why is said.
func TestSettingsUnwritable(t *testing.T) {
	for _, kind := range []vfs.OpKind{vfs.OpMkdir, vfs.OpAppend, vfs.OpCreate, vfs.OpSync, vfs.OpRename} {
		t.Run(string(kind), func(t *testing.T) {
			root, failing := t.TempDir(), false
			fsys := vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
				if failing && op.Kind == kind {
					return fs.ErrPermission
				}
				return nil
			})
			if kind != vfs.OpMkdir && kind != vfs.OpAppend {
				_, err := runs.OpenUI(fsys, root).Change([]byte(`{"archived":{"before":true}}`))
				ok(t, err)
			}
			before := runs.OpenUI(vfs.OS, root).Settings()
			failing = true
			u := runs.OpenUI(fsys, root)
			s, err := u.Change([]byte(`{"archived":{"now":true}}`))
			ok(t, err)
			ok(t, u.PutView("v", json.RawMessage(`{}`)))
			if len(s.Archived) != len(before.Archived)+1 || text(t, u.Settings()) != text(t, s) || len(u.Views()) != 1 {
				t.Errorf("set %v, then %v, views %v", s, u.Settings(), u.Views())
			}
			if persisted, why := u.Persisted(); persisted || !strings.Contains(why, "permission") {
				t.Errorf("persisted %t, %q", persisted, why)
			}
			if got := runs.OpenUI(vfs.OS, root).Settings(); text(t, got) != text(t, before) {
				t.Errorf("written: %v", got)
			}
			ok(t, u.RemoveView("v"))
			if err := u.RemoveView("v"); !errors.Is(err, fs.ErrNotExist) || len(u.Views()) != 0 {
				t.Errorf("removed twice: %v", err)
			}
			failing = false // room again
			_, err = u.Change([]byte(`{"colours":{"a":"red"}}`))
			ok(t, err)
			if got := runs.OpenUI(vfs.OS, root).Settings(); len(got.Archived) != len(s.Archived) || got.Colours["a"] != "red" {
				t.Errorf("at last %v", got)
			}
			if persisted, _ := u.Persisted(); !persisted {
				t.Error("it is written now")
			}
		})
	}
}

// The folder and what is in it do not lead out of the root.
func TestSettingsLinks(t *testing.T) {
	for _, link := range []string{".vigil", ".vigil/lock", ".vigil/views", ".vigil/ui.json"} {
		t.Run(link, func(t *testing.T) {
			root, other := t.TempDir(), t.TempDir()
			ok(t, os.MkdirAll(filepath.Dir(filepath.Join(root, link)), 0o755))
			ok(t, os.Symlink(filepath.Join(other, "target"), filepath.Join(root, link)))
			if link == ".vigil" || link == ".vigil/views" {
				ok(t, os.Mkdir(filepath.Join(other, "target"), 0o755))
			}
			u := runs.OpenUI(vfs.OS, root)
			_, err := u.Change([]byte(`{"archived":{"a":true}}`))
			ok(t, err)
			ok(t, u.PutView("v", json.RawMessage(`{}`)))
			if len(u.Settings().Archived) != 1 || len(u.Views()) != 1 {
				t.Errorf("set %v, %v", u.Settings(), u.Views())
			}
			ok(t, filepath.WalkDir(other, func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					t.Errorf("%s was written", path)
				}
				return err
			}))
		})
	}
}
