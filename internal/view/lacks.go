package view

import (
	"encoding/json"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// LacksOf says of a rule that had nothing to judge in a run what the training
// does not have, as far as its definition and the facts of the run tell.
func LacksOf(facts json.RawMessage) func(record.RuleStatus) string {
	return func(r record.RuleStatus) string {
		d, ok := rules.Lookup(r.Rule)
		if !ok {
			return ""
		}
		if f, err := record.ParseFacts(facts); (err != nil || f == nil || f.Updates == nil) && factsOnly(d) {
			return "the first steps of the training were not examined"
		}
		return d.Lacks
	}
}

// factsOnly reports whether a rule looks at nothing but facts.
func factsOnly(d *rule.Definition) bool {
	params, err := d.Parse(nil)
	if err != nil {
		return false
	}
	r, err := d.New(params)
	return err == nil && len(r.Select()) == 0
}
