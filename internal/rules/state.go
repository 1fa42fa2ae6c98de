package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// stateVersion changes when a state that an older version saved can no longer
// be taken back.
const stateVersion = 1

type savedEngine struct {
	Version int                      `json:"version"`
	Here    savedPoint               `json:"here"`
	Begun   bool                     `json:"begun"`
	Over    bool                     `json:"over"`
	Phase   int                      `json:"phase,omitempty"`
	Windows int64                    `json:"windows,omitempty"`
	Rules   map[string]savedInstance `json:"rules"`
}

type savedPoint struct {
	Step     int64       `json:"step"`
	Mode     record.Mode `json:"mode"`
	ModeStep int64       `json:"mode_step"`
	Time     time.Time   `json:"time"`
}

type savedInstance struct {
	Rule     string            `json:"rule"`
	Params   map[string]string `json:"params"`
	Status   string            `json:"status"`
	Closed   bool              `json:"closed"`
	First    string            `json:"first"`
	Notes    []string          `json:"notes"`
	Failure  string            `json:"failure"`
	Unjudged string            `json:"unjudged,omitempty"`
	Seen     bool              `json:"seen"`
	Observed int64             `json:"observed"`
	Told     int               `json:"told"`
	Warned   time.Time         `json:"warned"`
	Findings []record.Finding  `json:"findings"`
	Counters record.RuleStatus `json:"counters"`
	State    json.RawMessage   `json:"state"`
}

// Save gives the state of all rules, to be kept at least every 30 seconds and
// after each finding; Restore takes it back, before the first Observe.
func (e *Engine) Save() ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := savedEngine{
		Version: stateVersion, Here: savedPoint(e.here), Begun: e.begun, Over: e.over, Phase: e.phase, Windows: e.windows, Rules: map[string]savedInstance{},
	}
	for _, in := range e.runs {
		v := savedInstance{
			Params: in.texts, Status: in.status, Closed: in.closed, First: in.first, Notes: in.notes, Failure: in.failure,
			Unjudged: in.unjudged, Seen: in.seen, Observed: in.observed, Told: in.told, Warned: in.warned, Findings: in.findings, Counters: in.counters,
		}
		if in.def != nil {
			v.Rule = in.def.Name
		}
		if in.rule != nil {
			var state []byte
			var err error
			if caught := guard(func() { state, err = in.rule.Save() }); caught != nil {
				err = caught
			}
			if err != nil {
				in.fail(fmt.Errorf("save rule %s: %w", in.name, err))
				v.Status, v.Failure = in.status, in.failure
			}
			v.State = state
		}
		s.Rules[in.name] = v
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("save rules: %w", err)
	}
	return b, nil
}

// Restore takes back what Save gave. Configurations that have changed since
// begin again; a rule that cannot take its state back gets the status Error. One
// that keeps its state where it cannot be saved is behind now.
func (e *Engine) Restore(state []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var s savedEngine
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("restore rules: %w", err)
	}
	if s.Version != stateVersion {
		return fmt.Errorf("restore rules: state has version %d, not %d", s.Version, stateVersion)
	}
	for _, in := range e.runs {
		v, ok := s.Rules[in.name]
		if !ok || in.def == nil || in.rule == nil || v.Rule != in.def.Name || !maps.Equal(v.Params, in.texts) {
			continue
		}
		if in.apart != nil {
			if v.Status != StatusError && !v.Closed {
				in.behind = in.live() && s.Here.Step >= 0
				continue
			}
			in.apart.Close()
		}
		if v.Status != StatusError {
			var err error
			if caught := guard(func() { err = in.rule.Restore(v.State) }); caught != nil {
				err = caught
			}
			if err != nil {
				in.fail(fmt.Errorf("restore rule %s: %w", in.name, err))
				continue
			}
		}
		in.status, in.closed, in.first, in.notes, in.failure = v.Status, v.Closed, v.First, v.Notes, v.Failure
		for _, f := range v.Findings { // on record, and not made again; a later one may have the same key
			if k := Key(f); e.stored[k] > 0 {
				e.stored[k]--
			}
		}
		in.unjudged, in.seen, in.observed, in.told, in.warned, in.findings, in.counters = v.Unjudged, v.Seen, v.Observed, v.Told, v.Warned, v.Findings, v.Counters
	}
	e.here, e.begun, e.over, e.phase, e.windows, e.turn = rule.Point(s.Here), s.Begun, s.Over, s.Phase, s.Windows, 0
	return nil
}
