package manifest

import (
	"fmt"
	"io"
	"sync"

	"github.com/vigil-ml/vigil/internal/store/lines"
)

// Checked reads a file and checks every block that a read touches before any
// of its bytes is handed out. It keeps the last few blocks, so that many small
// reads in one place cost one.
type Checked struct {
	file File
	src  io.ReaderAt

	mu     sync.Mutex
	blocks [4]block
	turn   int
}

type block struct {
	n    int64 // number of the block plus one
	data []byte
}

// NewChecked reads src as the manifest describes it.
func NewChecked(f File, src io.ReaderAt) *Checked { return &Checked{file: f, src: src} }

// DamageError says which file does not hold what was written.
type DamageError struct {
	File   string
	Reason string
}

func (e *DamageError) Error() string { return fmt.Sprintf("read %q: %s", e.File, e.Reason) }

// ReadAt implements io.ReaderAt. Its errors are *DamageError when bytes differ
// from what was written.
func (c *Checked) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= c.file.Bytes {
		return 0, io.EOF
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < len(p) && off < c.file.Bytes {
		if m, err := c.direct(p[n:], off); m > 0 || err != nil {
			n += m
			off += int64(m)
			if err != nil {
				return n, err
			}
			continue
		}
		data, err := c.block(off / c.file.Block)
		if err != nil {
			return n, err
		}
		m := copy(p[n:], data[off%c.file.Block:])
		n += m
		off += int64(m)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// atOnce is what direct reads before it checks: so much stays in a core's cache.
const atOnce = 256 << 10

// direct reads whole blocks to where they belong and checks them there; it says
// how many bytes are right. 0: p has no room for a whole block from off on, or
// off is inside of one.
func (c *Checked) direct(p []byte, off int64) (int, error) {
	size := c.file.Block
	if off%size != 0 {
		return 0, nil
	}
	m := min(int64(len(p)), c.file.Bytes-off, max(atOnce/size, 1)*size)
	if off+m < c.file.Bytes {
		m -= m % size
	}
	if m == 0 {
		return 0, nil
	}
	n, err := c.src.ReadAt(p[:m], off)
	if int64(n) < m && err != nil && err != io.EOF {
		return 0, fmt.Errorf("read %q: %w", c.file.Path, err)
	}
	for at := int64(0); at < m; at += size {
		end := min(at+size, m)
		if err := c.sound(p[at:min(end, max(int64(n), at))], off+at, end-at); err != nil {
			return int(at), err
		}
	}
	return int(m), nil
}

// sound checks a block of so many bytes that begins at start.
func (c *Checked) sound(data []byte, start, want int64) error {
	if int64(len(data)) < want {
		return &DamageError{c.file.Path, fmt.Sprintf("is shorter than the %d bytes that were written", c.file.Bytes)}
	}
	if lines.Checksum(data) != c.file.Sums[start/c.file.Block] {
		return &DamageError{c.file.Path, fmt.Sprintf("bytes %d to %d do not match their checksum", start, start+want)}
	}
	return nil
}

func (c *Checked) block(i int64) ([]byte, error) {
	for _, b := range c.blocks {
		if b.n == i+1 {
			return b.data, nil
		}
	}
	start := i * c.file.Block
	data := make([]byte, min(c.file.Block, c.file.Bytes-start))
	n, err := c.src.ReadAt(data, start)
	if n < len(data) && err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %q: %w", c.file.Path, err)
	}
	if err := c.sound(data[:n], start, int64(len(data))); err != nil {
		return nil, err
	}
	c.blocks[c.turn] = block{i + 1, data}
	c.turn = (c.turn + 1) % len(c.blocks)
	return data, nil
}

// Verify reads the whole file and compares its length.
func (c *Checked) Verify(size int64) error {
	if size != c.file.Bytes {
		return &DamageError{c.file.Path, fmt.Sprintf("has %d bytes instead of %d", size, c.file.Bytes)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.file.Sums {
		if _, err := c.block(int64(i)); err != nil {
			return err
		}
	}
	return nil
}
