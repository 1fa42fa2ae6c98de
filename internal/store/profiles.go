package store

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// Profile stores what was seen of a worker in one window of detail. The file is
// there as a whole, listed in the manifest, or not at all. A window that is stored
// already stays as it is.
func (w *Writer) Profile(worker string, window int, b []byte) error {
	rel := layout.Profile(clean(worker), window)
	if _, err := w.fs.Stat(w.at(rel)); err == nil {
		return nil
	}
	f, err := manifest.Describe(rel, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return fmt.Errorf("store window %d of %s: %w", window, worker, err)
	}
	w.mu.Lock()
	closed := w.closed
	w.mu.Unlock()
	if closed {
		return fmt.Errorf("store window %d of %s: %w", window, worker, ErrClosed)
	}
	if err := replaceBytes(w.fs, w.at(rel), b); err != nil {
		return fmt.Errorf("store window %d of %s: %w", window, worker, err)
	}
	w.mu.Lock()
	if w.closed {
		err = ErrClosed
	} else {
		err = w.event(manifest.Event{Profile: &f})
	}
	w.mu.Unlock()
	if err != nil {
		return typed(fmt.Errorf("store window %d of %s: %w", window, worker, errors.Join(err, w.fs.Remove(w.at(rel)))))
	}
	return nil
}
