package vfs_test

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vigil-ml/vigil/internal/vfs"
)

// each runs a test on the host's file system and on the one in memory: both
// must keep the promises of FS.
func each(t *testing.T, run func(t *testing.T, fsys vfs.FS, dir string)) {
	t.Run("os", func(t *testing.T) { run(t, vfs.OS, t.TempDir()) })
	t.Run("crash", func(t *testing.T) {
		c := vfs.NewCrash(1)
		if err := c.MkdirAll("/a/b"); err != nil {
			t.Fatal(err)
		}
		run(t, c, "/a/b")
	})
}

func write(t *testing.T, fsys vfs.FS, name, text string, sync bool) {
	t.Helper()
	f, err := fsys.Append(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if sync {
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
}

func read(fsys vfs.FS, name string) string {
	f, err := fsys.Open(name)
	if err != nil {
		return "error: " + err.Error()
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(b)
}

func TestBothFileSystemsAgree(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		p := func(s string) string { return filepath.Join(dir, s) }
		write(t, fsys, p("x"), "one", false)
		write(t, fsys, p("x"), "two", true)
		if got := read(fsys, p("x")); got != "onetwo" {
			t.Errorf("after two appends the file holds %q", got)
		}
		if err := fsys.Rename(p("x"), p("y")); err != nil {
			t.Fatal(err)
		}
		if _, err := fsys.Stat(p("x")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("stat of a renamed file: %v", err)
		}
		f, err := fsys.Append(p("y"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(3); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("!")); err != nil {
			t.Fatal(err)
		}
		if n, err := f.Size(); n != 4 || err != nil {
			t.Errorf("size after truncation and append: %d, %v", n, err)
		}
		f.Close()
		if got := read(fsys, p("y")); got != "one!" {
			t.Errorf("after truncation the file holds %q", got)
		}
		if err := fsys.Uncache(p("y")); err != nil {
			t.Errorf("let go of a file in the cache: %v", err)
		}
		if got := read(fsys, p("y")); got != "one!" {
			t.Errorf("let go of, the file holds %q", got)
		}
		if err := fsys.Mkdir(p("d")); err != nil {
			t.Fatal(err)
		}
		if err := fsys.Mkdir(p("d")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("making a directory twice: %v", err)
		}
		if err := fsys.MkdirAll(p("d/e/f")); err != nil {
			t.Fatal(err)
		}
		if err := fsys.MkdirAll(p("y/z")); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("making a directory below a file: %v", err)
		}
		if err := fsys.Remove(p("d")); err == nil {
			t.Error("a directory that is not empty was removed")
		}
		list, err := fsys.List(dir)
		if err != nil || len(list) != 2 || list[0].Name() != "d" || !list[0].IsDir() || list[1].Name() != "y" {
			t.Errorf("list: %v, %v", list, err)
		}
		if _, err := fsys.Create(p(strings.Repeat("n", 300))); !errors.Is(err, syscall.ENAMETOOLONG) {
			t.Errorf("a name of 300 bytes: %v", err)
		}
		if u, err := fsys.Usage(dir); err != nil || u.Free <= 0 || u.Total < u.Free {
			t.Errorf("usage: %+v, %v", u, err)
		}
	})
}

// What was synced is there after every crash; what was not, only sometimes.
func TestCrashKeepsWhatWasSynced(t *testing.T) {
	c := vfs.NewCrash(7)
	if err := c.MkdirAll("/d"); err != nil {
		t.Fatal(err)
	}
	write(t, c, "/d/a", "safe", true)
	if err := c.SyncDir("/d"); err != nil {
		t.Fatal(err)
	}
	write(t, c, "/d/a", "later", false)
	write(t, c, "/d/b", "content", true)
	states := map[string]int{}
	for range 200 {
		k := c.CrashClone()
		a, b := read(k, "/d/a"), read(k, "/d/b")
		if !strings.HasPrefix(a, "safe") {
			t.Fatalf("synced bytes were lost: %q", a)
		}
		if b != "content" && !strings.HasPrefix(b, "error") {
			t.Fatalf("a file whose bytes were synced holds %q", b)
		}
		states[a+"|"+b[:1]]++
	}
	for _, want := range []string{"safe|c", "safe|e", "safelater|c", "safelater|e"} {
		if states[want] == 0 {
			t.Errorf("200 crashes never gave the state %q; they gave %v", want, states)
		}
	}
	if len(states) < 6 {
		t.Errorf("no torn write in 200 crashes: %v", states)
	}
	if got := read(c.KillClone(), "/d/a"); got != "safelater" {
		t.Errorf("after a kill the file holds %q", got)
	}
}

func TestCrashIsRepeatable(t *testing.T) {
	states := func() (out []string) {
		c := vfs.NewCrash(3)
		for i := range 20 {
			write(t, c, "/f", strings.Repeat("x", i*50), i%3 == 0)
			k := c.CrashClone()
			out = append(out, read(k, "/f"))
		}
		return out
	}
	a, b := states(), states()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("crash %d differs between two runs of the same seed", i)
		}
	}
}

func TestRenameIsAtomicInACrash(t *testing.T) {
	c := vfs.NewCrash(5)
	write(t, c, "/f", "old", true)
	if err := c.SyncDir("/"); err != nil {
		t.Fatal(err)
	}
	write(t, c, "/f.tmp", "new", true)
	if err := c.Rename("/f.tmp", "/f"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 100 {
		seen[read(c.CrashClone(), "/f")] = true
	}
	if !seen["old"] || !seen["new"] || len(seen) != 2 {
		t.Errorf("after a rename crashes gave %v", seen)
	}
}

func TestFullDisk(t *testing.T) {
	c := vfs.NewCrash(1)
	c.SetRoom(5)
	f, err := c.Create("/f")
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Write([]byte("12345678"))
	if n != 5 || !vfs.IsNoSpace(err) {
		t.Errorf("write on a full disk: %d, %v", n, err)
	}
}

func TestFaults(t *testing.T) {
	fsys := vfs.WithFaults(vfs.NewCrash(1), vfs.FailAt(2, syscall.EIO))
	f, err := fsys.Create("/f")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("abcd")); n != 2 || !errors.Is(err, syscall.EIO) {
		t.Errorf("failing write: %d, %v", n, err)
	}
	if n, err := f.Write([]byte("ef")); n != 2 || err != nil {
		t.Errorf("the write after it: %d, %v", n, err)
	}
	if got := read(fsys, "/f"); got != "abef" {
		t.Errorf("the file holds %q", got)
	}
}
