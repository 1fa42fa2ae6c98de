package trial

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
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
	var v tensor.View
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.rawTensor(name, mode, step, worker, func(r *safetensors.Reader, at safetensors.Tensor, _ int64) (err error) {
		v, err = r.Read(at)
		return err
	})
	return v, err
}

// RawPart reads of the values of one tensor at one mode step what fn asks for;
// other readers do not wait for it. Errors are those of Raw, and those of fn.
func (t *Trial) RawPart(name string, mode record.Mode, step int64, worker string, fn func(source.RawPart) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var its error
	err := t.rawTensor(name, mode, step, worker, func(r *safetensors.Reader, at safetensors.Tensor, block int64) error {
		t.mu.Unlock()
		defer t.mu.Lock()
		its = fn(source.RawPart{DType: at.DType, Shape: at.Shape, Bytes: r.Section(at), Block: block})
		var damage *manifest.DamageError
		if errors.As(its, &damage) {
			return its
		}
		return nil
	})
	return cmp.Or(err, its)
}

// rawTensor finds a tensor and has it read. What is wrong with its file is damage.
func (t *Trial) rawTensor(name string, mode record.Mode, step int64, worker string, read func(r *safetensors.Reader, at safetensors.Tensor, block int64) error) error {
	fail := func(err error) error {
		return fmt.Errorf("read raw tensor %.200q at %s step %d: %w", name, mode, step, err)
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
		err := t.rawIn(rel, name, read)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.hurtBy(rel, err)
			return fail(err)
		}
	}
	return fail(fs.ErrNotExist)
}

func (t *Trial) rawIn(rel, name string, read func(r *safetensors.Reader, at safetensors.Tensor, block int64) error) error {
	f, err := t.fs.Open(t.at(rel))
	if err != nil {
		return err
	}
	defer f.Close()
	src, size, block, err := t.checked(rel, f)
	if err != nil {
		return err
	}
	r, err := safetensors.Open(src, size)
	if err != nil {
		return err
	}
	at, ok := r.Lookup(name)
	if !ok {
		return fs.ErrNotExist
	}
	return read(r, at, block)
}

// checked gives a reader of a raw file that checks what it reads, in blocks. A file that
// was written twice has two entries in the manifest, and a crash may have left
// either content: then the one that fits as a whole is taken. A file without
// an entry (the power went before the manifest was synced) is read unchecked.
func (t *Trial) checked(rel string, f vfs.File) (src io.ReaderAt, size, block int64, err error) {
	size, err = f.Size()
	if err != nil {
		return nil, 0, 0, err
	}
	entries := t.raw[rel]
	if len(entries) == 0 {
		return f, size, 1, nil
	}
	for i := len(entries) - 1; i >= 0; i-- {
		c := manifest.NewChecked(entries[i], f)
		if len(entries) == 1 {
			if size != entries[i].Bytes {
				break
			}
			return c, size, entries[i].Block, nil
		}
		if c.Verify(size) == nil {
			return c, size, entries[i].Block, nil
		}
	}
	return nil, 0, 0, &manifest.DamageError{File: rel, Reason: fmt.Sprintf("its %d bytes are not those that were written", size)}
}
