package capture

import (
	"encoding/binary"
	"math"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// RecordSize is the number of bytes of a record in the ring.
const RecordSize = 64

// Kind says what a record announces.
type Kind uint8

// The kinds of records.
const (
	Scalar Kind = 1 // Value of tensor ID
	Tensor Kind = 2 // one tensor in the data area
	Frame  Kind = 3 // the tensors of layout ID
	Piece  Kind = 4 // a part of a tensor that is larger than the data area
	Step   Kind = 5 // the step closes
	Drop   Kind = 6 // values that were not captured
	// Scalars are NBytes/8 numbers (float64) in the data area: one of each of
	// the tensors from ID on.
	Scalars Kind = 7
	// Reduced are the statistics of ID tensors that the hook computed itself, on
	// a device; Shape is the number of elements in a block.
	Reduced Kind = 8
	// Fill asks the agent to copy the tensors of layout ID out of the hook's
	// memory into the frame at Offset, which now holds their addresses.
	Fill Kind = 9
	// Marks say what the training thread did from which moment on. They belong to
	// no step, and say themselves when steps close.
	Marks Kind = 10
)

// Flags mean something else for each kind of record.
const (
	FlagFree    uint8 = 1 // Scalar, Scalars: belongs to no step that the hook counts
	FlagRaw     uint8 = 1 // Tensor: the script wants the values themselves
	FlagPartial uint8 = 1 // Frame: a byte per entry at the end says which are there
	FlagLast    uint8 = 1 // Piece: the last one
	FlagSkipped uint8 = 1 // Step: the loss scaler skipped the update
	FlagFinal   uint8 = 1 // Marks: the hook closes, there are no more

	FlagRawPiece uint8 = 2 // Piece: the script wants the values themselves

	FlagBetween uint8 = 4 // Tensor, Piece: given between steps; belongs to one that has closed
)

// Reason says why a hook dropped values.
type Reason uint32

// Reasons of a Drop record.
const (
	RingFull    Reason = 1
	BreakerOpen Reason = 2
	TooLarge    Reason = 3
	HookError   Reason = 4
)

// String is the spelling in run.json.
func (r Reason) String() string {
	switch r {
	case RingFull:
		return "ring_full"
	case BreakerOpen:
		return "breaker_open"
	case TooLarge:
		return "too_large"
	case HookError:
		return "hook_error"
	}
	return "unknown"
}

// Record is one entry of the ring's record area.
type Record struct {
	Kind     Kind
	Mode     record.Mode
	DType    tensor.DType
	Flags    uint8
	ID       uint32
	Step     int64 // global step
	ModeStep int64
	Offset   uint64 // of the data, from the start of the data area
	NBytes   uint64
	Value    float64
	Time     uint64 // microseconds since 1970
	Shape    uint32 // 0: as announced; the reason of a Drop
	Seq      uint32 // low 32 bits of the record's number plus one
}

// Between says that the values were given between steps.
func (r *Record) Between() bool {
	return (r.Kind == Tensor || r.Kind == Piece) && r.Flags&FlagBetween != 0
}

// Encode writes the record's 64 bytes to b.
func (r *Record) Encode(b []byte) {
	_ = b[RecordSize-1]
	b[0], b[1], b[2], b[3] = byte(r.Kind), byte(r.Mode), byte(r.DType), r.Flags
	le := binary.LittleEndian
	le.PutUint32(b[4:], r.ID)
	le.PutUint64(b[8:], uint64(r.Step))
	le.PutUint64(b[16:], uint64(r.ModeStep))
	le.PutUint64(b[24:], r.Offset)
	le.PutUint64(b[32:], r.NBytes)
	le.PutUint64(b[40:], math.Float64bits(r.Value))
	le.PutUint64(b[48:], r.Time)
	le.PutUint32(b[56:], r.Shape)
	le.PutUint32(b[60:], r.Seq)
}

// DecodeRecord is the inverse of Encode. It checks nothing.
func DecodeRecord(b []byte) Record {
	_ = b[RecordSize-1]
	le := binary.LittleEndian
	return Record{
		Kind: Kind(b[0]), Mode: record.Mode(b[1]), DType: tensor.DType(b[2]), Flags: b[3],
		ID:       le.Uint32(b[4:]),
		Step:     int64(le.Uint64(b[8:])),
		ModeStep: int64(le.Uint64(b[16:])),
		Offset:   le.Uint64(b[24:]),
		NBytes:   le.Uint64(b[32:]),
		Value:    math.Float64frombits(le.Uint64(b[40:])),
		Time:     le.Uint64(b[48:]),
		Shape:    le.Uint32(b[56:]),
		Seq:      le.Uint32(b[60:]),
	}
}
