package measure

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// headerSize is the length of the file's header and of each extent's. Extents
// have lengths that are multiples of it, so a header never crosses a page and
// is written whole or not at all.
const headerSize = 128

// maxRank is the greatest number of dimensions of a value that is kept.
const maxRank = 255

// An extent's header: magic, checksum of the rest (from offset 8), capacity,
// its complement, state, dtype, rank, checksum of the bytes, mode step, length,
// identity, samples, sequence number; little-endian.
const (
	extentMagic = 0x4c505356 // "VSPL"
	stateKept   = 1
)

func fileHeader() []byte {
	b := make([]byte, headerSize)
	copy(b, "VIGILSPILL")
	b[16] = 1 // version
	return b
}

// roundUp is the capacity for so many bytes, in steps of an eighth, so that
// tensors of nearly the same size can use each other's place.
func roundUp(length int64) int64 {
	step := int64(headerSize)
	for step*16 < length {
		step *= 2
	}
	return max((length+step-1)/step, 1) * step
}

func putExtent(b []byte, id identity, c *kept) {
	le := binary.LittleEndian
	clear(b[:headerSize])
	le.PutUint32(b, extentMagic)
	le.PutUint64(b[8:], uint64(c.capacity))
	le.PutUint64(b[16:], ^uint64(c.capacity))
	b[24], b[25], b[26] = stateKept, byte(c.dtype), byte(len(c.shape))
	le.PutUint32(b[28:], c.crc)
	le.PutUint64(b[32:], uint64(c.step))
	le.PutUint64(b[40:], uint64(c.length))
	copy(b[48:64], id[:])
	le.PutUint64(b[64:], uint64(c.samples))
	le.PutUint64(b[72:], c.seq)
	le.PutUint32(b[4:], crc32.Checksum(b[8:headerSize], castagnoli))
}

// extentCapacity reads the part of a header that must be right for the rest of
// the file to be found.
func extentCapacity(b []byte) (int64, bool) {
	le := binary.LittleEndian
	n := le.Uint64(b[8:])
	ok := le.Uint32(b) == extentMagic && le.Uint64(b[16:]) == ^n && n > 0 && n%headerSize == 0 && n < 1<<62
	return int64(n), ok
}

// parseExtent reads a header whose capacity is known to be valid. The shape has
// its length only; it lies with the bytes.
func parseExtent(b []byte) (id identity, c *kept, ok bool) {
	le := binary.LittleEndian
	if le.Uint32(b[4:]) != crc32.Checksum(b[8:headerSize], castagnoli) || b[24] != stateKept {
		return id, nil, false
	}
	c = &kept{
		extent:  extent{capacity: int64(le.Uint64(b[8:]))},
		step:    int64(le.Uint64(b[32:])),
		dtype:   tensor.DType(b[25]),
		shape:   make([]int64, b[26]),
		samples: int64(le.Uint64(b[64:])),
		seq:     le.Uint64(b[72:]),
		length:  int64(le.Uint64(b[40:])),
		crc:     le.Uint32(b[28:]),
	}
	copy(id[:], b[48:64])
	ok = c.dtype.Size() > 0 && c.length >= int64(8*len(c.shape)) && c.length <= c.capacity
	return id, c, ok
}
