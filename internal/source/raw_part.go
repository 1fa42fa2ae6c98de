package source

import (
	"bytes"
	"io"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// RawParts is a Run that reads a stored tensor in part: one of gigabytes costs what
// is asked of it.
type RawParts interface {
	// RawPart is Raw for a part of the values: fn is given where they are and reads
	// what it needs. Errors are those of Raw, and those of fn.
	RawPart(name string, mode record.Mode, step int64, worker string, fn func(RawPart) error) error
}

// RawPart is a stored tensor that is read where it lies. It is open as long as the
// function that was given it runs.
type RawPart struct {
	DType tensor.DType
	Shape []int64
	// Bytes are the values, little-endian, in row-major order.
	Bytes io.ReaderAt
	// Block is how many bytes are read at once, whatever is asked for; 1 or more.
	Block int64
}

// ReadPart reads a tensor in part where the run can do that, and else whole.
func ReadPart(r Run, name string, mode record.Mode, step int64, worker string, fn func(RawPart) error) error {
	if p, ok := r.(RawParts); ok {
		return p.RawPart(name, mode, step, worker, fn)
	}
	v, err := r.Raw(name, mode, step, worker)
	if err != nil {
		return err
	}
	return fn(RawPart{v.DType, v.Shape, bytes.NewReader(v.Data), 1})
}
