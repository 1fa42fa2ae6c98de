package trial

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// Windows are the windows of detail that are stored, by number, then worker.
func (t *Trial) Windows() []source.Window {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	return t.windows()
}

func (t *Trial) windows() []source.Window {
	var list []source.Window
	workers, err := t.fs.List(t.at(layout.ProfilesDir))
	if err != nil {
		return nil // there are none
	}
	for _, dir := range workers {
		worker, _ := layout.Unescape(dir.Name())
		files, err := t.fs.List(t.at(path.Join(layout.ProfilesDir, dir.Name())))
		if err != nil {
			continue // no directory
		}
		for _, f := range files {
			if n, ok := layout.ProfileNumber(f.Name()); ok {
				list = append(list, source.Window{Number: n, Worker: worker})
			}
		}
	}
	slices.SortFunc(list, func(a, b source.Window) int {
		return cmp.Or(a.Number-b.Number, cmp.Compare(a.Worker, b.Worker))
	})
	return list
}

// Stacks reads one window of detail.
func (t *Trial) Stacks(w source.Window) (*stacks.Window, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	rel := layout.Profile(w.Worker, w.Number)
	seen, err := t.profile(rel)
	if err != nil {
		t.hurtBy(rel, err)
		return nil, fmt.Errorf("read window %d of %s: %w", w.Number, w.Worker, err)
	}
	return seen, nil
}

// profile reads the file of a window. One without a line in the manifest (the power
// went before that was synced) is read unchecked: its own checksum is gzip's.
func (t *Trial) profile(rel string) (*stacks.Window, error) {
	f, err := t.fs.Open(t.at(rel))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	var src io.ReaderAt = f
	if entry, listed := t.profiles[rel]; listed {
		if size != entry.Bytes {
			return nil, &manifest.DamageError{File: rel, Reason: fmt.Sprintf("its %d bytes are not those that were written", size)}
		}
		src = manifest.NewChecked(entry, f)
	}
	return stacks.Decode(io.NewSectionReader(src, 0, size))
}
