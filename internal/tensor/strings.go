package tensor

import (
	"encoding/json"
	"fmt"
)

// Strings are a tensor of texts. It is stored as bytes: a JSON object with these
// two members, the strings in row-major order.
type Strings struct {
	Shape  []int64  `json:"shape"`
	Values []string `json:"strings"`
}

// ParseStrings reads what stands for strings. Spaces may follow.
func ParseStrings(b []byte) (Strings, error) {
	var s Strings
	if err := json.Unmarshal(b, &s); err != nil {
		return Strings{}, fmt.Errorf("read strings: %w", err)
	}
	n, err := Elements(s.Shape)
	if err != nil {
		return Strings{}, fmt.Errorf("read strings: %w", err)
	}
	if n != int64(len(s.Values)) {
		return Strings{}, fmt.Errorf("read strings: %d of them do not make shape %v", len(s.Values), s.Shape)
	}
	if s.Shape == nil {
		s.Shape = []int64{}
	}
	return s, nil
}
