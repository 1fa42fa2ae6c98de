package capture

import (
	"encoding/json"
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
)

// PlanModule asks for the inputs or outputs of a module. It travels as a list
// of three.
type PlanModule struct {
	Path     string
	Side     record.Kind
	Schedule int
}

// MarshalJSON writes [path, side, schedule].
func (m PlanModule) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{m.Path, m.Side, m.Schedule})
}

// UnmarshalJSON is the inverse.
func (m *PlanModule) UnmarshalJSON(b []byte) error {
	var a []json.RawMessage
	if err := json.Unmarshal(b, &a); err != nil {
		return fmt.Errorf("decode module of plan: %w", err)
	}
	if len(a) != 3 {
		return fmt.Errorf("decode module of plan: %d elements instead of 3", len(a))
	}
	for i, to := range []any{&m.Path, &m.Side, &m.Schedule} {
		if err := json.Unmarshal(a[i], to); err != nil {
			return fmt.Errorf("decode module of plan: element %d: %w", i, err)
		}
	}
	return nil
}
