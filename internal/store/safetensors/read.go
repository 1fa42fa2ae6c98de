package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// ErrFormat says that a file is not a safetensors file, or not a sound one.
var ErrFormat = errors.New("not a sound safetensors file")

// Reader is an open file: its header was checked, its data is not read before
// it is asked for.
type Reader struct {
	src      io.ReaderAt
	list     []Tensor
	byName   map[string]int
	metadata map[string]string
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrFormat, fmt.Errorf(format, args...))
}

// Open reads and checks the header of a file of size bytes. Errors wrap
// ErrFormat unless src could not be read.
func Open(src io.ReaderAt, size int64) (*Reader, error) {
	var head [8]byte
	if size < 8 {
		return nil, bad("%d bytes are too few", size)
	}
	if err := readFull(src, head[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > MaxHeader || int64(n) > size-8 {
		return nil, bad("a header of %d bytes in a file of %d", n, size)
	}
	header := make([]byte, n)
	if err := readFull(src, header, 8); err != nil {
		return nil, err
	}
	r := &Reader{src: src, byName: map[string]int{}}
	if err := r.parse(header, 8+int64(n), size); err != nil {
		return nil, err
	}
	return r, nil
}

func readFull(src io.ReaderAt, b []byte, off int64) error {
	n, err := src.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		return bad("ends at byte %d", off+int64(n))
	}
	return err
}

func (r *Reader) parse(header []byte, start, size int64) error {
	names, raw, err := members(header)
	if err != nil {
		return err
	}
	if m, ok := raw[metadataKey]; ok {
		if err := json.Unmarshal(m, &r.metadata); err != nil {
			return bad("metadata: %w", err)
		}
	}
	real, err := mapping(r.metadata, metaDTypes)
	if err != nil {
		return bad("%w", err)
	}
	called, err := mapping(r.metadata, metaNames)
	if err != nil {
		return bad("%w", err)
	}
	for _, name := range names {
		if name == metadataKey {
			continue
		}
		t, err := parseEntry(raw[name], start, size)
		if err != nil {
			return bad("tensor %.200q: %w", name, err)
		}
		if text, ok := real[name]; ok {
			d, err := tensor.ParseDType(text)
			if err == nil {
				t.DType, t.Shape, err = undisguise(t.DType, t.Shape, d)
			}
			if err != nil {
				return bad("tensor %.200q: %w", name, err)
			}
		}
		t.Name = name
		if alias, ok := called[name]; ok {
			t.Name = alias
		}
		r.list = append(r.list, t)
	}
	return r.order(start, size)
}

// members decodes the top level of the header and refuses a key that comes
// twice, which encoding/json would let pass.
func members(header []byte) ([]string, map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return nil, nil, bad("the header is not a JSON object")
	}
	var names []string
	raw := map[string]json.RawMessage{}
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return nil, nil, bad("header: %w", err)
		}
		name, ok := tok.(string)
		if _, twice := raw[name]; !ok || twice {
			return nil, nil, bad("header names %.200q twice", name)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, nil, bad("header: %w", err)
		}
		names = append(names, name)
		raw[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, bad("header: %w", err)
	}
	if rest := bytes.TrimRight(header[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, nil, bad("%d bytes after the header's end", len(rest))
	}
	return names, raw, nil
}

func parseEntry(raw json.RawMessage, start, size int64) (Tensor, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var e entry
	if err := d.Decode(&e); err != nil {
		return Tensor{}, err
	}
	dtype, err := tensor.ParseDType(e.DType)
	if err != nil {
		return Tensor{}, err
	}
	if stored, _, hidden := disguise(dtype, nil); hidden || stored != e.DType {
		return Tensor{}, fmt.Errorf("element type %q is not one of the format", e.DType)
	}
	if e.Shape == nil || len(e.Offsets) != 2 {
		return Tensor{}, errors.New("shape or data_offsets missing")
	}
	n, err := tensor.Elements(e.Shape)
	if err != nil {
		return Tensor{}, err
	}
	a, b := e.Offsets[0], e.Offsets[1]
	if a < 0 || b < a || b > size-start {
		return Tensor{}, fmt.Errorf("offsets %d to %d lie outside the %d bytes of data", a, b, size-start)
	}
	if n > (b-a)/int64(dtype.Size()) || n*int64(dtype.Size()) != b-a {
		return Tensor{}, fmt.Errorf("%d bytes do not hold shape %v of %s", b-a, e.Shape, dtype)
	}
	return Tensor{DType: dtype, Shape: e.Shape, Start: start + a, End: start + b}, nil
}

// order sorts the tensors by place and checks that they cover the data: no
// hole, no overlap, nothing after the last.
func (r *Reader) order(start, size int64) error {
	sort.SliceStable(r.list, func(i, j int) bool {
		a, b := r.list[i], r.list[j]
		return a.Start < b.Start || a.Start == b.Start && a.End < b.End
	})
	at := start
	for i, t := range r.list {
		if t.Start != at {
			return bad("tensor %.200q begins at byte %d, the one before it ends at %d", t.Name, t.Start, at)
		}
		at = t.End
		if _, twice := r.byName[t.Name]; twice {
			return bad("two tensors are called %.200q", t.Name)
		}
		r.byName[t.Name] = i
	}
	if at != size {
		return bad("%d bytes after the last tensor", size-at)
	}
	return nil
}

// Tensors lists the tensors in the order of their bytes.
func (r *Reader) Tensors() []Tensor { return slices.Clone(r.list) }

// Lookup finds a tensor by its name.
func (r *Reader) Lookup(name string) (Tensor, bool) {
	i, ok := r.byName[name]
	if !ok {
		return Tensor{}, false
	}
	return r.list[i], true
}

// Metadata is the header's free text.
func (r *Reader) Metadata() map[string]string { return r.metadata }

// Read reads one tensor's bytes. The view is the caller's.
func (r *Reader) Read(t Tensor) (tensor.View, error) {
	data := make([]byte, t.End-t.Start)
	if err := readFull(r.src, data, t.Start); err != nil {
		return tensor.View{}, fmt.Errorf("read tensor %.200q: %w", t.Name, err)
	}
	return tensor.NewView(t.DType, t.Shape, data)
}

// Section is where one tensor's bytes are; they are read when they are asked for.
func (r *Reader) Section(t Tensor) io.ReaderAt {
	return io.NewSectionReader(r.src, t.Start, t.End-t.Start)
}
