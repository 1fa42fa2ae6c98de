package vfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/vigil-ml/vigil/internal/vfs"
)

// A file that is written past the cache holds what was written, whatever the
// pieces are: many units, part of one, memory that begins anywhere; on a disk,
// and in memory, where there is nothing to go past.
func TestCreateOnce(t *testing.T) {
	data := make([]byte, 1<<20+vfs.Unit)
	data = data[-uintptr(unsafe.Pointer(&data[0]))%vfs.Unit:][:1<<20]
	for i := range data {
		data[i] = byte(i * i >> 5)
	}
	dirs := []string{t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", "once"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		dirs = append(dirs, dir)
	}
	const unit = vfs.Unit
	for _, pieces := range [][]int{
		{}, {1}, {unit}, {8 * unit}, {8 * unit, 17}, {17, 8 * unit}, {unit, unit / 8, 3 * unit, 5}, {unit, unit, 100, unit}, {1 << 20},
	} {
		for _, dir := range dirs {
			each := fmt.Sprintf("pieces %v in %s", pieces, filepath.Dir(dir))
			name := filepath.Join(dir, "f")
			if err := os.WriteFile(name, []byte("what was there goes"), 0o644); err != nil {
				t.Fatal(err)
			}
			f, err := vfs.OS.CreateOnce(name)
			if err != nil {
				t.Fatalf("%s: %v", each, err)
			}
			at := 0
			for _, n := range pieces {
				if m, err := f.Write(data[at : at+n]); m != n || err != nil {
					t.Fatalf("%s: wrote %d of %d bytes from %d on: %v", each, m, n, at, err)
				}
				at += n
			}
			if err := f.Sync(); err != nil {
				t.Fatalf("%s: %v", each, err)
			}
			if n, err := f.Size(); n != int64(at) || err != nil {
				t.Errorf("%s: %d bytes instead of %d, %v", each, n, at, err)
			}
			if err := f.Close(); err != nil {
				t.Errorf("%s: %v", each, err)
			}
			if got := read(vfs.OS, name); got != string(data[:at]) {
				t.Errorf("%s: other bytes are there, %d of them", each, len(got))
			}
		}
	}
	if _, err := vfs.OS.CreateOnce(filepath.Join(dirs[0], "missing", "f")); !os.IsNotExist(err) {
		t.Errorf("a file in no directory: %v", err)
	}
}
