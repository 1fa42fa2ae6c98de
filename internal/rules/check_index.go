package rules

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/builtin"
	"github.com/vigil-ml/vigil/rule"
)

// Indexed reports whether a finding says of itself what the index of checks says
// of its check. Findings of rules that are not built in are free to say what
// they like.
func Indexed(f record.Finding) error {
	d, ok := rule.Find(builtin.All(), f.Rule)
	if !ok {
		return nil
	}
	c, ok := d.Check(f.Check)
	if !ok {
		return fmt.Errorf("look up check: %q is not among the checks of %s", f.Rule+"/"+f.Check, d.Name)
	}
	severities := append([]record.Severity{c.Severity}, c.OtherSeverities...)
	if slices.Contains(severities, record.Error) { // one that rests on a single step is lowered
		severities = append(severities, record.Warning)
	}
	if !slices.Contains(severities, f.Severity) {
		return fmt.Errorf("look up check: a finding of %s has severity %q, which the index does not name", c.ID, f.Severity)
	}
	if f.CauseClass != c.CauseClass && !slices.Contains(c.OtherCauses, f.CauseClass) {
		return fmt.Errorf("look up check: a finding of %s has cause class %q, which the index does not name", c.ID, f.CauseClass)
	}
	if f.Experimental != c.IsExperimental() {
		return fmt.Errorf("look up check: %s is %s, and a finding of it has experimental=%v", c.ID, c.Status, f.Experimental)
	}
	for _, x := range []struct{ name, want, got string }{{"cause", c.Cause, f.Cause}, {"remedy", c.Remedy, f.Remedy}} {
		if x.want != "" && x.got != x.want {
			return fmt.Errorf("look up check: a finding of %s has the %s %q, where the index has %q", c.ID, x.name, x.got, x.want)
		}
	}
	return nil
}
