package store

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/store/safetensors"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

const (
	// spoolBytes is what a RawWriter keeps in memory; more goes to a file,
	// which costs writing it twice.
	spoolBytes = 128 << 20
	// direct is the size from which a file goes to the disk past the system's
	// cache: copying it there, and letting go of it, costs more than waiting.
	direct = 256 << 10
	// minFree is the share of the disk that raw tensors leave free, where nobody sets another.
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

// rawItem is a tensor and where in the spool its bytes lie, unless they were
// lent.
type rawItem struct {
	safetensors.Item
	off, n int64
	lent   []byte
}

// RawStep opens the file for the raw tensors of one step of a worker; step is
// the mode step. ErrLowDisk when less of the disk is free than
// [Writer.LeaveFree] says.
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
	share, bytes := w.leaveShare, w.leaveBytes
	if share == 0 && bytes == 0 {
		share = minFree
	}
	if u.Free < bytes || float64(u.Free) < share*float64(u.Total) {
		return nil, fmt.Errorf("store raw tensors: only %.1f of %.1f GB are free: %w", float64(u.Free)/1e9, float64(u.Total)/1e9, ErrLowDisk)
	}
	return &RawWriter{w: w, rel: layout.Raw(clean(worker), mode, step), items: map[string]rawItem{}}, nil
}

// Add copies one tensor. A name that was added before is replaced.
func (r *RawWriter) Add(name string, v tensor.View) error {
	name, it, err := r.item(name, v)
	if err != nil {
		return err
	}
	if it.off, err = r.copy(v.Data); err != nil {
		return fmt.Errorf("store raw tensor %.200q: %w", name, err)
	}
	r.items[name] = it
	return nil
}

// Lend is Add without the copy: v is read until Keep, Commit or Abort returns.
func (r *RawWriter) Lend(name string, v tensor.View) error {
	name, it, err := r.item(name, v)
	if err != nil {
		return err
	}
	it.lent = v.Data
	r.items[name] = it
	return nil
}

// Keep copies what was lent. After an error nothing can be added any more.
func (r *RawWriter) Keep() error {
	for name, it := range r.items {
		if it.lent == nil || r.done {
			continue
		}
		var err error
		if it.off, err = r.copy(it.lent); err != nil {
			r.done = true
			return fmt.Errorf("store raw tensor %.200q: %w", name, err)
		}
		it.lent = nil
		r.items[name] = it
	}
	return nil
}

// item checks a tensor that comes; name is the one it is stored under.
func (r *RawWriter) item(name string, v tensor.View) (string, rawItem, error) {
	name = clean(name)
	if _, err := tensor.NewView(v.DType, v.Shape, v.Data); err != nil {
		return name, rawItem{}, fmt.Errorf("store raw tensor %.200q: %w", name, err)
	}
	if r.done {
		return name, rawItem{}, fmt.Errorf("store raw tensor %.200q: %w", name, ErrClosed)
	}
	return name, rawItem{Item: safetensors.Item{Name: name, DType: v.DType, Shape: slices.Clone(v.Shape)}, n: int64(len(v.Data))}, nil
}

// copy takes bytes into the spool and says where they lie.
func (r *RawWriter) copy(b []byte) (off int64, err error) {
	if err := r.flush(len(b)); err != nil {
		return 0, err
	}
	off = r.size + r.used
	if len(b) <= spoolBytes {
		r.hold(b)
		return off, nil
	}
	if _, err := r.spool.Write(b); err != nil {
		return 0, typed(err)
	}
	r.size += int64(len(b))
	return off, nil
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
	if it.lent != nil {
		_, err := out.Write(it.lent)
		return err
	}
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
	create := w.fs.Create
	if total >= direct {
		create = w.fs.CreateOnce
	}
	entry := manifest.File{Path: r.rel, Bytes: total, Block: manifest.BlockSize(total)}
	write := func(out io.Writer) error {
		entry.Sums = nil
		b := newGather(out, &entry)
		defer b.release()
		if _, err := b.Write(header); err != nil {
			return err
		}
		for _, it := range items {
			if err := puts[it.Name](b); err != nil {
				return fmt.Errorf("tensor %.200q: %w", it.Name, err)
			}
		}
		return b.end()
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
		err := replaceBy(w.fs, create, w.at(r.rel), func(out io.Writer) error {
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
	if err := replaceBy(w.fs, create, w.at(r.rel), write); err != nil {
		return err
	}
	if err := list(); err != nil {
		return errors.Join(err, w.fs.Remove(w.at(r.rel)))
	}
	w.wrote(w.at(r.rel), total)
	return nil
}

// LeaveFree sets how much of the disk raw tensors leave free: a share of it, bytes, or
// both. Without it, and with zeros, that is 5 %. It is called before the first raw tensor.
func (w *Writer) LeaveFree(share float64, bytes int64) { w.leaveShare, w.leaveBytes = share, bytes }

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
