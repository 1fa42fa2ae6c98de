package store

import (
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// gather puts a file together in one segment after the other, each of which is
// written at once, and fills in the checksums of its blocks. What is copied is
// summed while it is in the processor's cache, and it is the copy that is
// summed: the values may lie where somebody else could write.
type gather struct {
	out   io.Writer
	entry *manifest.File
	seg   *segment
	n     int    // bytes of seg that are not written yet
	sum   uint32 // of the block that is not whole yet
	part  int64  // bytes of it
	total int64
}

// summed is how many bytes are copied before they are summed.
const summed = 32 << 10

func newGather(out io.Writer, entry *manifest.File) *gather {
	return &gather{out: out, entry: entry, seg: segments.Get().(*segment)}
}

func (g *gather) Write(p []byte) (int, error) {
	for b := p; len(b) > 0; {
		to := g.seg[g.n:min(len(g.seg), g.n+summed)]
		to = to[:min(int64(len(to)), g.entry.Block-g.part)]
		m := copy(to, b)
		g.sum = lines.Extend(g.sum, to[:m])
		g.part += int64(m)
		if g.part == g.entry.Block {
			g.block()
		}
		b = b[m:]
		if g.n += m; g.n == len(g.seg) {
			if err := g.flush(); err != nil {
				return 0, err
			}
		}
	}
	g.total += int64(len(p))
	return len(p), nil
}

func (g *gather) block() {
	if g.part > 0 {
		g.entry.Sums = append(g.entry.Sums, g.sum)
		g.sum, g.part = 0, 0
	}
}

// flush writes the segment: first what can go past the system's cache.
func (g *gather) flush() error {
	body := g.n &^ (vfs.Unit - 1)
	for _, b := range [][]byte{g.seg[:body], g.seg[body:g.n]} {
		if len(b) == 0 {
			continue
		}
		if _, err := g.out.Write(b); err != nil {
			return err
		}
	}
	g.n = 0
	return nil
}

// end writes what is left.
func (g *gather) end() error {
	if err := g.flush(); err != nil {
		return err
	}
	g.block()
	if g.total != g.entry.Bytes {
		return fmt.Errorf("%d bytes were written instead of %d", g.total, g.entry.Bytes)
	}
	return nil
}

// release gives the segment to the next file.
func (g *gather) release() {
	segments.Put(g.seg)
	g.seg = nil
}
