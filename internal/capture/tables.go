package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// tables are the names a session has announced.
type tables struct {
	defs    []*TensorDef
	shapes  [][]int64 // by id; 0 is never used
	layouts map[uint32]*layout
	entries int
	bytes   uint64 // of the ring's data area
}

type layout struct {
	places []Place
	bytes  uint64
}

func newTables(dataBytes uint64) *tables {
	return &tables{layouts: map[uint32]*layout{}, bytes: dataBytes}
}

func (t *tables) tensor(id uint32) *TensorDef {
	if int64(id) < int64(len(t.defs)) {
		return t.defs[id]
	}
	return nil
}

func (t *tables) shape(id uint32) ([]int64, bool) {
	if int64(id) < int64(len(t.shapes)) && t.shapes[id] != nil {
		return t.shapes[id], true
	}
	return nil, false
}

// tensors takes announcements in. Those that do not fit are left out; the
// error is about the first of them.
func (t *tables) tensors(infos []TensorInfo) (defs []*TensorDef, err error) {
	for _, in := range infos {
		d, e := t.tensorDef(in)
		if e != nil {
			if err == nil {
				err = e
			}
			continue
		}
		for int64(len(t.defs)) <= int64(d.ID) {
			t.defs = append(t.defs, nil)
		}
		t.defs[d.ID] = d
		defs = append(defs, d)
	}
	return defs, err
}

func (t *tables) tensorDef(in TensorInfo) (*TensorDef, error) {
	if in.ID >= MaxTensors {
		return nil, fmt.Errorf("announce tensor: id %d is beyond the limit of %d", in.ID, MaxTensors)
	}
	if in.Name == "" {
		return nil, fmt.Errorf("announce tensor %d: it has no name", in.ID)
	}
	d := &TensorDef{ID: in.ID, TensorInfo: in.TensorInfo}
	d.Name, d.Cut = cutName(in.Name)
	d.AliasOf, _ = cutName(in.AliasOf)
	d.Module, _ = cutName(in.Module)
	d.ModuleType, _ = cutName(in.ModuleType)
	d.Collections = nil
	switch d.Kind {
	case record.Weight, record.Bias, record.Gradient, record.Loss, record.Input, record.Output, record.Metric, record.Custom, record.Label, record.Prediction, record.State, record.Samples, record.Training:
	default:
		d.Kind = record.Custom
	}
	if err := checkShape(in.Shape); err != nil {
		return nil, fmt.Errorf("announce tensor %.200q: %w", in.Name, err)
	}
	if in.TensorInfo.DType != "" {
		dt, err := tensor.ParseDType(in.TensorInfo.DType)
		if err != nil {
			return nil, fmt.Errorf("announce tensor %.200q: %w", in.Name, err)
		}
		d.DType = dt
	}
	return d, nil
}

// cutName shortens what is longer than a name may be; a hash keeps names apart
// that differ behind the cut.
func cutName(s string) (string, bool) {
	if len(s) <= MaxName {
		return s, false
	}
	sum := sha256.Sum256([]byte(s))
	head := strings.ToValidUTF8(s[:MaxName-17], "")
	return head + "#" + hex.EncodeToString(sum[:8]), true
}

func checkShape(shape []int64) error {
	if len(shape) > maxRank {
		return fmt.Errorf("shape has %d dimensions, more than %d", len(shape), maxRank)
	}
	_, err := tensor.Elements(shape)
	return err
}

func (t *tables) addShapes(shapes []Shape) error {
	for _, s := range shapes {
		if s.ID == 0 || s.ID >= MaxShapes {
			return fmt.Errorf("announce shape: id %d is not between 1 and %d", s.ID, MaxShapes-1)
		}
		if err := checkShape(s.Shape); err != nil {
			return fmt.Errorf("announce shape %d: %w", s.ID, err)
		}
		for int64(len(t.shapes)) <= int64(s.ID) {
			t.shapes = append(t.shapes, nil)
		}
		if s.Shape == nil {
			s.Shape = []int64{}
		}
		t.shapes[s.ID] = s.Shape
	}
	return nil
}

func (t *tables) addLayout(l Layout) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("announce layout %d: %s", l.ID, fmt.Sprintf(format, args...))
	}
	if _, ok := t.layouts[l.ID]; ok {
		return fail("the id is taken")
	}
	if len(t.layouts) >= maxLayouts || t.entries+len(l.Entries) > maxEntries {
		return fail("more layouts than allowed (%d with %d entries)", maxLayouts, maxEntries)
	}
	if l.Bytes > t.bytes {
		return fail("%d bytes are more than the data area has (%d)", l.Bytes, t.bytes)
	}
	lay := &layout{bytes: l.Bytes, places: make([]Place, 0, len(l.Entries))}
	for i, e := range l.Entries {
		d := t.tensor(e.Tensor)
		if d == nil {
			return fail("entry %d: tensor %d was not announced", i, e.Tensor)
		}
		if e.Offset > l.Bytes || e.NBytes > l.Bytes-e.Offset {
			return fail("entry %d: %d bytes at %d lie outside of %d", i, e.NBytes, e.Offset, l.Bytes)
		}
		if err := fits(d.DType, d.Shape, e.NBytes); err != nil {
			return fail("entry %d, %.200q: %v", i, d.Name, err)
		}
		lay.places = append(lay.places, Place{d, e.Offset, e.NBytes})
	}
	t.layouts[l.ID] = lay
	t.entries += len(l.Entries)
	return nil
}

// fits checks that n bytes hold exactly the shape.
func fits(d tensor.DType, shape []int64, n uint64) error {
	size := uint64(d.Size())
	if size == 0 {
		return fmt.Errorf("unknown element type %s", d)
	}
	elems, err := tensor.Elements(shape)
	if err != nil {
		return err
	}
	if uint64(elems) > (1<<62)/size || uint64(elems)*size != n {
		return fmt.Errorf("%d bytes do not hold shape %v of %s", n, shape, d)
	}
	return nil
}
