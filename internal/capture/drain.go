package capture

import (
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// A batch of records is handed over when it has this many records or bytes, so
// that the hook gets its room back while the rest is read.
const (
	batchRecords = 4096
	batchBytes   = 32 << 20
)

// drain hands over all that is published and reports whether there was any.
// What the hook said before it published a record is handled before that
// record. An error means that the ring itself cannot be trusted any more.
func (s *Session) drain() (bool, error) {
	any := false
	for {
		head := s.ring.Head()
		if head == s.tail {
			return any, nil
		}
		if head < s.tail || head-s.ring.Consumed() > s.ring.Slots || head-s.tail > s.ring.Slots {
			return any, fmt.Errorf("read ring: head %d does not fit %d records read and %d slots", head, s.tail, s.ring.Slots)
		}
		any = true
		if err := s.listen(0); err != nil {
			return any, err
		}
		s.fills(head)
		if err := s.batch(head); err != nil {
			return any, err
		}
	}
}

// listen waits for words, and handles all that have come.
func (s *Session) listen(wait time.Duration) error {
	for {
		got, err := s.conn.fill(wait)
		if merr := s.messages(); merr != nil {
			return merr
		}
		if err != nil || !got {
			return nil // the end of the stream is seen by the loop
		}
		wait = 0
	}
}

// batch takes records up to head, until the batch is full.
func (s *Session) batch(head uint64) error {
	s.items = s.items[:0]
	size, urgent := uint64(0), false
	for s.tail < head && len(s.items) < batchRecords && size < batchBytes {
		n := s.tail
		rec, ok := s.ring.read(n)
		s.tail++
		if !ok {
			if n < s.lost {
				s.sink.Refuse("record overwritten before it was stored", 1)
				continue
			}
			return fmt.Errorf("read ring: record %d bears the number %d", n, rec.Seq-1)
		}
		if rec.Kind == Fill {
			continue // done already
		}
		it, err := s.item(n, rec)
		if err != nil {
			s.sink.Refuse(err.Error(), 1)
			continue
		}
		size += uint64(len(it.Data))
		urgent = urgent || it.Kind == Piece
		if it.Kind == Frame || it.Kind == Piece {
			s.frames++
		}
		s.items = append(s.items, it)
	}
	acked := s.sink.Records(s.items)
	clear(s.items)
	s.advance(acked, size, urgent)
	return nil
}

// advance moves the marks. Data is released when its step is stored, so that
// an agent that takes over finds it again; earlier when the hook waits for room,
// or may need it before its step closes.
func (s *Session) advance(acked, size uint64, urgent bool) {
	s.held += size
	if acked > s.acked && acked <= s.tail {
		s.acked = acked
		s.ring.setAcked(acked)
		if acked == s.tail {
			s.held = 0
		}
	}
	consumed := s.acked
	if urgent || s.wanted() || s.held > s.use/4 || s.tail-s.acked > s.ring.Slots/4 {
		consumed = s.tail
		s.held = 0
	}
	if consumed > s.ring.Consumed() {
		s.ring.setConsumed(consumed)
	}
}

// wanted reports whether the hook waits for the data of records that were read.
func (s *Session) wanted() bool { return s.ring.Wanted() > s.ring.Consumed() }

// item checks a record against everything that is known.
func (s *Session) item(n uint64, rec Record) (Item, error) {
	it := Item{Record: rec, N: n, Lost: n < s.lost}
	if rec.Kind == Marks {
		return it, s.marksItem(&it)
	}
	if rec.Mode > record.Global {
		return it, fmt.Errorf("unknown mode %d", rec.Mode)
	}
	if rec.Step < 0 || rec.ModeStep < 0 || rec.Step > maxStep || rec.ModeStep > maxStep {
		return it, fmt.Errorf("step out of range")
	}
	free := (rec.Kind == Scalar || rec.Kind == Scalars) && rec.Flags&FlagFree != 0 || rec.Between() || rec.Kind == Drop
	if m := &s.order[rec.Mode]; !free && m.seen && (rec.Step <= m.step || rec.ModeStep <= m.modeStep) {
		return it, fmt.Errorf("step runs backwards")
	}
	var err error
	switch rec.Kind {
	case Scalar:
		it.Tensor, err = s.def(rec.ID)
	case Scalars:
		err = s.scalarsItem(&it)
	case Tensor, Piece:
		err = s.tensorItem(&it)
	case Frame:
		err = s.frameItem(&it)
	case Reduced:
		err = s.reducedItem(&it)
	case Step:
		s.order[rec.Mode] = stepMark{true, rec.Step, rec.ModeStep}
	case Drop:
	default:
		err = fmt.Errorf("unknown kind of record %d", rec.Kind)
	}
	return it, err
}

// def finds a tensor; its announcement may still be unread in the socket.
func (s *Session) def(id uint32) (*TensorDef, error) {
	if d := s.names.tensor(id); d != nil {
		return d, nil
	}
	s.catchUp(func() bool { return s.names.tensor(id) != nil })
	if d := s.names.tensor(id); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("unknown tensor id")
}

// catchUp reads the socket until known holds or there is nothing more to come.
// After a takeover the hook announces everything once more, so there it is
// waited for.
func (s *Session) catchUp(known func() bool) {
	for {
		wait := time.Duration(0)
		if left := time.Until(s.late); left > 0 {
			wait = left
		}
		got, err := s.conn.fill(wait)
		if err != nil || s.messages() != nil || known() || !got {
			return
		}
	}
}

func (s *Session) tensorItem(it *Item) error {
	d, err := s.def(it.ID)
	if err != nil {
		return err
	}
	it.Tensor, it.Dims = d, d.Shape
	if it.Shape != 0 {
		dims, ok := s.names.shape(it.Shape)
		if !ok {
			s.catchUp(func() bool { _, ok := s.names.shape(it.Shape); return ok })
			if dims, ok = s.names.shape(it.Shape); !ok {
				return fmt.Errorf("unknown shape id")
			}
		}
		it.Dims = dims
	}
	if it.Kind == Tensor {
		if err := fits(it.DType, it.Dims, it.NBytes); err != nil {
			return err
		}
	} else if err := checkPiece(it); err != nil {
		return err
	}
	return s.place(it, it.NBytes)
}

// checkPiece checks that a piece lies inside its tensor.
func checkPiece(it *Item) error {
	size := it.DType.Size()
	if size == 0 {
		return fmt.Errorf("unknown element type")
	}
	elems, err := tensor.Elements(it.Dims)
	if err != nil {
		return err
	}
	total := uint64(elems) * uint64(size)
	at := it.Value
	if !(at >= 0) || at != float64(uint64(at)) || at > float64(maxStep) || uint64(elems) > (1<<53)/uint64(size) {
		return fmt.Errorf("place of a piece out of range")
	}
	if uint64(at) > total || it.NBytes > total-uint64(at) {
		return fmt.Errorf("piece outside of its tensor")
	}
	return nil
}

// scalarsItem finds the tensors that numbers belong to. They were announced in
// one message, so that the last of them is there when all are.
func (s *Session) scalarsItem(it *Item) error {
	n := it.NBytes / 8
	if n == 0 || it.NBytes%8 != 0 {
		return fmt.Errorf("numbers of a wrong size")
	}
	if n > MaxTensors || uint64(it.ID)+n > MaxTensors {
		return fmt.Errorf("unknown tensor id")
	}
	if _, err := s.def(it.ID + uint32(n) - 1); err != nil {
		return err
	}
	it.Defs = s.names.defs[it.ID : uint64(it.ID)+n]
	for _, d := range it.Defs {
		if d == nil {
			return fmt.Errorf("unknown tensor id")
		}
	}
	return s.place(it, it.NBytes)
}

// marksHead is what is before the marks of a record.
const marksHead = 24

// maxMarks is how many bytes of marks come together.
const maxMarks = 1 << 20

func (s *Session) marksItem(it *Item) error {
	if it.NBytes < marksHead || it.NBytes%8 != 0 || it.NBytes > maxMarks {
		return fmt.Errorf("marks of a wrong size")
	}
	return s.place(it, it.NBytes)
}

func (s *Session) frameItem(it *Item) error {
	l := s.names.layouts[it.ID]
	if l == nil {
		s.catchUp(func() bool { return s.names.layouts[it.ID] != nil })
		if l = s.names.layouts[it.ID]; l == nil {
			return fmt.Errorf("unknown layout id")
		}
	}
	want := l.bytes
	partial := it.Flags&FlagPartial != 0
	if partial {
		want += uint64(len(l.places))
	}
	if it.NBytes != want {
		return fmt.Errorf("frame of a wrong size")
	}
	if err := s.place(it, it.NBytes); err != nil {
		return err
	}
	it.Places = l.places
	if partial {
		it.Present = it.Data[l.bytes:]
		it.Data = it.Data[:l.bytes]
	}
	return nil
}

// place finds the data of an item.
func (s *Session) place(it *Item, n uint64) error {
	if it.Offset%64 != 0 {
		return fmt.Errorf("data is not aligned to 64 bytes")
	}
	data, ok := s.ring.data(it.Offset, n)
	if !ok {
		return fmt.Errorf("data outside of the data area")
	}
	it.Data = data
	return nil
}
