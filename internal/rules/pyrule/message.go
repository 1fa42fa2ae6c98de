package pyrule

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Bounds of what a rule may say of one step.
const (
	maxFindings = 1000
	maxMessage  = 8 << 20 // bytes
)

// message is what the process says of a step, or at its end.
type message struct {
	Step       int64    `json:"step"`
	Skip       string   `json:"skip"` // why it was passed over, as a reason to count by
	Why        string   `json:"why"`  // and in words
	Findings   []found  `json:"findings"`
	Notes      []string `json:"notes"`
	Datapoints int64    `json:"datapoints"`
	Over       bool     `json:"over"`
}

// found is one finding.
type found struct {
	Check      string         `json:"check"`
	Subject    string         `json:"subject"`
	Worker     string         `json:"worker"`
	Observed   *record.Number `json:"observed"`
	Threshold  *record.Number `json:"threshold"`
	Comparator string         `json:"comparator"`
	Message    string         `json:"message"`
	Severity   string         `json:"severity"`
	CauseClass string         `json:"cause_class"`
	Cause      string         `json:"cause"`
	Remedy     string         `json:"remedy"`
	Context    map[string]any `json:"context"`
}

var severities = []string{"", string(rule.Error), string(rule.Warning), string(rule.Info)}

// parseMessage reads and checks what the process says: a rule may have written
// it by itself.
func parseMessage(b []byte) (*message, error) {
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("it sent an invalid finding: %w", err)
	}
	if len(m.Findings) > maxFindings {
		return nil, fmt.Errorf("it has %d findings at one step; %d are allowed", len(m.Findings), maxFindings)
	}
	if m.Datapoints < 0 || len(m.Notes) > 1000 {
		return nil, fmt.Errorf("it sent an invalid finding: %d datapoints, %d notes", m.Datapoints, len(m.Notes))
	}
	for _, f := range m.Findings {
		if !slices.Contains(severities, f.Severity) {
			return nil, fmt.Errorf("it has a finding of severity %q; known are error, warning, info", f.Severity)
		}
		if f.CauseClass != "" && !slices.Contains(rule.CauseClasses, f.CauseClass) {
			return nil, fmt.Errorf("it has a finding of the cause class %q, which is not known", f.CauseClass)
		}
	}
	return &m, nil
}

// failure is what the process says when the rule cannot go on.
type failure struct {
	What  string `json:"what"`
	Error string `json:"error"`
}
