package record

import "time"

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
	Experimental  bool           `json:"experimental,omitempty"` // the check is not in the default set
	Muted         bool           `json:"muted,omitempty"`
}

// Group is a root cause and the findings that follow from it.
type Group struct {
	Root       Finding   `json:"root"`
	Symptoms   []Finding `json:"symptoms"`
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
	RuleTriggered int64            `json:"RuleTriggered"`
	Violations    int64            `json:"Violations"`
	Datapoints    int64            `json:"Datapoints"`
	Skipped       map[string]int64 `json:"Skipped"`
	Findings      int64            `json:"Findings"`
}
