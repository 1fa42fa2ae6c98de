package python

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestFilesAreComplete compares what is embedded with what lies in the source
// tree: a new subdirectory must not be left out.
func TestFilesAreComplete(t *testing.T) {
	have, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, top := range []string{"vigil", "boot"} {
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".py") {
				return err
			}
			n++
			name := filepath.ToSlash(p)
			if top == "vigil" {
				name = "lib/" + name
			}
			if _, ok := have[name]; !ok {
				t.Errorf("%s is not embedded", p)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n != len(have) {
		t.Errorf("%d files embedded, %d in the tree", len(have), n)
	}
	for name := range have {
		if strings.Contains(name, "__pycache__") || !strings.HasSuffix(name, ".py") {
			t.Errorf("%s is embedded", name)
		}
	}
}

func TestExtract(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	boot, lib, err := Extract(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{filepath.Join(boot, "sitecustomize.py"), filepath.Join(lib, "vigil", "_session.py")} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s has mode %v, want read-only", p, info.Mode())
		}
	}
	entries, err := os.ReadDir(boot)
	if err != nil || len(entries) != 1 {
		t.Errorf("boot holds %v (%v), want sitecustomize.py alone", entries, err)
	}
	boot2, lib2, err := Extract(dir)
	if err != nil || boot2 != boot || lib2 != lib {
		t.Errorf("second Extract = %q, %q, %v; want %q, %q", boot2, lib2, err, boot, lib)
	}
	onlyRoot(t, dir)
}

// TestExtractRepairs damages what was unpacked, each in another way.
func TestExtractRepairs(t *testing.T) {
	damage := map[string]func(t *testing.T, boot, lib string) error{
		"changed": func(t *testing.T, boot, lib string) error {
			p := filepath.Join(lib, "vigil", "__init__.py")
			if err := os.Chmod(p, 0o644); err != nil {
				return err
			}
			return os.WriteFile(p, []byte("raise SystemExit\n"), 0o644)
		},
		"missing": func(t *testing.T, boot, lib string) error {
			return os.Remove(filepath.Join(boot, "sitecustomize.py"))
		},
		"added": func(t *testing.T, boot, lib string) error {
			return os.WriteFile(filepath.Join(lib, "torch.py"), nil, 0o644)
		},
	}
	for name, f := range damage {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			boot, lib, err := Extract(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := f(t, boot, lib); err != nil {
				t.Fatal(err)
			}
			if _, _, err := Extract(dir); err != nil {
				t.Fatal(err)
			}
			want, err := Files()
			if err != nil {
				t.Fatal(err)
			}
			if err := verify(filepath.Dir(boot), want); err != nil {
				t.Error(err)
			}
			onlyRoot(t, dir)
		})
	}
}

// TestExtractKeepsBytecode: what Python caches there is no damage.
func TestExtractKeepsBytecode(t *testing.T) {
	dir := t.TempDir()
	_, lib, err := Extract(dir)
	if err != nil {
		t.Fatal(err)
	}
	pyc := filepath.Join(lib, "vigil", "__pycache__", "x.pyc")
	if err := os.MkdirAll(filepath.Dir(pyc), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pyc, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Extract(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pyc); err != nil {
		t.Error(err)
	}
}

func TestExtractConcurrently(t *testing.T) {
	dir := t.TempDir()
	want, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			boot, _, err := Extract(dir)
			if err != nil {
				t.Error(err)
				return
			}
			if err := verify(filepath.Dir(boot), want); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	onlyRoot(t, dir)
}

func TestExtractSaysWhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := Extract(filepath.Join(file, "below"))
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Extract below a file: %v; want an error that names %s", err, file)
	}
}

// onlyRoot checks that nothing temporary was left behind.
func onlyRoot(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d entries below the cache, want 1: %v", len(entries), entries)
	}
}
