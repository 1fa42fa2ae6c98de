package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// Sets are the names of the sets of rules; several may be joined by commas.
var Sets = []string{"default", "experimental", "all", "none"}

// Which of a rule's checks count in a configuration.
const (
	SettledChecks      = "" // those that are not experimental
	ExperimentalChecks = "experimental"
	EveryCheck         = "all"
)

// Set gives the configurations of a named set, or of several whose names are
// joined by commas. "default" are the rules that apply to the framework, with
// thresholds under which a healthy training is silent; "experimental" are the
// experimental checks, with the thresholds that their rules have in the default
// set; "all" are the default set and every other rule that its own defaults
// suffice for; "none" is empty. Experimental checks count in "experimental"
// only. An unknown framework ("") is taken for a deep-learning one.
func Set(names, framework string) ([]Config, error) {
	var asked []string
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(Sets, name) {
			return nil, fmt.Errorf("choose rule set: %q is unknown; did you mean %q? Known: %s", name, rule.Nearest(name, Sets), strings.Join(Sets, ", "))
		}
		asked = append(asked, name)
	}
	all, experimental := slices.Contains(asked, "all"), slices.Contains(asked, "experimental")
	some := all || slices.Contains(asked, "default")
	var out []Config
	for _, d := range Catalogue() {
		c := Config{Rule: d.Name, Configuration: d.Name}
		if d.Default != nil {
			c.Params = d.Default.Params
		}
		settled := some && d.Default != nil || all && d.Example == nil
		tried := experimental && hasExperimental(d) && (d.Default != nil || d.Example == nil)
		switch {
		case !d.Applies(framework), !settled && !tried:
			continue
		case settled && tried:
			c.Checks = EveryCheck
		case tried:
			c.Checks = ExperimentalChecks
		}
		out = append(out, c)
	}
	return out, nil
}

// Named is a configuration that the user asked for by the name of its rule: its
// experimental checks count as well.
func Named(c Config) Config {
	if d, ok := Lookup(c.Rule); ok && hasExperimental(d) {
		c.Checks = EveryCheck
	}
	return c
}

func hasExperimental(d *rule.Definition) bool {
	return slices.ContainsFunc(d.Checks, func(c rule.Check) bool { return c.IsExperimental() })
}

// counts reports whether a violation's check counts in the configuration.
func (in *instance) counts(v rule.Violation) bool {
	c, known := in.def.Check(v.Check)
	experimental := known && c.IsExperimental()
	switch in.checks {
	case EveryCheck:
		return true
	case ExperimentalChecks:
		return experimental
	}
	return !experimental
}
