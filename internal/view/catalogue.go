package view

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// ListedRule is one rule of the catalogue.
type ListedRule struct {
	Rule         string `json:"rule"`
	RuleClass    string `json:"rule_class"`
	Family       string `json:"family"`
	Severity     string `json:"severity"`
	InDefaultSet bool   `json:"in_default_set"`
	Summary      string `json:"summary"`
	// Checks are what the rule finds; none of a rule of the user's own that
	// names none.
	Checks []rules.CheckText `json:"checks,omitempty"`
	// From is where a rule of the user's own stands.
	From string `json:"from,omitempty"`
}

// Listing is a rule as a list shows it; from is where one of the user's own stands.
func Listing(d *rule.Definition, from string) ListedRule {
	return ListedRule{d.Name, d.Class, string(d.Family), string(d.Severity), d.Default != nil, d.Summary, rules.Checks(d), from}
}

// Catalogue is the built-in rules in the order of the documentation, then those
// that were added.
func Catalogue() []ListedRule {
	var list []ListedRule
	for _, d := range rules.Catalogue() {
		list = append(list, Listing(d, ""))
	}
	return list
}

// RuleParameter is one parameter of a rule.
type RuleParameter struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default"`
	Range   string `json:"range"`
	Unit    string `json:"unit"`
	Meaning string `json:"meaning"`
}

// RuleNeed is what a rule asks of capture under its default parameters.
type RuleNeed struct {
	Tensors  string `json:"tensors"`
	Schedule string `json:"schedule"`
	Values   string `json:"values"`
}

// Text is the need in words.
func (n RuleNeed) Text() string { return fmt.Sprintf("%s of %s, %s", n.Values, n.Tensors, n.Schedule) }

// RuleSet is what the default set makes of a rule.
type RuleSet struct {
	Parameters map[string]string `json:"parameters"`
	Why        string            `json:"why"`
}

// RulePage is all that a rule says of itself.
type RulePage struct {
	CauseClass   string            `json:"cause_class"`
	Causes       []string          `json:"causes"`
	Checks       []rules.CheckText `json:"checks"`
	Cost         []string          `json:"cost"`
	DefaultSet   *RuleSet          `json:"default_set,omitempty"`
	Example      map[string]string `json:"example,omitempty"`
	Family       string            `json:"family"`
	Frameworks   []string          `json:"frameworks"`
	From         string            `json:"from,omitempty"`
	InDefaultSet bool              `json:"in_default_set"`
	Needs        []RuleNeed        `json:"needs"`
	Parameters   []RuleParameter   `json:"parameters"`
	Remedies     []string          `json:"remedies"`
	Rule         string            `json:"rule"`
	RuleClass    string            `json:"rule_class"`
	Severity     string            `json:"severity"`
	Summary      string            `json:"summary"`
	Why          string            `json:"why"`
}

// DescribeRule gives all that a rule says of itself; from is where one of the
// user's own stands.
func DescribeRule(d *rule.Definition, from string) (RulePage, error) {
	needs, cost, err := ruleNeeds(d)
	if err != nil {
		return RulePage{}, err
	}
	p := RulePage{Rule: d.Name, RuleClass: d.Class, Family: string(d.Family), Severity: string(d.Severity), InDefaultSet: d.Default != nil, Summary: d.Summary,
		Why: d.Why, Frameworks: d.Frameworks, Parameters: []RuleParameter{}, Needs: needs, Cost: cost, Causes: d.Causes, Remedies: d.Remedies,
		CauseClass: d.CauseClass, Checks: rules.Checks(d), From: from, Example: d.Example}
	for _, x := range d.AllParameters() {
		r := x.Range.String()
		if len(x.Choices) > 0 {
			r = strings.Join(x.Choices, ", ")
		}
		p.Parameters = append(p.Parameters, RuleParameter{x.Name, string(x.Type), x.Default, r, x.Unit, x.Meaning})
	}
	if d.Default != nil {
		p.DefaultSet = &RuleSet{d.Default.Params, d.Default.Why}
		if p.DefaultSet.Parameters == nil {
			p.DefaultSet.Parameters = map[string]string{}
		}
	}
	return p, nil
}

// ruleNeeds says in words what a rule asks of capture under its default
// parameters, and what that costs.
func ruleNeeds(d *rule.Definition) ([]RuleNeed, []string, error) {
	params, err := d.Parse(nil)
	if err != nil {
		return nil, nil, fmt.Errorf("describe rule %q: %w", d.Name, err)
	}
	needs := []RuleNeed{}
	if d.Needs == nil {
		return needs, rules.Cost(nil), nil
	}
	asked := d.Needs(params)
	for _, n := range asked {
		needs = append(needs, RuleNeed{SelectorText(n.Selector), Schedule(n.Schedule), Want(n)})
	}
	return needs, rules.Cost(asked), nil
}

// SelectorText says which tensors a selector means.
func SelectorText(s plan.Selector) string {
	var parts []string
	for _, c := range s.Collections {
		parts = append(parts, "collection "+c)
	}
	parts = append(parts, s.Names...)
	for _, r := range s.Regex {
		parts = append(parts, "names matching "+r)
	}
	if len(s.ModuleTypes) > 0 {
		parts = append(parts, fmt.Sprintf("%ss of %s modules", s.Side, strings.Join(s.ModuleTypes, ", ")))
	}
	return strings.Join(parts, " and ")
}
