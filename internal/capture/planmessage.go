package capture

import (
	"encoding/json"
	"fmt"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// Schedules is a plan.Schedule as it travels: an object by mode name.
type Schedules plan.Schedule

// MarshalJSON writes all four modes by name.
func (s Schedules) MarshalJSON() ([]byte, error) {
	m := make(map[string]plan.ModeSchedule, len(s))
	for i, v := range s {
		m[record.Mode(i).String()] = v
	}
	return json.Marshal(m)
}

// UnmarshalJSON is the inverse; a mode that is not named is off.
func (s *Schedules) UnmarshalJSON(b []byte) error {
	var m map[string]plan.ModeSchedule
	if err := json.Unmarshal(b, &m); err != nil {
		return fmt.Errorf("decode schedule: %w", err)
	}
	for i := range s {
		v, ok := m[record.Mode(i).String()]
		if !ok {
			v = plan.ModeSchedule{Off: true}
		}
		s[i] = v
	}
	return nil
}

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
