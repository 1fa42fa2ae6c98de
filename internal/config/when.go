package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// When says which findings something is done on: those of Severity or worse,
// and those of Rules (canonical rule names, or names of configurations); or,
// with Status, that it is done on changes of status instead. The zero value is
// never.
type When struct {
	Severity record.Severity `json:"severity,omitempty"`
	Rules    []string        `json:"rules,omitempty"`
	Status   bool            `json:"status,omitempty"`
}

// onStatus is how changes of status are written.
const onStatus = "status"

var severities = []string{string(record.Info), string(record.Warning), string(record.Error)}

// Never reports that nothing fits.
func (w When) Never() bool { return w.Severity == "" && len(w.Rules) == 0 && !w.Status }

// Matches reports whether a finding fits.
func (w When) Matches(f *record.Finding) bool {
	if slices.Contains(w.Rules, f.Rule) || slices.Contains(w.Rules, f.Configuration) {
		return true
	}
	return w.Severity != "" && slices.Index(severities, string(f.Severity)) >= slices.Index(severities, string(w.Severity))
}

// String spells it as it is written: "never", "error", "dead_relu,warning".
func (w When) String() string {
	if w.Status {
		return onStatus
	}
	parts := slices.Clone(w.Rules)
	if w.Severity != "" {
		parts = append([]string{string(w.Severity)}, parts...)
	}
	if len(parts) == 0 {
		return "never"
	}
	return strings.Join(parts, ",")
}

// parseWhen reads a severity, rule names, or never, between commas.
// configurations are the names of configured rules. status reports whether it
// may also be changes of status.
func parseWhen(text string, cat Catalogue, configurations []string, status bool) (When, error) {
	var w When
	parts := split(text, ",")
	if len(parts) == 0 {
		return w, fmt.Errorf("it is empty; write a severity, rule names or never")
	}
	for _, p := range parts {
		switch {
		case status && p == onStatus && !slices.Contains(configurations, p):
			if len(parts) > 1 {
				return w, fmt.Errorf("status cannot be combined in %q: write two actions", text)
			}
			w.Status = true
		case strings.EqualFold(p, "never"):
			if len(parts) > 1 {
				return w, fmt.Errorf("never cannot be combined with anything else in %q", text)
			}
		case slices.Contains(severities, strings.ToLower(p)):
			if w.Severity != "" {
				return w, fmt.Errorf("%q names two severities; the less serious one includes the other", text)
			}
			w.Severity = record.Severity(strings.ToLower(p))
		case slices.Contains(configurations, p):
			w.Rules = append(w.Rules, p)
		default:
			name, _, _, ok := cat.lookup(p)
			if !ok {
				all := append(append(slices.Clone(severities), "never"), append(slices.Clone(configurations), cat.Names...)...)
				if status {
					all = append(all, onStatus)
				}
				return w, &hinted{fmt.Errorf("%q is neither a severity nor a rule", p), Suggest(p, all)}
			}
			w.Rules = append(w.Rules, name)
		}
	}
	slices.Sort(w.Rules)
	w.Rules = slices.Compact(w.Rules)
	return w, nil
}
