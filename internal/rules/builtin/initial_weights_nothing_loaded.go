package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// nothingLoaded finds a module that was to get its weights from a file, none of whose
// names it has: strict=False lets that pass, and the weights stay as they were initialised.
func (r *initial) nothingLoaded(f *rule.Facts, rep *rule.Report) {
	for i := range f.Parameters.Loads {
		l := &f.Parameters.Loads[i]
		if l.Given < 2 || l.Matched > 0 || l.Loaded > 0 || l.Parameters == 0 || len(l.Unexpected) == 0 || len(l.Absent) == 0 {
			continue
		}
		v := rule.Violation{
			Check: "nothing_loaded", Subject: l.Module, Severity: rule.Error, Observed: 0, Threshold: 1, Comparator: "<", Steps: int(updates(f)),
			Cause:   "the names in the checkpoint are not those of the module, which strict=False lets pass",
			Remedy:  loadRemedy(l),
			Context: map[string]any{"given": l.Given, "absent": l.Absent, "unexpected": l.Unexpected, "trained": l.Trained},
			Message: fmt.Sprintf("0 of %d tensors were loaded into %s: load_state_dict(strict=False) was given names such as %s, and %s has %s. Its weights are those from before that call%s.",
				l.Given, l.Module, l.Unexpected[0], l.Module, l.Absent[0], map[bool]string{false: ", and they are frozen"}[l.Trained]),
		}
		if l.Trained {
			v.Severity = rule.Warning
		}
		r.say(rep, v)
	}
}

// loadRemedy names the prefix that keeps the names from being equal, where it is one.
func loadRemedy(l *record.LoadFact) string {
	if p := prefixBetween(l.Unexpected, l.Absent); p != "" {
		return fmt.Sprintf("remove the prefix: module.load_state_dict({k[len(%q):]: v for k, v in state.items()})", p)
	}
	if p := prefixBetween(l.Absent, l.Unexpected); p != "" {
		return fmt.Sprintf("add the prefix: module.load_state_dict({%q + k: v for k, v in state.items()})", p)
	}
	return "load with strict=True, which names what differs, and give load_state_dict the part of the checkpoint that holds the weights, under the module's names"
}

// prefixBetween is what is before the first of the names in long and is missing in
// short; "" where there is no such prefix.
func prefixBetween(long, short []string) string {
	for _, name := range short {
		for _, other := range long {
			p, found := strings.CutSuffix(other, name)
			if found && strings.HasSuffix(p, ".") && !slices.ContainsFunc(long, func(n string) bool { return !strings.HasPrefix(n, p) }) {
				return p
			}
		}
	}
	return ""
}
