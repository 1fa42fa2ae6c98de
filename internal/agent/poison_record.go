package agent

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/vigil-ml/vigil/internal/capture"
)

// An agent that dies over one record would take every later one with it, since
// each begins where the one before it stored last. So when several in a row
// have died at the same place, the next one notes which record it is about to
// read. The record that it dies over twice is set aside.
const (
	// carefulFrom is the takeover in a row at one place that begins to note.
	carefulFrom = 2
	// blamedAt is how many agents have to die over a record.
	blamedAt = 2
	// maxAside is how many records of a session may be set aside.
	maxAside = 10
	// setAside is the reason that is counted.
	setAside = "set_aside"
)

// suspicion is what the agents before this one died over.
type suspicion struct {
	Record uint64   `json:"record,omitempty"` // that the last one was reading
	Times  int      `json:"times,omitempty"`  // in a row
	Aside  []uint64 `json:"aside,omitempty"`  // records that are not read any more
}

// died takes in what an agent was reading when it died.
func (s *suspicion) died(reading uint64) {
	if s.Times == 0 || s.Record != reading {
		s.Record, s.Times = reading, 0
	}
	if s.Times++; s.Times == blamedAt {
		s.Aside, s.Record, s.Times = append(s.Aside, reading), 0, 0
	}
}

// note is where an agent writes what it is about to read: a number in a small
// file, which the death of the agent leaves as it was.
type note struct{ file *os.File }

// nothing is what is in a note between two records.
const nothing = ^uint64(0)

func notePath(run, worker string) string { return filepath.Join(run, spillDir, worker+".reading") }

// readNote reports what the agent before this one was reading.
func readNote(path string) (record uint64, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) != 8 {
		return 0, false
	}
	record = binary.LittleEndian.Uint64(b)
	return record, record != nothing
}

func openNote(path string) (*note, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	n := &note{f}
	return n, n.write(nothing)
}

func (n *note) write(record uint64) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], record)
	_, err := n.file.WriteAt(b[:], 0)
	return err
}

func (n *note) close() {
	n.file.Close()
	os.Remove(n.file.Name())
}

// beCareful makes the worker note what it reads, of all that waits in the ring
// now.
func (w *worker) beCareful(run string) error {
	n, err := openNote(notePath(run, w.name))
	if err != nil {
		return fmt.Errorf("note what is read: %w", err)
	}
	w.note, w.until = n, w.s.Acked()+w.s.Unread()
	return nil
}

// carefully reads one record, to its end.
func (w *worker) carefully(it *capture.Item) {
	if w.note.write(it.N) == nil {
		defer func() { _ = w.note.write(nothing) }() // the next record is noted over one that stays
	}
	w.record(it)
	w.measure()
	w.keepRaw()
	if it.Kind == capture.Step {
		w.flush(false)
	}
	if it.N+1 >= w.until {
		w.until = 0
	}
}

// leave counts a record that is not read because agents died over it.
func (w *worker) leave(it *capture.Item) {
	n := int64(1)
	name := w.name
	switch {
	case it.Tensor != nil:
		name = it.Tensor.Name
	case it.Kind == capture.Frame:
		n = int64(len(it.Places))
		if it.Present != nil {
			n -= int64(len(slices.DeleteFunc(slices.Clone(it.Present), func(b byte) bool { return b != 0 })))
		}
	case it.Kind == capture.Step:
		if o := w.open[stepKey{mode: it.Mode, step: it.Step}]; o != nil {
			o.abort()
			w.forget(o)
		}
	}
	if w.job.droppedAt(w.session, it.N, setAside, n) {
		w.job.missing(name, "left out: agents crashed on it", n)
		w.job.events.notice("error", fmt.Sprintf("what %s captured of %s at step %d is left out: %d agents crashed on it", w.name, name, it.Step, blamedAt),
			"please report it; capture continues with what came after it")
	}
}
