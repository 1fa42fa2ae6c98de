package cli

import (
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// ownRule is a rule that the user has written in the configuration file.
type ownRule struct {
	config rules.Config
	def    *rule.Definition
	from   string // where it stands
}

// ownRules are the rules among them that the user has written.
func ownRules() ([]ownRule, error) {
	list, err := control.FileRules()
	if err != nil {
		return nil, err
	}
	var out []ownRule
	for _, rc := range list {
		if _, builtin := rules.Lookup(rc.Rule); builtin {
			continue
		}
		c := rules.Config{Rule: rc.Rule, Configuration: rc.Configuration, Params: rc.Params}
		d, err := rules.Resolve(c)
		if err != nil {
			return nil, control.WrongRule(rc, err)
		}
		out = append(out, ownRule{c, d, rc.From})
	}
	return out, nil
}

// findOwn gives the first of the user's rules that has the name.
func findOwn(list []ownRule, name string) (ownRule, bool) {
	for _, o := range list {
		if o.def.Name == name || o.config.Configuration == name {
			return o, true
		}
	}
	return ownRule{}, false
}
