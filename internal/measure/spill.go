package measure

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// spill is the file that holds earlier values. It is read and written, not
// mapped, so that a full disk or a bad block is an error and not a signal.
//
// The file is a header and extents, one after the other without gaps; an extent
// never changes its place or size, but what it holds is replaced when nobody
// needs it any more. What a killed process leaves is whole or recognised as
// torn by its checksum. Nothing is synced: the file matters only as long as the
// training process lives, and it dies with the machine.
type spill struct {
	path  string
	limit int64
	file  *os.File // nil until something is kept
	size  int64
	seq   uint64 // of the last value kept
	free  []extent
	found map[identity][]*kept // of an earlier process, not claimed yet
	spare []*kept              // memory to use again
	buf   []byte
}

// extent is a place in the file.
type extent struct {
	at       int64 // of its header
	capacity int64 // bytes that follow the header
}

// identity tells histories apart. It is a hash, so that names of any length
// take the same room.
type identity [16]byte

// kept is one earlier value.
type kept struct {
	extent
	step    int64
	dtype   tensor.DType
	shape   []int64
	samples int64
	seq     uint64 // counts up with every value that is kept
	length  int64  // of shape and bytes
	crc     uint32
}

// history is what is kept of one tensor in one mode (and one request for
// units), in the order of the steps.
type history struct {
	id   identity
	kept []*kept
}

// chunk is how much is read or written at once: it stays in the second-level
// cache between the file and the kernel.
const chunk = 256 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func openSpill(path string, limit int64) (*spill, error) {
	s := &spill{path: path, limit: limit, found: map[identity][]*kept{}, buf: make([]byte, chunk)}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.file = f
	if err := s.scan(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// create makes the file.
func (s *spill) create() error {
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("create spill file: %w", err)
	}
	if _, err := f.WriteAt(fileHeader(), 0); err != nil {
		f.Close()
		return fmt.Errorf("write spill file: %w", err)
	}
	s.file, s.size = f, headerSize
	return nil
}

// scan finds the extents of an existing file. From the first place where there
// is none on, the file is used again.
func (s *spill) scan() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	b := make([]byte, headerSize)
	if _, err := s.file.ReadAt(b, 0); err != nil || string(b) != string(fileHeader()) {
		if _, err := s.file.WriteAt(fileHeader(), 0); err != nil {
			return err
		}
		s.size = headerSize
		return s.file.Truncate(headerSize)
	}
	at := int64(headerSize)
	for at < info.Size() {
		if _, err := s.file.ReadAt(b, at); err != nil {
			break
		}
		capacity, ok := extentCapacity(b)
		if !ok || capacity > info.Size()-at-headerSize {
			break
		}
		if id, c, ok := parseExtent(b); ok {
			c.at = at
			s.seq = max(s.seq, c.seq)
			s.found[id] = append(s.found[id], c)
		} else {
			s.free = append(s.free, extent{at, capacity})
		}
		at += headerSize + capacity
	}
	s.size = at
	return s.file.Truncate(at)
}

// history claims what an earlier process kept under a name, after checking
// that it is whole.
func (s *spill) history(name string, mode record.Mode, part string) *history {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", mode, part, name))
	h := &history{id: identity(sum[:])}
	found := s.found[h.id]
	delete(s.found, h.id)
	// Of two values of one step the one written last counts.
	slices.SortFunc(found, func(a, b *kept) int { return cmp.Compare(b.seq, a.seq) })
	for _, c := range found {
		whole, err := s.verify(c)
		switch {
		case err != nil: // a place that cannot be read is not used again
		case !whole || slices.ContainsFunc(h.kept, func(o *kept) bool { return o.step == c.step }):
			s.free = append(s.free, c.extent)
		default:
			h.insert(c)
		}
	}
	return h
}

func (h *history) insert(c *kept) {
	i, _ := slices.BinarySearchFunc(h.kept, c.step, func(o *kept, step int64) int { return cmp.Compare(o.step, step) })
	h.kept = slices.Insert(h.kept, i, c)
}

// verify reads a value's bytes once, checks their sum, and completes its shape.
func (s *spill) verify(c *kept) (whole bool, err error) {
	crc := uint32(0)
	for at := int64(0); at < c.length; at += chunk {
		b := s.buf[:min(chunk, c.length-at)]
		if _, err := s.file.ReadAt(b, c.at+headerSize+at); err != nil {
			return false, fmt.Errorf("read spill file: %w", err)
		}
		crc = crc32.Update(crc, castagnoli, b)
		if at == 0 {
			for i := range c.shape {
				c.shape[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
	}
	if crc != c.crc {
		return false, nil
	}
	n, err := tensor.Elements(c.shape)
	return err == nil && n*int64(c.dtype.Size()) == c.length-8*int64(len(c.shape)), nil
}

// keep stores a value for later steps; a value of the same step is replaced.
func (s *spill) keep(h *history, step, samples int64, v tensor.View) error {
	if len(v.Shape) > maxRank {
		return fmt.Errorf("keep value: more than %d dimensions", maxRank)
	}
	if s.file == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	s.release(h, func(c *kept) bool { return c.step != step })
	c := s.newKept()
	*c = kept{step: step, dtype: v.DType, shape: append(c.shape[:0], v.Shape...), samples: samples, length: int64(8*len(v.Shape) + len(v.Data))}
	x, grown, err := s.place(c.length)
	if err != nil {
		return err
	}
	c.extent = x
	s.seq++
	c.seq = s.seq
	if err := s.write(h.id, c, v); err != nil {
		if !grown {
			s.free = append(s.free, x)
		}
		return fmt.Errorf("write spill file: %w", err)
	}
	if grown {
		s.size = x.at + headerSize + x.capacity
	}
	h.insert(c)
	return nil
}

// place finds room for length bytes: the smallest free extent that is not more
// than twice too large, or one at the end of the file.
func (s *spill) place(length int64) (x extent, grown bool, err error) {
	best := -1
	for i, f := range s.free {
		if f.capacity >= length && f.capacity <= 2*length+4096 && (best < 0 || f.capacity < s.free[best].capacity) {
			best = i
		}
	}
	if best >= 0 {
		x = s.free[best]
		s.free = slices.Delete(s.free, best, best+1)
		return x, false, nil
	}
	capacity := roundUp(length)
	if s.size+headerSize+capacity > s.limit {
		return extent{}, false, fmt.Errorf("keep value of %d bytes: the spill file would exceed its limit of %d bytes", length, s.limit)
	}
	return extent{s.size, capacity}, true, nil
}

// write puts the bytes first and the header last, so that a header tells of
// bytes that are there. A new extent's capacity is filled, so that the file has
// no gap.
func (s *spill) write(id identity, c *kept, v tensor.View) error {
	b := s.buf[:headerSize]
	clear(b)
	for _, d := range v.Shape {
		b = binary.LittleEndian.AppendUint64(b, uint64(d))
	}
	first := min(len(v.Data), chunk-len(b))
	b = append(b, v.Data[:first]...)
	crc := crc32.Update(0, castagnoli, b[headerSize:])
	for rest := v.Data[first:]; len(rest) > 0; {
		n := min(len(rest), chunk)
		crc = crc32.Update(crc, castagnoli, rest[:n])
		if _, err := s.file.WriteAt(rest[:n], c.at+int64(len(b)+len(v.Data)-first-len(rest))); err != nil {
			return err
		}
		rest = rest[n:]
	}
	c.crc = crc
	if end := c.at + headerSize + c.capacity; end > s.size {
		if err := s.file.Truncate(end); err != nil {
			return err
		}
	}
	putExtent(b[:headerSize], id, c)
	_, err := s.file.WriteAt(b, c.at)
	return err
}

// release lets go of the values that are not needed, the latest first.
func (s *spill) release(h *history, needed func(*kept) bool) {
	for i, c := range slices.Backward(h.kept) {
		if !needed(c) {
			s.free = append(s.free, c.extent)
			s.spare = append(s.spare, c)
			h.kept = slices.Delete(h.kept, i, i+1)
		}
	}
}

func (s *spill) newKept() *kept {
	if n := len(s.spare); n > 0 {
		c := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return c
	}
	return new(kept)
}

// compare computes the statistics of a pair.
func (s *spill) compare(older *kept, v tensor.View, o tensor.PairOptions) (tensor.PairStats, error) {
	var a tensor.PairAccumulator
	sc, so := int64(v.DType.Size()), int64(older.dtype.Size())
	at := older.at + headerSize + int64(8*len(older.shape))
	count := int64(len(v.Data)) / max(sc, 1)
	for i := int64(0); i < count; {
		n := min(count-i, chunk/so)
		b := s.buf[:n*so]
		if _, err := s.file.ReadAt(b, at+i*so); err != nil {
			return tensor.PairStats{}, fmt.Errorf("read spill file: %w", err)
		}
		a.Add(v.DType, v.Data[i*sc:(i+n)*sc], older.dtype, b, o)
		i += n
	}
	return a.Stats(), nil
}

// addCounts adds kept counts to totals.
func (s *spill) addCounts(totals []uint64, c *kept) error {
	at := c.at + headerSize + int64(8*len(c.shape))
	for len(totals) > 0 {
		n := min(len(totals), chunk/4)
		b := s.buf[:4*n]
		if _, err := s.file.ReadAt(b, at); err != nil {
			return fmt.Errorf("read spill file: %w", err)
		}
		for i := range n {
			totals[i] += uint64(binary.LittleEndian.Uint32(b[4*i:]))
		}
		totals, at = totals[n:], at+int64(4*n)
	}
	return nil
}

func (s *spill) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

func (s *spill) remove() error {
	err := s.close()
	if e := os.Remove(s.path); !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}
