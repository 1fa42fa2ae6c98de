// Package safetensors reads and writes safetensors files: eight bytes with the
// length of a JSON header, the header, the data. The parser trusts nothing.
// What the format cannot say (complex128, two float8 variants, a tensor called
// "__metadata__") is said in the metadata, see docs/formats/safetensors.md.
package safetensors

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// MaxHeader is the longest header the format allows.
const MaxHeader = 100 << 20

// Keys of the metadata that are ours. Their values are JSON objects that map
// the stored name of a tensor to what it really is.
const (
	metaDTypes = "vigil.dtypes" // stored name to element type
	metaNames  = "vigil.names"  // stored name to name
)

const metadataKey = "__metadata__"

// entry is a tensor in the header.
type entry struct {
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// Tensor is where a tensor lies in a file and what it is.
type Tensor struct {
	Name       string
	DType      tensor.DType
	Shape      []int64
	Start, End int64 // of its bytes, from the start of the file
}

// disguise gives the type and shape under which a tensor is stored: what the
// format does not know is stored as something of the same bytes.
func disguise(d tensor.DType, shape []int64) (string, []int64, bool) {
	switch d {
	case tensor.C128:
		return tensor.F64.String(), append(slices.Clone(shape), 2), true
	case tensor.F8E4M3FNUZ, tensor.F8E5M2FNUZ:
		return tensor.U8.String(), shape, true
	}
	return d.String(), shape, false
}

// undisguise is the inverse of disguise for a tensor that the metadata calls
// real; it refuses what cannot be.
func undisguise(stored tensor.DType, shape []int64, real tensor.DType) (tensor.DType, []int64, error) {
	want, _, _ := disguise(real, nil)
	n := len(shape)
	switch {
	case want != stored.String():
	case real == tensor.C128 && n > 0 && shape[n-1] == 2:
		return real, shape[:n-1], nil
	case real == tensor.F8E4M3FNUZ || real == tensor.F8E5M2FNUZ:
		return real, shape, nil
	}
	return 0, nil, fmt.Errorf("metadata says %s of a tensor stored as %s %v", real, stored, shape)
}

// mapping decodes one of our metadata values.
func mapping(meta map[string]string, key string) (map[string]string, error) {
	text, ok := meta[key]
	if !ok {
		return nil, nil
	}
	var m map[string]string
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, fmt.Errorf("metadata %q: %w", key, err)
	}
	return m, nil
}
