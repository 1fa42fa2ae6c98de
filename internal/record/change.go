package record

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Change is that the run, or rules of it, came to stand differently.
type Change struct {
	Number int64        `json:"number"` // within the run, from 1
	Time   time.Time    `json:"time"`
	Step   int64        `json:"step"`            // observed last; -1 before the first
	Run    string       `json:"run,omitempty"`   // status of the run, where that changed
	Rules  []RuleChange `json:"rules,omitempty"` // those whose status changed
}

// RuleChange is one configuration whose status changed.
type RuleChange struct {
	Rule          string `json:"rule"`
	Configuration string `json:"configuration"`
	From          string `json:"from"`
	Status        string `json:"status"`
	Details       string `json:"details"`
}

// Statuses of rules that a person is to be told by name.
const (
	ruleFailed = "Error"
	ruleFired  = "IssuesFound"
)

// Severity is how much a change matters: a rule or a run that failed is an
// error, a rule that fired a warning.
func (c *Change) Severity() Severity {
	has := func(status string) bool {
		return slices.ContainsFunc(c.Rules, func(r RuleChange) bool { return r.Status == status })
	}
	switch {
	case c.Run == Failed || c.Run == Lost || has(ruleFailed):
		return Error
	case has(ruleFired):
		return Warning
	}
	return Info
}

// Title is the change in a few words: "the run is completed; not_finite:
// IssuesFound; 24 rules: NoIssuesFound".
func (c *Change) Title() string {
	var parts []string
	if c.Run != "" {
		parts = append(parts, "the run is "+c.Run)
	}
	var order []string
	by := map[string][]string{}
	for _, r := range c.Rules {
		if by[r.Status] == nil {
			order = append(order, r.Status)
		}
		by[r.Status] = append(by[r.Status], r.Configuration)
	}
	for _, status := range order {
		names := by[status]
		text := strings.Join(names, ", ")
		if len(names) > 3 {
			text = fmt.Sprintf("%d rules", len(names))
		}
		parts = append(parts, text+": "+status)
	}
	return strings.Join(parts, "; ")
}

// Details are what the rules say that failed or fired, each on a line of its own.
func (c *Change) Details() string {
	var lines []string
	for _, r := range c.Rules {
		if (r.Status == ruleFailed || r.Status == ruleFired) && r.Details != "" {
			lines = append(lines, r.Configuration+": "+strings.Join(strings.Fields(r.Details), " "))
		}
	}
	return strings.Join(lines, "\n")
}
