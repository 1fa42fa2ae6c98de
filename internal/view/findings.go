package view

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Findings are what the rules found in a run, by root cause and one by one,
// where each rule stands, and how the actions went. Actions are nil where none
// were called for by what judged.
type Findings struct {
	Actions []record.Attempt    `json:"actions,omitzero"`
	Damage  []source.Damage     `json:"damage"`
	All     []record.Finding    `json:"findings"` // muted ones included
	Groups  []record.Group      `json:"groups"`
	Rules   []record.RuleStatus `json:"rules"`
	Run     string              `json:"run,omitempty"` // its name, where there are several
}

// FindingsOf reads what was found while the run was live, and how its actions
// stand.
func FindingsOf(t source.Run) Findings {
	f := Findings{All: t.Findings(), Groups: t.Groups(), Rules: t.Statuses(), Actions: Actions(t)}
	f.Damage = t.Damage() // each read checks what it touches
	return f
}

// Actions is how the actions of a run stand; never nil.
func Actions(t source.Run) []record.Attempt { return list(t.Attempts()) }

// MarshalJSON writes lists that are empty as lists.
func (f Findings) MarshalJSON() ([]byte, error) {
	type plain Findings
	f.Damage, f.All, f.Groups, f.Rules = list(f.Damage), list(f.All), list(f.Groups), list(f.Rules)
	return json.Marshal(plain(f))
}

// list is a list that JSON writes as one.
func list[E any](l []E) []E {
	if l == nil {
		return []E{}
	}
	return l
}

// Unfinished are the actions that came to no good end.
func (f Findings) Unfinished() []record.Attempt {
	var out []record.Attempt
	for _, a := range f.Actions {
		if a.State != record.Done {
			out = append(out, a)
		}
	}
	return out
}

// Muted are findings of one rule configuration that do not count, for one reason.
type Muted struct {
	Configuration string
	Reason        string // may be empty
	Findings      int64
}

// Muted is what was found and does not count, and why.
func (f Findings) Muted() []Muted {
	place := map[Muted]int{}
	var out []Muted
	for _, one := range f.All {
		if !one.Muted {
			continue
		}
		reason, _ := one.Context["muted_because"].(string)
		k := Muted{Configuration: one.Configuration, Reason: reason}
		i, known := place[k]
		if !known {
			i = len(out)
			place[k] = i
			out = append(out, k)
		}
		out[i].Findings++
	}
	return out
}

// Skipped says what a rule skipped, reason by reason; "" for nothing.
func Skipped(skipped map[string]int64) string {
	reasons := make([]string, 0, len(skipped))
	for r := range skipped {
		reasons = append(reasons, r)
	}
	sort.Strings(reasons)
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%s %d", strings.ReplaceAll(r, "_", " "), skipped[r])
	}
	return strings.Join(reasons, ", ")
}
