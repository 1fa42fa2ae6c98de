package ruletest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/vigil-ml/vigil/internal/record"
)

// expected is a finding as far as the test cares.
type expected struct {
	Rule          string   `yaml:"rule"`
	Configuration string   `yaml:"configuration"`
	Severity      string   `yaml:"severity"`
	Step          *int64   `yaml:"step"` // of the mode
	Mode          string   `yaml:"mode"`
	Worker        string   `yaml:"worker"`
	Check         string   `yaml:"check"`
	Subject       string   `yaml:"subject"`
	Observed      *float64 `yaml:"observed"`
	Threshold     *float64 `yaml:"threshold"`
	Comparator    string   `yaml:"comparator"`
	Message       string   `yaml:"message"`
	CauseClass    string   `yaml:"cause_class"`
	Remedy        string   `yaml:"remedy"`
}

func (e *expected) check() error {
	if e.Severity != "" && !slices.Contains([]string{"error", "warning", "info"}, e.Severity) {
		return fmt.Errorf("unknown severity %q; known are error, warning, info", e.Severity)
	}
	_, err := readMode(e.Mode, record.Train)
	return err
}

// field is one thing to compare; an empty want is not compared.
type field struct{ name, want, got string }

func (e *expected) fields(f *record.Finding) []field {
	out := []field{
		{"rule", e.Rule, f.Rule}, {"configuration", e.Configuration, f.Configuration}, {"severity", e.Severity, string(f.Severity)},
		{"step", "", fmt.Sprint(f.ModeStep)}, {"mode", strings.ToUpper(e.Mode), f.Mode.String()}, {"worker", e.Worker, f.Worker},
		{"check", record.CheckNow(f.Rule, e.Check), f.Check}, {"subject", e.Subject, f.Subject}, {"observed", "", short(float64(f.Observed))}, {"comparator", e.Comparator, f.Comparator},
		{"threshold", "", short(float64(f.Threshold))}, {"cause_class", e.CauseClass, f.CauseClass}, {"message", e.Message, f.Message}, {"remedy", e.Remedy, f.Remedy},
	}
	for i := range out {
		switch {
		case out[i].name == "step" && e.Step != nil:
			out[i].want = fmt.Sprint(*e.Step)
		case out[i].name == "observed" && e.Observed != nil:
			out[i].want = short(*e.Observed)
		case out[i].name == "threshold" && e.Threshold != nil:
			out[i].want = short(*e.Threshold)
		}
	}
	return out
}

// short spells a number with six digits, which is as close as numbers are
// compared.
func short(x float64) string {
	if math.IsNaN(x) {
		return "NaN"
	}
	return fmt.Sprintf("%.6g", x)
}

func (e *expected) holds(f *record.Finding) bool {
	return !slices.ContainsFunc(e.fields(f), func(x field) bool { return x.want != "" && x.want != x.got })
}

// text spells what is expected: only what was named.
func (e *expected) text() string {
	var parts []string
	for _, x := range e.fields(&record.Finding{}) {
		if x.want != "" {
			parts = append(parts, x.name+"="+quoted(x.want))
		}
	}
	if len(parts) == 0 {
		return "a finding"
	}
	return strings.Join(parts, " ")
}

// findingText spells a finding: what a test names most, and what e names.
func findingText(f *record.Finding, named map[string]bool) string {
	var parts []string
	for _, x := range new(expected).fields(f) {
		always := slices.Contains([]string{"rule", "severity", "step", "mode", "subject", "message"}, x.name)
		if x.got != "" && (always || named[x.name]) {
			parts = append(parts, x.name+"="+quoted(x.got))
		}
	}
	return strings.Join(parts, " ")
}

func quoted(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || r == '"' || !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%q", s)
	}
	return s
}

// compare gives a line for each finding that is missing (-) or was not
// expected (+).
func compare(want []expected, got []record.Finding) []string {
	taken := make([]bool, len(got))
	named := map[string]bool{}
	var out []string
	for i := range want {
		e := &want[i]
		for _, x := range e.fields(&record.Finding{}) {
			named[x.name] = named[x.name] || x.want != ""
		}
		at := -1
		for k := range got {
			if !taken[k] && e.holds(&got[k]) {
				at = k
				break
			}
		}
		if at < 0 {
			out = append(out, "- "+e.text())
			continue
		}
		taken[at] = true
	}
	for i := range got {
		if !taken[i] {
			out = append(out, "+ "+findingText(&got[i], named))
		}
	}
	return out
}
