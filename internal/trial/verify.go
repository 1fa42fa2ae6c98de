package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/store/safetensors"
)

// Verified counts the tables and the files of raw tensors that Verify has read:
// what the manifest lists, which is nearly all of a run.
type Verified struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	Of    int64 `json:"-"` // bytes that there are in all
}

// Verify reads every byte of the run and returns all damage. It tells seen,
// which may be nil, after each file how far it is.
func (t *Trial) Verify(ctx context.Context, seen func(Verified)) ([]Damage, error) {
	t.Findings()
	t.Groups()
	t.Diff()
	t.Statuses()
	t.Actions()
	t.StatusEvents()
	t.Tensors()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, fmt.Errorf("verify run %q: %w", t.path, err)
	}
	done := Verified{Of: t.listedBytes()}
	read := func(bytes int64) {
		done.Files++
		done.Bytes += bytes
		if seen != nil {
			seen(done)
		}
	}
	for _, s := range t.everything() {
		t.verifyCopy(s)
		for _, n := range sortedKeys(s.chunks) {
			c := s.chunks[n]
			for _, name := range sortedKeys(c.tables) {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				t.verifyTable(c.tables[name], c, name)
				read(c.tables[name].entry.Bytes)
			}
		}
	}
	for _, rel := range sortedKeys(t.raw) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		bytes := t.raw[rel][0].Bytes
		t.verifyRaw(rel)
		read(bytes)
	}
	for _, rel := range sortedKeys(t.traces) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		bytes := t.traces[rel].Bytes
		t.verifyTrace(rel)
		read(bytes)
	}
	for _, rel := range sortedKeys(t.profiles) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.verifyFile(t.profiles[rel]); err != nil {
			t.hurtBy(rel, err)
		}
		read(t.profiles[rel].Bytes)
	}
	t.verifyUnlisted()
	t.verifyWindows()
	t.verifyState()
	return t.allDamage(), nil
}

// listedBytes is the size of all that Verify counts.
func (t *Trial) listedBytes() int64 {
	var n int64
	for _, s := range t.everything() {
		for _, c := range s.chunks {
			for _, tb := range c.tables {
				n += tb.entry.Bytes
			}
		}
	}
	for _, entries := range t.raw {
		n += entries[0].Bytes
	}
	for _, f := range t.traces {
		n += f.Bytes
	}
	for _, f := range t.profiles {
		n += f.Bytes
	}
	return n
}

// verifyTrace checks a file of detail.
func (t *Trial) verifyTrace(rel string) {
	err := t.verifyFile(t.traces[rel])
	if err == nil {
		return
	}
	// It may have been removed to make room since the manifest was read.
	if _, gone := t.readManifest(); gone == nil {
		if _, listed := t.traces[rel]; !listed {
			return
		}
	}
	t.hurtBy(rel, err)
}

func (t *Trial) verifyTable(tb *table, c *sealed, name string) {
	if tb.broken || t.table(c, name) == nil {
		return // noted already
	}
	if err := t.verifyFile(tb.entry); err != nil && !t.removed[tb.entry.Path] {
		t.hurtBy(tb.entry.Path, err)
	}
}

// verifyCopy reads the copy of the manifest's lines on sealed tables.
func (t *Trial) verifyCopy(s *series) {
	rel := path.Join(s.dir, layout.SealedCopy)
	b, err := t.read(rel, 0)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.hurt(rel, "%v", err)
		}
		return
	}
	torn := manifest.Read(b, func(manifest.Event) {}, func(off int64) { t.hurt(rel, "the line at byte %d does not match its checksum", off) })
	t.tail(rel, int64(torn))
}

// verifyFile compares a whole file with its entry.
func (t *Trial) verifyFile(entry manifest.File) error {
	f, err := t.fs.Open(t.at(entry.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return &manifest.DamageError{File: entry.Path, Reason: "is missing"}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	return manifest.NewChecked(entry, f).Verify(size)
}

// verifyRaw checks a listed raw file: its content must be that of one of its
// entries, whose first reason is given when it is not.
func (t *Trial) verifyRaw(rel string) {
	entries := t.raw[rel]
	var first error
	for i := len(entries) - 1; i >= 0; i-- {
		err := t.verifyFile(entries[i])
		if err == nil {
			return
		}
		if first == nil {
			first = err
		}
	}
	// It may have been removed to make room since the manifest was read.
	if _, err := t.readManifest(); err == nil && t.raw[rel] == nil {
		return
	}
	t.hurtBy(rel, first)
}

// verifyUnlisted checks the form of raw files that the manifest does not name.
func (t *Trial) verifyUnlisted() {
	if err := store.WalkRaw(t.fs, t.path, func(rel string) error {
		if t.raw[rel] != nil {
			return nil
		}
		f, err := t.fs.Open(t.at(rel))
		if err != nil {
			return nil // removed in this moment
		}
		defer f.Close()
		size, err := f.Size()
		if err == nil {
			_, err = safetensors.Open(f, size)
		}
		if err != nil {
			t.hurt(rel, "%v", err)
		}
		return nil
	}); err != nil {
		t.hurt(layout.TensorsDir, "%v", err)
	}
}

// verifyWindows reads windows of detail that the manifest does not name.
func (t *Trial) verifyWindows() {
	for _, w := range t.windows() {
		rel := layout.Profile(w.Worker, w.Number)
		if _, listed := t.profiles[rel]; listed {
			continue
		}
		if _, err := t.profile(rel); err != nil {
			t.hurtBy(rel, err)
		}
	}
}

func (t *Trial) verifyState() {
	list, err := t.fs.List(t.at(layout.StateDir))
	if err != nil {
		return // no state was saved
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), layout.TempSuffix) || e.IsDir() {
			continue
		}
		rel := path.Join(layout.StateDir, e.Name())
		b, err := t.read(rel, 0)
		if err != nil {
			t.hurt(rel, "%v", err)
		} else if _, ok := store.OpenState(b); !ok {
			t.hurt(rel, "does not match its checksum")
		}
	}
}
