package runs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// many makes a root of n runs that have ended, all alike, and its index.
func many(b *testing.B, n, series int) string {
	b.Helper()
	root := b.TempDir()
	w := write(b, root, "run-00000", made{steps: 50, series: series, found: []record.Finding{dead, slow}})
	files := map[string][]byte{}
	ok(b, filepath.WalkDir(w.Path(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(w.Path(), path)
		files[rel], err = os.ReadFile(path)
		return err
	}))
	old := time.Now().Add(-time.Hour)
	for i := 1; i < n; i++ {
		for rel, content := range files {
			path := filepath.Join(root, fmt.Sprintf("run-%05d", i), rel)
			ok(b, os.MkdirAll(filepath.Dir(path), 0o755))
			ok(b, os.WriteFile(path, content, 0o644))
			ok(b, os.Chtimes(path, old, old))
		}
	}
	age(b, root)
	x := runs.Open(vfs.OS, root, runs.Options{})
	began := time.Now()
	all(b, x)
	b.Logf("built in %v", time.Since(began))
	ok(b, x.Close())
	info, err := os.Stat(filepath.Join(root, runs.Dir, "index.jsonl"))
	ok(b, err)
	b.Logf("the index has %d bytes", info.Size())
	return root
}

// BenchmarkList lists 10,000 runs that have ended: in a new process, which reads the
// index, and again.
func BenchmarkList(b *testing.B) {
	root := many(b, 10_000, 10)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			x := runs.Open(vfs.OS, root, runs.Options{})
			l, err := x.List()
			if err != nil || l.Building != nil || len(l.Rows) != 10_000 {
				b.Fatal(len(l.Rows), l.Building, err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		x := runs.Open(vfs.OS, root, runs.Options{Fresh: time.Nanosecond})
		for b.Loop() {
			l, err := x.List()
			if err != nil || len(l.Rows) != 10_000 {
				b.Fatal(len(l.Rows), err)
			}
		}
	})
}
