package profile

import (
	"encoding/binary"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Writer makes marks. The zero value begins now, with its first mark.
type Writer struct {
	zero  time.Time
	ints  []int64
	first int64 // integers before those of ints
	since int64 // nanoseconds, plus one; 0: no step ended just before them
	end   int64 // when the last step ended, if nothing came after it; likewise
}

// Len is how many integers there are.
func (w *Writer) Len() int { return len(w.ints) }

func (w *Writer) put(kind int64) int64 {
	if w.zero.IsZero() {
		w.zero = time.Now()
	}
	at := time.Since(w.zero).Nanoseconds()
	w.ints = append(w.ints, at<<8|kind)
	w.end = 0
	return at
}

// Begins says that a part begins.
func (w *Writer) Begins(p record.StepPart) { w.put(int64(p)) }

// Ends says that it ends.
func (w *Writer) Ends(p record.StepPart) { w.put(int64(p) | end) }

// Closes says that a step closes.
func (w *Writer) Closes(m record.Mode, step, modeStep int64) {
	at := w.put(closes | int64(m))
	w.ints = append(w.ints, step, modeStep)
	w.end = at + 1
}

// Take gives the marks as they travel, and begins with none.
func (w *Writer) Take() []byte {
	b := make([]byte, 0, headBytes+8*len(w.ints))
	for _, v := range append([]int64{w.zero.UnixNano(), w.first, w.since - 1}, w.ints...) {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	w.first += int64(len(w.ints))
	w.ints, w.since = w.ints[:0], w.end
	return b
}
