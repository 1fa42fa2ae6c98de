package capture

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// Offsets in the ring's header (docs/protocol.md, section 3).
const (
	offMagic       = 0
	offVersion     = 8
	offHeaderBytes = 12
	offSlots       = 16
	offRecords     = 24
	offData        = 32
	offDataBytes   = 40
	offHead        = 128
	offDropped     = 136
	offAlive       = 144
	offEnded       = 152
	offWanted      = 160
	offBegun       = 168
	offConsumed    = 256
	offAcked       = 264
	offSynced      = 272
	offPlanVersion = 280
	offAgentPID    = 288
	offFilled      = 296
	offUnfilled    = 304

	headerBytes = 4096
	magic       = "VIGILRNG"
)

// DefaultSlots is the number of records a ring of the usual size holds.
const DefaultSlots = 1 << 16

// Geometry is the fixed part of a ring's header.
type Geometry struct {
	Slots     uint64 // records, a power of two
	Records   uint64 // offset of the record area
	Data      uint64 // offset of the data area
	DataBytes uint64
}

// extent is a part of the data area.
type extent struct{ from, to uint64 }

func (e extent) empty() bool { return e.from >= e.to }

// geometry lays out a ring of size bytes.
func geometry(size, slots uint64) (Geometry, error) {
	g := Geometry{Slots: slots, Records: headerBytes}
	g.Data = (g.Records + slots*RecordSize + 4095) &^ 4095
	if slots == 0 || slots&(slots-1) != 0 {
		return g, fmt.Errorf("lay out ring: %d slots are not a power of two", slots)
	}
	if size <= g.Data {
		return g, fmt.Errorf("lay out ring: %d bytes leave no room for data after %d records", size, slots)
	}
	g.DataBytes = (size - g.Data) &^ 4095
	if g.DataBytes == 0 {
		return g, fmt.Errorf("lay out ring: %d bytes leave no room for data after %d records", size, slots)
	}
	return g, nil
}

func (g Geometry) encode(b []byte) {
	le := binary.LittleEndian
	copy(b[offMagic:], magic)
	le.PutUint32(b[offVersion:], Version)
	le.PutUint32(b[offHeaderBytes:], headerBytes)
	le.PutUint64(b[offSlots:], g.Slots)
	le.PutUint64(b[offRecords:], g.Records)
	le.PutUint64(b[offData:], g.Data)
	le.PutUint64(b[offDataBytes:], g.DataBytes)
}

// decodeGeometry reads the header of a ring of size bytes. The header may come
// from a hook, so everything in it is checked against the size.
func decodeGeometry(b []byte, size uint64) (Geometry, error) {
	le := binary.LittleEndian
	if len(b) < headerBytes || size < headerBytes {
		return Geometry{}, fmt.Errorf("open ring: %d bytes are less than a header", size)
	}
	if m := string(b[offMagic : offMagic+8]); m != magic {
		return Geometry{}, fmt.Errorf("open ring: magic is %q, not %q", m, magic)
	}
	if v := le.Uint32(b[offVersion:]); v != Version {
		return Geometry{}, fmt.Errorf("open ring: version %d is not %d", v, Version)
	}
	g := Geometry{
		Slots: le.Uint64(b[offSlots:]), Records: le.Uint64(b[offRecords:]),
		Data: le.Uint64(b[offData:]), DataBytes: le.Uint64(b[offDataBytes:]),
	}
	bad := func(what string) (Geometry, error) {
		return Geometry{}, fmt.Errorf("open ring: %s does not fit %d bytes: %+v", what, size, g)
	}
	switch {
	case g.Slots == 0 || g.Slots&(g.Slots-1) != 0 || g.Slots > size/RecordSize:
		return bad("number of slots")
	case g.Records < headerBytes || g.Records%RecordSize != 0 || g.Records > size || g.Slots*RecordSize > size-g.Records:
		return bad("record area")
	case g.Data < g.Records+g.Slots*RecordSize || g.Data%4096 != 0 || g.Data > size || g.DataBytes > size-g.Data:
		return bad("data area")
	}
	return g, nil
}

// Ring is a mapped ring. Its methods are safe for use by one hook and one
// agent at the same time.
type Ring struct {
	Geometry
	mem  []byte
	file ringFile
}

func (r *Ring) word(off int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&r.mem[off]))
}

// Head is the number of records published since the session began.
func (r *Ring) Head() uint64 { return r.word(offHead).Load() }

// Dropped is the number of records that the hook had no room for.
func (r *Ring) Dropped() uint64 { return r.word(offDropped).Load() }

// Alive is the hook's last sign of life.
func (r *Ring) Alive() time.Time { return time.UnixMicro(int64(r.word(offAlive).Load())) }

// Ended tells that the hook closed in good order. Its bye may not have arrived.
func (r *Ring) Ended() bool { return r.word(offEnded).Load() != 0 }

// Wanted is the number of records whose data the hook would like to overwrite:
// it waits for room.
func (r *Ring) Wanted() uint64 { return r.word(offWanted).Load() }

// Begun is one more than the number of records published when the hook began its
// last step; 0 when it does not say when steps begin.
func (r *Ring) Begun() uint64 { return r.word(offBegun).Load() }

// Consumed is the number of records whose data may be overwritten.
func (r *Ring) Consumed() uint64 { return r.word(offConsumed).Load() }

// Acked is the number of records whose values survive the death of the agent.
func (r *Ring) Acked() uint64 { return r.word(offAcked).Load() }

// Synced is the number of records whose values survive a power loss.
func (r *Ring) Synced() uint64 { return r.word(offSynced).Load() }

// PlanVersion is the version of the plan last written to the socket.
func (r *Ring) PlanVersion() uint64 { return r.word(offPlanVersion).Load() }

// AgentPID is the process that reads the ring.
func (r *Ring) AgentPID() int { return int(r.word(offAgentPID).Load()) }

// Filled is the number of records up to which every Fill was dealt with.
func (r *Ring) Filled() uint64 { return r.word(offFilled).Load() }

// Unfilled is one more than the number of the last Fill that could not be done.
func (r *Ring) Unfilled() uint64 { return r.word(offUnfilled).Load() }

func (r *Ring) setFilled(n uint64)      { r.word(offFilled).Store(n) }
func (r *Ring) setUnfilled(n uint64)    { r.word(offUnfilled).Store(n) }
func (r *Ring) setConsumed(n uint64)    { r.word(offConsumed).Store(n) }
func (r *Ring) setAcked(n uint64)       { r.word(offAcked).Store(n) }
func (r *Ring) setSynced(n uint64)      { r.word(offSynced).Store(n) }
func (r *Ring) setPlanVersion(v uint64) { r.word(offPlanVersion).Store(v) }
func (r *Ring) setAgentPID(pid int)     { r.word(offAgentPID).Store(uint64(pid)) }

// slot is the place of record n.
func (r *Ring) slot(n uint64) []byte {
	at := r.Records + (n&(r.Slots-1))*RecordSize
	return r.mem[at : at+RecordSize]
}

// read copies record n out of the ring; ok is false when another record, or
// none, lies in its slot.
func (r *Ring) read(n uint64) (rec Record, ok bool) {
	var b [RecordSize]byte
	copy(b[:], r.slot(n))
	rec = DecodeRecord(b[:])
	return rec, rec.Seq == uint32(n)+1
}

// publish writes record n and raises the head to n+1. Only the hook does.
func (r *Ring) publish(n uint64, rec *Record) {
	rec.Seq = uint32(n) + 1
	rec.Encode(r.slot(n))
	r.word(offAlive).Store(rec.Time)
	r.word(offHead).Store(n + 1)
}

// setEnded leaves word that the hook closes in good order. Only the hook does.
func (r *Ring) setEnded() { r.word(offEnded).Store(uint64(time.Now().UnixMicro())) }

// setWanted asks for the data of everything published before record n. Only the hook does.
func (r *Ring) setWanted(n uint64) { r.word(offWanted).Store(n) }

// data is a part of the data area; ok is false when it is not inside.
func (r *Ring) data(offset, n uint64) (b []byte, ok bool) {
	if offset > r.DataBytes || n > r.DataBytes-offset {
		return nil, false
	}
	at := r.Data + offset
	return r.mem[at : at+n : at+n], true
}
