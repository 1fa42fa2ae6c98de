package record

import (
	"encoding/json"
	"fmt"
	"time"
)

// Severity of a finding.
type Severity string

// Severities, most serious first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one recorded violation with its evidence.
type Finding struct {
	Rule          string         `json:"rule"`
	RuleClass     string         `json:"rule_class"`
	Configuration string         `json:"configuration"`
	Severity      Severity       `json:"severity"`
	Step          int64          `json:"step"`
	Mode          Mode           `json:"mode"`
	ModeStep      int64          `json:"mode_step"`
	Worker        string         `json:"worker"`
	Workers       []string       `json:"workers,omitempty"` // when the same holds on several
	Time          time.Time      `json:"time"`
	Check         string         `json:"check"`
	Subject       string         `json:"subject"`
	Observed      Number         `json:"observed"`
	Threshold     Number         `json:"threshold"`
	Comparator    string         `json:"comparator"`
	Context       map[string]any `json:"context"`
	Message       string         `json:"message"`
	CauseClass    string         `json:"cause_class"`
	Cause         string         `json:"cause"`
	Remedy        string         `json:"remedy"`
	Asks          []Advice       `json:"asks,omitempty"` // what the remedy asks for
	Where         *Where         `json:"where,omitempty"`
	Share         float64        `json:"share,omitempty"`      // of slow trainings: of the time, 0 to 1
	Gain          float64        `json:"gain,omitempty"`       // what mending could bring by estimate, as a factor
	Suggestion    *Suggestion    `json:"suggestion,omitempty"` // where one edit in one place is the remedy
	// OutweighedBy is the check ("rule/check") whose finding has more evidence and
	// asks for the opposite: the remedy is then no advice.
	OutweighedBy string `json:"outweighed_by,omitempty"`
	Experimental bool   `json:"experimental,omitempty"` // the check is not in the default set
	Muted        bool   `json:"muted,omitempty"`
}

// UnmarshalJSON reads a finding as it was stored, under the names that checks have today.
func (f *Finding) UnmarshalJSON(js []byte) error {
	type stored Finding
	if err := json.Unmarshal(js, (*stored)(f)); err != nil {
		return fmt.Errorf("read finding: %w", err)
	}
	f.Check, f.OutweighedBy = CheckNow(f.Rule, f.Check), CheckIDNow(f.OutweighedBy)
	return nil
}

// Advised is the remedy as it is shown: none where a finding with more evidence
// asks for the opposite.
func (f *Finding) Advised() string {
	if f.OutweighedBy == "" || f.Remedy == "" {
		return f.Remedy
	}
	return "none: " + f.OutweighedBy + " suggests the opposite and has more evidence"
}

// Group is a root cause and the findings that follow from it.
type Group struct {
	Root       Finding   `json:"root"`
	Symptoms   []Finding `json:"symptoms"`
	Outweighed []Finding `json:"outweighed,omitempty"` // findings that ask for the opposite, with less evidence
	CauseClass string    `json:"cause_class"`
}

// RuleStatus is where one configuration of a rule stands.
type RuleStatus struct {
	Rule          string            `json:"rule"`
	Configuration string            `json:"configuration"`
	Parameters    map[string]string `json:"parameters"`
	// Checks says which of the rule's checks count, as rules.Config does.
	Checks        string           `json:"checks,omitempty"`
	Status        string           `json:"status"` // InProgress, NoIssuesFound, IssuesFound, Error, Stopped
	Details       string           `json:"details"`
	NotJudged     string           `json:"not_judged,omitempty"` // why the rule saw too little to judge the job
	RuleTriggered int64            `json:"RuleTriggered"`
	Violations    int64            `json:"Violations"`
	Datapoints    int64            `json:"Datapoints"`
	Skipped       map[string]int64 `json:"Skipped"`
	Findings      int64            `json:"Findings"`
}
