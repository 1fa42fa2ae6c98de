package cli

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/view"
	"github.com/vigil-ml/vigil/rule"
)

// describeNeeds says in words what a rule asks of capture under its default
// parameters, and what that costs.
func describeNeeds(d *rule.Definition) ([]describedNeed, []string, error) {
	params, err := d.Parse(nil)
	if err != nil {
		return nil, nil, fmt.Errorf("describe rule %q: %w", d.Name, err)
	}
	needs := []describedNeed{}
	if d.Needs == nil {
		return needs, rules.Cost(nil), nil
	}
	asked := d.Needs(params)
	for _, n := range asked {
		needs = append(needs, describedNeed{selectorText(n.Selector), view.Schedule(n.Schedule), view.Want(n)})
	}
	return needs, rules.Cost(asked), nil
}

func selectorText(s plan.Selector) string {
	var parts []string
	for _, c := range s.Collections {
		parts = append(parts, "collection "+c)
	}
	for _, n := range s.Names {
		parts = append(parts, printable(n))
	}
	for _, r := range s.Regex {
		parts = append(parts, "names matching "+printable(r))
	}
	if len(s.ModuleTypes) > 0 {
		parts = append(parts, fmt.Sprintf("%ss of %s modules", s.Side, strings.Join(s.ModuleTypes, ", ")))
	}
	return strings.Join(parts, " and ")
}
