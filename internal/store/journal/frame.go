// Package journal is the append-only file in which steps stand until they are
// sealed: how records are framed so that a torn or damaged one is noticed and
// the next one is found again, and how steps and decisions are spelt in them.
// docs/formats/journal.md is the page for users.
package journal

import (
	"bytes"
	"encoding/binary"

	"github.com/vigil-ml/vigil/internal/store/lines"
)

// Header opens every journal.
const Header = "vigil journal 1\n"

const (
	magic      = "VJR1"
	frameBytes = 16
	// MaxPayload bounds what one record may hold.
	MaxPayload = 1 << 30
)

// AppendFrame appends the frame of a payload that will stand at offset off of
// its file: magic, length, CRC-32C of the payload, CRC-32C of the frame so far
// and of the offset. The offset is in the sum so that bytes in the wrong place
// are no record.
func AppendFrame(b []byte, off int64, payload []byte) []byte {
	start := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint32(b, lines.Checksum(payload))
	b = binary.LittleEndian.AppendUint32(b, frameSum(b[start:start+12], off))
	return append(b, payload...)
}

func frameSum(head []byte, off int64) uint32 {
	var full [20]byte
	copy(full[:12], head)
	binary.LittleEndian.PutUint64(full[12:], uint64(off))
	return lines.Checksum(full[:])
}

// frame is a frame whose own sum is right.
type frame struct {
	n   int // length of the payload
	sum uint32
}

func parseFrame(b []byte, off int64) (frame, bool) {
	if len(b) < frameBytes || string(b[:4]) != magic {
		return frame{}, false
	}
	n := binary.LittleEndian.Uint32(b[4:])
	if binary.LittleEndian.Uint32(b[12:]) != frameSum(b[:12], off) || n > MaxPayload {
		return frame{}, false
	}
	return frame{int(n), binary.LittleEndian.Uint32(b[8:])}, true
}

// Tail is what follows the last whole record of a journal.
type Tail struct {
	Bytes int64
	// Garbage says that these bytes are not the beginning of a record that is
	// still being written.
	Garbage bool
}

// Scan takes the bytes of a journal from offset base on apart. record gets
// each whole record, with the payload valid during the call only; bad gets
// each damaged stretch that a whole record follows. next is where to go on
// when the file has grown: what lies behind it is the tail.
func Scan(b []byte, base int64, record func(off int64, payload []byte), bad func(off, n int64)) (next int64, tail Tail) {
	pos := 0
	if base == 0 {
		if len(b) < len(Header) {
			return 0, Tail{int64(len(b)), !bytes.HasPrefix([]byte(Header), b)}
		}
		if string(b[:len(Header)]) != Header {
			bad(0, int64(len(Header)))
		}
		pos = len(Header)
	}
	skipped := -1 // start of a damaged stretch
	for pos < len(b) {
		rest := b[pos:]
		f, ok := parseFrame(rest, base+int64(pos))
		if ok && len(rest) < frameBytes+f.n {
			break
		}
		whole := ok && lines.Checksum(rest[frameBytes:frameBytes+f.n]) == f.sum
		switch {
		case whole:
			if skipped >= 0 {
				bad(base+int64(skipped), int64(pos-skipped))
				skipped = -1
			}
			record(base+int64(pos), rest[frameBytes:frameBytes+f.n])
			pos += frameBytes + f.n
		default:
			if skipped < 0 {
				skipped = pos
			}
			if ok {
				pos += frameBytes + f.n
				continue
			}
			i := bytes.Index(rest[1:], []byte(magic))
			if i < 0 {
				pos = len(b)
				continue
			}
			pos += 1 + i
		}
	}
	end := pos
	if skipped >= 0 {
		end = skipped
	}
	tail = Tail{Bytes: int64(len(b) - end)}
	if tail.Bytes > 0 {
		tail.Garbage = skipped >= 0 && !beginning(b[skipped:], base+int64(skipped))
	}
	return base + int64(end), tail
}

// beginning reports whether b may be a record that is being written.
func beginning(b []byte, off int64) bool {
	if len(b) < frameBytes {
		return bytes.HasPrefix([]byte(magic), b[:min(len(b), 4)])
	}
	f, ok := parseFrame(b, off)
	return ok && len(b) < frameBytes+f.n
}
