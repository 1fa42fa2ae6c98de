package capture

import (
	"encoding/binary"
	"errors"
)

// fills does what records up to head ask to have copied out of the hook's
// memory, before anything else of the ring is read: when its update begins,
// the hook makes no copy of its own of what is there by then.
func (s *Session) fills(head uint64) {
	for ; s.asked < head; s.asked++ {
		rec, ok := s.ring.read(s.asked)
		if !ok || rec.Kind != Fill {
			continue
		}
		if !s.fill(rec) {
			s.ring.setUnfilled(s.asked + 1)
		}
		s.ring.setFilled(s.asked + 1)
	}
}

// fill copies the tensors of a layout into the frame at the record's offset,
// out of the process at the other end of the socket, and says whether all are
// there. Until then the frame holds their addresses. What cannot be read is no
// error: the hook then copies it.
func (s *Session) fill(rec Record) bool {
	to, from, err := s.sources(rec)
	if err != nil {
		s.sink.Refuse(err.Error(), 1)
		return false
	}
	return readProcess(s.Peer.PID, to, from) == nil
}

// sources are the tensors' places in a frame, and their addresses in the hook's process.
func (s *Session) sources(rec Record) (to [][]byte, from []uint64, err error) {
	l := s.names.layouts[rec.ID]
	if l == nil {
		s.catchUp(func() bool { return s.names.layouts[rec.ID] != nil })
		if l = s.names.layouts[rec.ID]; l == nil {
			return nil, nil, errors.New("unknown layout id")
		}
	}
	if rec.NBytes != uint64(8*len(l.places)) || rec.Offset%64 != 0 {
		return nil, nil, errors.New("addresses of a wrong size")
	}
	table, ok := s.ring.data(rec.Offset, rec.NBytes)
	frame, inside := s.ring.data(rec.Offset, l.bytes)
	if !ok || !inside {
		return nil, nil, errors.New("data outside of the data area")
	}
	for i, p := range l.places {
		if p.NBytes > 0 {
			to = append(to, frame[p.Offset:p.Offset+p.NBytes])
			from = append(from, binary.LittleEndian.Uint64(table[8*i:]))
		}
	}
	return to, from, nil
}
