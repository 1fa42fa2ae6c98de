package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// Item is a tensor to be described by a header: what it is and how many bytes
// it has. Its place follows from the order of the items.
type Item struct {
	Name  string
	DType tensor.DType
	Shape []int64
}

func (it Item) bytes() (int64, error) {
	n, err := tensor.Elements(it.Shape)
	if err != nil {
		return 0, err
	}
	size := int64(it.DType.Size())
	if size == 0 || n > (1<<62)/size {
		return 0, fmt.Errorf("a tensor of type %s and shape %v cannot be stored", it.DType, it.Shape)
	}
	return n * size, nil
}

// SortItems puts items into the order in which every tensor is aligned to its
// element size: by falling size, then by name.
func SortItems(items []Item) {
	sort.SliceStable(items, func(i, j int) bool {
		a, b := items[i], items[j]
		if a.DType.Size() != b.DType.Size() {
			return a.DType.Size() > b.DType.Size()
		}
		return a.Name < b.Name
	})
}

// Header encodes the eight bytes of length and the header of a file that holds
// the items' data in their order, padded with spaces so that the data begins at
// a multiple of eight.
func Header(items []Item) ([]byte, error) {
	body, err := encode(items)
	if err != nil {
		return nil, err
	}
	for len(body)%8 != 0 {
		body = append(body, ' ')
	}
	if len(body) > MaxHeader {
		return nil, fmt.Errorf("encode safetensors header: %d bytes are more than the format allows", len(body))
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(body))), body...), nil
}

// encode spells the header: metadata first, then the tensors in order.
func encode(items []Item) ([]byte, error) {
	types, names := map[string]string{}, map[string]string{}
	seen := map[string]bool{}
	var out []byte
	at := int64(0)
	for _, it := range items {
		n, err := it.bytes()
		if err != nil {
			return nil, fmt.Errorf("encode safetensors header: tensor %.200q: %w", it.Name, err)
		}
		stored := it.Name
		for stored == metadataKey || seen[stored] {
			stored += "_"
		}
		seen[stored] = true
		if stored != it.Name {
			names[stored] = it.Name
		}
		dtype, shape, hidden := disguise(it.DType, it.Shape)
		if hidden {
			types[stored] = it.DType.String()
		}
		e := entry{DType: dtype, Shape: slices.Clone(shape), Offsets: []int64{at, at + n}}
		if e.Shape == nil {
			e.Shape = []int64{}
		}
		out = append(out, ',')
		if out, err = appendMember(out, stored, e); err != nil {
			return nil, err
		}
		at += n
	}
	meta := map[string]string{"format": "pt"}
	for key, m := range map[string]map[string]string{metaDTypes: types, metaNames: names} {
		if len(m) > 0 {
			b, err := json.Marshal(m)
			if err != nil {
				return nil, err
			}
			meta[key] = string(b)
		}
	}
	head, err := appendMember([]byte("{"), metadataKey, meta)
	if err != nil {
		return nil, err
	}
	return append(append(head, out...), '}'), nil
}

func appendMember(b []byte, name string, v any) ([]byte, error) {
	key, err := json.Marshal(name)
	if err != nil {
		return nil, fmt.Errorf("encode safetensors header: %w", err)
	}
	val, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode safetensors header: %w", err)
	}
	b = append(append(b, key...), ':')
	return append(b, val...), nil
}

// Write writes a file with the given tensors, aligned (SortItems).
func Write(w io.Writer, tensors map[string]tensor.View) error {
	items := make([]Item, 0, len(tensors))
	for name, v := range tensors {
		if _, err := tensor.NewView(v.DType, v.Shape, v.Data); err != nil {
			return fmt.Errorf("write tensor %.200q: %w", name, err)
		}
		items = append(items, Item{name, v.DType, v.Shape})
	}
	SortItems(items)
	header, err := Header(items)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("write safetensors header: %w", err)
	}
	for _, it := range items {
		if _, err := w.Write(tensors[it.Name].Data); err != nil {
			return fmt.Errorf("write tensor %.200q: %w", it.Name, err)
		}
	}
	return nil
}

// Size is the length of the file that holds a header and the items' data.
func Size(items []Item, header []byte) (int64, error) {
	total := int64(len(header))
	for _, it := range items {
		n, err := it.bytes()
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
