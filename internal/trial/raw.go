package trial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/store/safetensors"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Raw reads the values of one tensor at one mode step. Only the tensor's bytes
// are read. The view is the caller's. fs.ErrNotExist when the values are not
// stored; a *manifest.DamageError when they are damaged. An empty worker means
// the chief, or the first that has them.
func (t *Trial) Raw(name string, mode record.Mode, step int64, worker string) (tensor.View, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fail := func(err error) (tensor.View, error) {
		return tensor.View{}, fmt.Errorf("read raw tensor %.200q at %s step %d: %w", name, mode, step, err)
	}
	if err := t.refresh(); err != nil {
		return fail(err)
	}
	workers := []string{worker}
	if worker == "" {
		workers = t.workers()
	}
	for _, w := range workers {
		rel := layout.Raw(w, mode, step)
		v, err := t.rawTensor(rel, name)
		if err == nil {
			return v, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.hurtBy(rel, err)
			return fail(err)
		}
	}
	return fail(fs.ErrNotExist)
}

func (t *Trial) rawTensor(rel, name string) (tensor.View, error) {
	f, err := t.fs.Open(t.at(rel))
	if err != nil {
		return tensor.View{}, err
	}
	defer f.Close()
	src, size, err := t.checked(rel, f)
	if err != nil {
		return tensor.View{}, err
	}
	r, err := safetensors.Open(src, size)
	if err != nil {
		return tensor.View{}, err
	}
	at, ok := r.Lookup(name)
	if !ok {
		return tensor.View{}, fs.ErrNotExist
	}
	return r.Read(at)
}

// checked gives a reader of a raw file that checks what it reads. A file that
// was written twice has two entries in the manifest, and a crash may have left
// either content: then the one that fits as a whole is taken. A file without
// an entry (the power went before the manifest was synced) is read unchecked.
func (t *Trial) checked(rel string, f vfs.File) (io.ReaderAt, int64, error) {
	size, err := f.Size()
	if err != nil {
		return nil, 0, err
	}
	entries := t.raw[rel]
	if len(entries) == 0 {
		return f, size, nil
	}
	for i := len(entries) - 1; i >= 0; i-- {
		c := manifest.NewChecked(entries[i], f)
		if len(entries) == 1 {
			if size != entries[i].Bytes {
				break
			}
			return c, size, nil
		}
		if c.Verify(size) == nil {
			return c, size, nil
		}
	}
	return nil, 0, &manifest.DamageError{File: rel, Reason: fmt.Sprintf("its %d bytes are not those that were written", size)}
}
