package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// merge applies a patch (RFC 7396) to a value; nil is none.
func merge(value, patch json.RawMessage) (json.RawMessage, error) {
	if bytes.Equal(bytes.TrimSpace(patch), []byte("null")) {
		return nil, nil
	}
	var changes map[string]json.RawMessage
	if json.Unmarshal(patch, &changes) != nil {
		return patch, nil // no object: replaces what is there
	}
	var members map[string]json.RawMessage
	if len(value) == 0 || json.Unmarshal(value, &members) != nil || members == nil {
		members = map[string]json.RawMessage{}
	}
	for key, change := range changes {
		merged, err := merge(members[key], change)
		if err != nil {
			return nil, err
		}
		if members[key] = merged; merged == nil {
			delete(members, key)
		}
	}
	b, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("merge a change: %w", err)
	}
	return b, nil
}
