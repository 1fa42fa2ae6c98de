// Package record holds the shapes that travel from capture through the store
// to rules and readers: one step of one worker, what a tensor is, a finding, a
// run. It has no behaviour beyond spelling them.
package record

import "fmt"

// Mode is the phase of training a step belongs to. The numbers are part of the
// wire protocol.
type Mode uint8

// The modes.
const (
	Train Mode = iota
	Eval
	Predict
	Global
)

var modeNames = [...]string{"TRAIN", "EVAL", "PREDICT", "GLOBAL"}

func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// ParseMode accepts the four names in any case.
func ParseMode(s string) (Mode, error) {
	for i, n := range modeNames {
		if equalFold(n, s) {
			return Mode(i), nil
		}
	}
	return 0, fmt.Errorf("parse mode: %q is none of TRAIN, EVAL, PREDICT, GLOBAL", s)
}

func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i]|0x20 != b[i]|0x20 {
			return false
		}
	}
	return true
}

// MarshalText spells the mode in JSON.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (m *Mode) UnmarshalText(b []byte) error {
	v, err := ParseMode(string(b))
	if err == nil {
		*m = v
	}
	return err
}
