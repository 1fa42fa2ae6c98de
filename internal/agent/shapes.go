package agent

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// shapes are what a worker's tensors were like when they were stored last: a
// shape is stored again when it has changed.
type shapes struct {
	// first are the shapes that were announced first: those of tensors of which
	// no other one is stored.
	first map[string][]int64
	last  map[trackedShape][]int64
	// vary: not every shape was that announced first. Then those of every step are
	// looked at when it closes, since several may be open.
	vary bool
	// unsure: something is stored that is not known here, so that the first
	// shape of each tensor is stored whatever it is.
	unsure bool
}

type trackedShape struct {
	tensor string
	mode   record.Mode
}

// shapeSeen is a shape of a tensor at an open step.
type shapeSeen struct {
	tensor string
	shape  []int64
}

// newShapes begins with a worker of which nothing is stored, or looks that
// something is.
func newShapes(run, worker string) shapes {
	s := shapes{first: map[string][]int64{}}
	_, err := os.Stat(filepath.Join(run, filepath.FromSlash(layout.Series(worker)), layout.Announced))
	s.unsure = err == nil
	return s
}

func (s *shapes) announce(tensor string, shape []int64) {
	if _, known := s.first[tensor]; !known {
		s.first[tensor] = shape
	}
}

// forget is called when something was not stored that should have been.
func (s *shapes) forget() { s.last, s.unsure = nil, true }

// stored is the shape that a reader takes a tensor to have.
func (s *shapes) stored(k trackedShape) (shape []int64, known bool) {
	if shape, known = s.last[k]; known || s.unsure {
		return shape, known
	}
	shape, known = s.first[k.tensor]
	return shape, known // of strings there is none
}

// shaped notes the shape of a tensor of a step, where it may have to be stored.
func (w *worker) shaped(o *openStep, tensor string, shape []int64) {
	s := &w.shapes
	if s.vary = s.vary || s.unsure || !slices.Equal(s.first[tensor], shape); s.vary {
		o.shapes = append(o.shapes, shapeSeen{tensor, shape})
	}
}

// newShapes are the shapes that a step stores.
func (w *worker) newShapes(o *openStep) (out []record.Derived) {
	s := &w.shapes
	for _, seen := range o.shapes {
		k := trackedShape{seen.tensor, o.key.mode}
		if was, known := s.stored(k); known && slices.Equal(was, seen.shape) {
			continue
		}
		if s.last == nil {
			s.last = map[trackedShape][]int64{}
		}
		s.last[k] = seen.shape
		out = append(out, record.ShapeNumbers(seen.tensor, seen.shape)...)
	}
	return out
}
