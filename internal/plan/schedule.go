package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
)

// Every is the schedule of one interval in the modes given, in all four when
// none is given; the other modes are off.
func Every(n int64, modes ...record.Mode) Schedule {
	var s Schedule
	for m := range s {
		s[m] = ModeSchedule{Every: n, Off: len(modes) > 0 && !slices.Contains(modes, record.Mode(m))}
	}
	return s
}

// Never reports that no step of the mode is ever due.
func (s ModeSchedule) Never() bool {
	return len(s.Steps) == 0 && (s.Off || s.End != 0 && s.Start >= s.End)
}

// covers reports that every step that is due in t is due in s, whatever
// interval the budget chooses.
func (s ModeSchedule) covers(t ModeSchedule) bool {
	for _, n := range t.Steps {
		if !s.Due(n, 0) {
			return false
		}
	}
	if t = t.normal(); t.Off {
		return true
	}
	if s.Off || s.Yields && !t.Yields || s.Start > t.Start || s.End != 0 && (t.End == 0 || t.End > s.End) {
		return false
	}
	return s.Every == t.Every || s.Every == 1 || s.Every > 0 && t.Every > 0 && t.Every%s.Every == 0
}

// Never reports that no step is ever due.
func (s Schedule) Never() bool {
	for _, m := range s {
		if !m.Never() {
			return false
		}
	}
	return true
}

// Due reports whether step n of the mode is due. auto is the interval that the
// budget chose.
func (s Schedule) Due(mode record.Mode, n, auto int64) bool {
	return int(mode) < len(s) && s[mode].Due(n, auto)
}

func (s Schedule) covers(t Schedule) bool {
	for m := range s {
		if !s[m].covers(t[m]) {
			return false
		}
	}
	return true
}

// Equal reports that the same steps are due in all modes, as far as that can
// be read off.
func (s Schedule) Equal(t Schedule) bool {
	for m := range s {
		s[m], t[m] = s[m].normal(), t[m].normal()
	}
	return s.identical(t)
}

// identical compares as written, which is what the keys of pairs go by.
func (s Schedule) identical(t Schedule) bool {
	for m := range s {
		a, b := s[m], t[m]
		if a.Every != b.Every || a.Start != b.Start || a.End != b.End || a.Off != b.Off || a.Yields != b.Yields || !slices.Equal(a.Steps, b.Steps) {
			return false
		}
	}
	return true
}

// normal forgets the interval of a mode that has none.
func (s ModeSchedule) normal() ModeSchedule {
	if s.Off || s.End != 0 && s.Start >= s.End {
		return ModeSchedule{Steps: s.Steps, Off: true}
	}
	return s
}

// resolve gives the interval n to the modes that left it to the budget.
func (s Schedule) resolve(n int64) Schedule {
	for m := range s {
		if s[m].Every == Auto {
			s[m].Every = n
		}
	}
	return s
}

// yielding is s with intervals that may be multiplied.
func (s Schedule) yielding() Schedule {
	for m := range s {
		s[m].Yields = s[m].Every > 0 && !s[m].Off
	}
	return s
}

// training is s without the modes in which nothing is learnt, where gradients
// do not exist or are stale.
func (s Schedule) training() Schedule {
	s[record.Eval] = ModeSchedule{Off: true}
	s[record.Predict] = ModeSchedule{Off: true}
	return s
}

// MarshalJSON writes an object by mode name, all four modes.
func (s Schedule) MarshalJSON() ([]byte, error) {
	m := make(map[string]ModeSchedule, len(s))
	for i, v := range s {
		m[record.Mode(i).String()] = v
	}
	return json.Marshal(m)
}

// UnmarshalJSON is the inverse; a mode that is not named is off.
func (s *Schedule) UnmarshalJSON(b []byte) error {
	var m map[record.Mode]ModeSchedule
	if err := json.Unmarshal(b, &m); err != nil {
		return fmt.Errorf("decode schedule: %w", err)
	}
	for i := range s {
		v, ok := m[record.Mode(i)]
		if !ok {
			v.Off = true
		}
		s[i] = v
	}
	return nil
}

var wantNames = []struct {
	want Want
	name string
}{{Stats, "stats"}, {Hist, "hist"}, {Raw, "raw"}, {Median, "median"}, {Prod, "prod"}}

// MarshalJSON writes a list of names.
func (w Want) MarshalJSON() ([]byte, error) {
	names := []string{}
	for _, n := range wantNames {
		if w&n.want != 0 {
			names = append(names, n.name)
		}
	}
	return json.Marshal(names)
}

// UnmarshalJSON is the inverse.
func (w *Want) UnmarshalJSON(b []byte) error {
	var names []string
	if err := json.Unmarshal(b, &names); err != nil {
		return fmt.Errorf("decode want: %w", err)
	}
	*w = 0
next:
	for _, s := range names {
		for _, n := range wantNames {
			if n.name == s {
				*w |= n.want
				continue next
			}
		}
		return fmt.Errorf("decode want: %q is none of stats, hist, raw, median, prod", s)
	}
	return nil
}
