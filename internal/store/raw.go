package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/store/safetensors"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

const (
	// spoolBytes is what a RawWriter keeps in memory; more goes to a file,
	// which costs writing it twice.
	spoolBytes = 128 << 20
	// gather is how many bytes of small tensors are written at once; a large
	// tensor is written from where it lies.
	gather = 64 << 10
	// minFree is the share of the disk that raw tensors leave free.
	minFree = 0.05
)

// segment is a piece of the memory that holds a step until its file is written.
type segment [4 << 20]byte

// segments are those of steps that are in their files, for the next steps: new
// memory for each would be cleared, mapped in and collected again every time.
// What no step takes soon goes with the garbage.
var segments = sync.Pool{New: func() any { return new(segment) }}

// RawWriter collects the raw tensors of one step. One goroutine uses it.
type RawWriter struct {
	w     *Writer
	rel   string
	items map[string]rawItem
	mem   []*segment
	used  int64    // bytes of mem
	spool vfs.File // holds what came before mem; nil while everything is in mem
	size  int64    // of the spool
	done  bool
}

// rawItem is a tensor and where in the spool its bytes lie.
type rawItem struct {
	safetensors.Item
	off, n int64
}

// RawStep opens the file for the raw tensors of one step of a worker; step is
// the mode step. ErrLowDisk when less than 5 % of the disk is free.
func (w *Writer) RawStep(worker string, mode record.Mode, step int64) (*RawWriter, error) {
	w.mu.Lock()
	closed := w.closed
	w.mu.Unlock()
	if closed {
		return nil, fmt.Errorf("store raw tensors: %w", ErrClosed)
	}
	u, err := w.FreeDisk()
	if err != nil {
		return nil, fmt.Errorf("store raw tensors: %w", err)
	}
	if float64(u.Free) < minFree*float64(u.Total) {
		return nil, fmt.Errorf("store raw tensors: %d of %d bytes are free: %w", u.Free, u.Total, ErrLowDisk)
	}
	return &RawWriter{w: w, rel: layout.Raw(clean(worker), mode, step), items: map[string]rawItem{}}, nil
}

// Add copies one tensor. A name that was added before is replaced.
func (r *RawWriter) Add(name string, v tensor.View) error {
	name = clean(name)
	if _, err := tensor.NewView(v.DType, v.Shape, v.Data); err != nil {
		return fmt.Errorf("store raw tensor %.200q: %w", name, err)
	}
	if r.done {
		return fmt.Errorf("store raw tensor %.200q: %w", name, ErrClosed)
	}
	if err := r.flush(len(v.Data)); err != nil {
		return fmt.Errorf("store raw tensor %.200q: %w", name, err)
	}
	off := r.size + r.used
	if len(v.Data) > spoolBytes {
		if _, err := r.spool.Write(v.Data); err != nil {
			return typed(fmt.Errorf("store raw tensor %.200q: %w", name, err))
		}
		r.size += int64(len(v.Data))
	} else {
		r.hold(v.Data)
	}
	r.items[name] = rawItem{safetensors.Item{Name: name, DType: v.DType, Shape: slices.Clone(v.Shape)}, off, int64(len(v.Data))}
	return nil
}

// hold copies bytes to the end of the memory.
func (r *RawWriter) hold(b []byte) {
	for len(b) > 0 {
		at := int(r.used % int64(len(segment{})))
		if at == 0 && int64(len(r.mem))*int64(len(segment{})) == r.used {
			r.mem = append(r.mem, segments.Get().(*segment))
		}
		n := copy(r.mem[len(r.mem)-1][at:], b)
		r.used += int64(n)
		b = b[n:]
	}
}

// held writes the n bytes of the memory from off on.
func (r *RawWriter) held(out io.Writer, off, n int64) error {
	for n > 0 {
		s := r.mem[off/int64(len(segment{}))]
		b := s[off%int64(len(s)):]
		b = b[:min(int64(len(b)), n)]
		if _, err := out.Write(b); err != nil {
			return err
		}
		off += int64(len(b))
		n -= int64(len(b))
	}
	return nil
}

// release gives the memory to the next step.
func (r *RawWriter) release() {
	for _, s := range r.mem {
		segments.Put(s)
	}
	r.mem, r.used = nil, 0
}

// flush moves what is in memory to a file when n more bytes are too many.
func (r *RawWriter) flush(n int) error {
	if r.used+int64(n) <= spoolBytes {
		return nil
	}
	if r.spool == nil {
		full := r.w.at(r.rel)
		if err := r.w.fs.MkdirAll(filepath.Dir(full)); err != nil {
			return typed(err)
		}
		f, err := r.w.fs.Create(full + ".spool" + tempSuffix)
		if err != nil {
			return typed(err)
		}
		r.spool = f
	}
	if err := r.held(r.spool, 0, r.used); err != nil {
		r.done = true // the spool's offsets do not fit any more
		return typed(err)
	}
	r.size += r.used
	r.release()
	return nil
}

// put writes the bytes of an item.
func (r *RawWriter) put(out io.Writer, it rawItem) error {
	if it.off >= r.size {
		return r.held(out, it.off-r.size, it.n)
	}
	_, err := io.Copy(out, io.NewSectionReader(r.spool, it.off, it.n))
	return err
}

// Abort drops what was added. It does nothing after Commit.
func (r *RawWriter) Abort() {
	r.done = true
	r.release()
	if r.spool != nil {
		_ = r.spool.Close()
		_ = r.w.fs.Remove(r.w.at(r.rel) + ".spool" + tempSuffix)
		r.spool = nil
	}
}

// Commit makes the file visible, synced and listed in the manifest. Tensors
// that an earlier commit left for the same step stay. After an error nothing
// of this commit is there. A commit of nothing leaves no file.
func (r *RawWriter) Commit() error {
	defer r.Abort()
	if r.done || len(r.items) == 0 {
		return nil
	}
	if err := r.commit(); err != nil {
		return typed(fmt.Errorf("store raw tensors in %q: %w", r.rel, err))
	}
	return nil
}

func (r *RawWriter) commit() error {
	w := r.w
	puts := map[string]func(io.Writer) error{}
	var items []safetensors.Item
	for name, it := range r.items {
		items = append(items, it.Item)
		puts[name] = func(out io.Writer) error { return r.put(out, it) }
	}
	again := false
	if f, err := w.fs.Open(w.at(r.rel)); err == nil {
		again = true
		defer f.Close()
		size, err := f.Size()
		if err != nil {
			return err
		}
		// An earlier file that is damaged has nothing to add.
		if old, err := safetensors.Open(f, size); err == nil {
			for _, t := range old.Tensors() {
				if _, newer := r.items[t.Name]; !newer {
					items = append(items, safetensors.Item{Name: t.Name, DType: t.DType, Shape: t.Shape})
					puts[t.Name] = func(out io.Writer) error {
						_, err := io.Copy(out, io.NewSectionReader(f, t.Start, t.End-t.Start))
						return err
					}
				}
			}
		}
	} else if !missing(err) {
		return err
	}
	safetensors.SortItems(items)
	header, err := safetensors.Header(items)
	if err != nil {
		return err
	}
	total, err := safetensors.Size(items, header)
	if err != nil {
		return err
	}
	entry := manifest.File{Path: r.rel, Bytes: total, Block: manifest.BlockSize(total)}
	write := func(out io.Writer) error {
		entry.Sums = nil
		s := &summer{out: out, entry: &entry}
		b := bufio.NewWriterSize(s, gather)
		if _, err := b.Write(header); err != nil {
			return err
		}
		for _, it := range items {
			if err := puts[it.Name](b); err != nil {
				return fmt.Errorf("tensor %.200q: %w", it.Name, err)
			}
		}
		if err := b.Flush(); err != nil {
			return err
		}
		if s.n != total {
			return fmt.Errorf("%d bytes were written instead of %d", s.n, total)
		}
		s.end()
		return nil
	}
	list := func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.closed {
			return ErrClosed
		}
		if err := w.event(manifest.Event{Raw: &entry}); err != nil {
			return err
		}
		w.keep.written += total - w.raw[r.rel]
		w.raw[r.rel] = total
		return nil
	}
	if again {
		// A crash must leave a content that a line of the manifest fits, so
		// the line comes before the file changes and the old line, which must
		// be safe first, stays true until then.
		if err := w.manifest.sync(); err != nil {
			return err
		}
		err := replace(w.fs, w.at(r.rel), func(out io.Writer) error {
			if err := write(out); err != nil {
				return err
			}
			if err := list(); err != nil {
				return err
			}
			return w.manifest.sync()
		})
		if err == nil {
			w.wrote(w.at(r.rel), total)
		}
		return err
	}
	if err := replace(w.fs, w.at(r.rel), write); err != nil {
		return err
	}
	if err := list(); err != nil {
		return errors.Join(err, w.fs.Remove(w.at(r.rel)))
	}
	w.wrote(w.at(r.rel), total)
	return nil
}

// summer writes through and fills in the checksums of the blocks.
type summer struct {
	out   io.Writer
	entry *manifest.File
	sum   uint32 // of the block that is not whole yet
	part  int64  // bytes of it
	n     int64
}

func (s *summer) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	s.n += int64(n)
	for b := p[:n]; len(b) > 0; {
		m := min(int64(len(b)), s.entry.Block-s.part)
		s.sum = lines.Extend(s.sum, b[:m])
		s.part += m
		b = b[m:]
		if s.part == s.entry.Block {
			s.end()
		}
	}
	return n, err
}

func (s *summer) end() {
	if s.part > 0 {
		s.entry.Sums = append(s.entry.Sums, s.sum)
		s.sum, s.part = 0, 0
	}
}

// FreeDisk says how much of the disk below the run is free.
func (w *Writer) FreeDisk() (vfs.Usage, error) { return w.fs.Usage(w.path) }

// RawBytes is what this run's raw files take.
func (w *Writer) RawBytes() (total int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.raw {
		total += n
	}
	return total
}
