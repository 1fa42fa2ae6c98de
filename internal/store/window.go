package store

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// Window stores the decision that a window of time closed: how many rows of each
// source are in it. The rows themselves must have been stored.
func (w *Writer) Window(c *record.Window) error {
	d := journal.Window{Index: c.Index, From: c.From, To: c.To, Rows: record.Rows{}}
	for _, name := range c.Late {
		d.Late = append(d.Late, clean(name))
	}
	for s, n := range c.Rows {
		s.Name = clean(s.Name)
		d.Rows[s] += n
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("store a window: %w", ErrClosed)
	}
	w.buf = journal.AppendDecision(w.buf[:0], &journal.Decision{Window: &d})
	if err := w.write(w.complete, w.buf); err != nil {
		return fmt.Errorf("store a window: %w", err)
	}
	w.grow(w.complete, 1)
	return nil
}
