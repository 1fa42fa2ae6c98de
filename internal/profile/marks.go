// Package profile works out where the time of a training's steps went, of the
// marks that its hook leaves (docs/protocol.md, section 4.3).
package profile

import (
	"encoding/binary"
	"errors"

	"github.com/vigil-ml/vigil/internal/record"
)

// Kind says what a mark means.
type Kind uint8

// Kinds of marks.
const (
	Begins  Kind = iota // Part begins
	Ends                // Part ends
	Closes              // a step closes
	Loader              // a loader gave its first batch
	Unknown             // what went on before is not known
)

// Mark is what the training thread did from one moment on.
type Mark struct {
	At   int64 // nanoseconds since the batch's zero
	Kind Kind
	Part record.StepPart // Begins, Ends

	// Of a step that closes. Late: it was over when the last part ended that
	// makes steps of its mode.
	Mode           record.Mode
	Late           bool
	Step, ModeStep int64

	Loader, Asked int64 // number of a loader, and when its first batch was asked for
}

// Batch is what a hook sends at once.
type Batch struct {
	Wall  int64 // nanoseconds since 1970 of the zero
	First int64 // number of its first integer in the session
	Since int64 // when a step ended just before it; -1 when none did
	Next  int64 // number of the integer that follows it
	Marks []Mark
}

const (
	headBytes = 24
	most      = int64(1) << 55 // nanoseconds; also bounds step numbers
	end       = 0x10
	closes    = 0x20
	late      = 0x04
	loader    = 0x30
	unknown   = 0x40
)

var (
	errSize  = errors.New("marks of a wrong size")
	errRange = errors.New("marks out of range")
	errKind  = errors.New("unknown kind of mark")
)

// Decode reads the data of a Marks record.
func Decode(data []byte) (Batch, error) {
	if len(data) < headBytes || len(data)%8 != 0 {
		return Batch{}, errSize
	}
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(data[8*i:])) }
	n := len(data) / 8
	b := Batch{Wall: at(0), First: at(1), Since: at(2), Next: at(1) + int64(n-3)}
	if b.Wall < 0 || b.Wall > 1<<62 || b.First < 0 || b.First > most || b.Since < -1 || b.Since > most {
		return Batch{}, errRange
	}
	b.Marks = make([]Mark, 0, n-3)
	for i := 3; i < n; i++ {
		v := at(i)
		m := Mark{At: v >> 8}
		if m.At < 0 || m.At > most {
			return Batch{}, errRange
		}
		operands, err := m.kind(uint8(v))
		if err != nil {
			return Batch{}, err
		}
		if operands {
			if i+2 >= n {
				return Batch{}, errSize
			}
			one, two := at(i+1), at(i+2)
			if one < 0 || one > most || two < 0 || two > most {
				return Batch{}, errRange
			}
			if m.Kind == Closes {
				m.Step, m.ModeStep = one, two
			} else {
				m.Loader, m.Asked = one, two
			}
			i += 2
		}
		b.Marks = append(b.Marks, m)
	}
	return b, nil
}

// kind fills in what the low byte of a mark says, and whether two integers
// belong to it.
func (m *Mark) kind(v uint8) (operands bool, err error) {
	switch {
	case v < uint8(record.StepParts):
		m.Kind, m.Part = Begins, record.StepPart(v)
	case v&^7 == end:
		m.Kind, m.Part = Ends, record.StepPart(v&7)
	case v&^7 == closes:
		m.Kind, m.Mode, m.Late = Closes, record.Mode(v&3), v&late != 0
		return true, nil
	case v == loader:
		m.Kind = Loader
		return true, nil
	case v == unknown:
		m.Kind = Unknown
	default:
		return false, errKind
	}
	return false, nil
}
