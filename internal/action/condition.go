package action

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// condition reports which findings call for an action: those that are severe
// enough, and those of the rules named.
type condition struct {
	severity int      // 0: none; a finding of this weight or more
	names    []string // of rules and configurations
	status   bool     // no finding does, but changes of status
}

// onStatus is the condition of actions that tell of changes of status.
const onStatus = "status"

func weight(s record.Severity) int {
	switch s {
	case record.Error:
		return 3
	case record.Warning:
		return 2
	case record.Info:
		return 1
	}
	return 0
}

// parseCondition reads "never", or a severity and names between commas.
func parseCondition(text, otherwise string, configurations map[string]string) (condition, error) {
	var c condition
	if text = strings.TrimSpace(text); text == "" {
		text = otherwise
	}
	if text == "never" {
		return c, nil
	}
	if _, taken := configurations[onStatus]; text == onStatus && !taken {
		c.status = true
		return c, nil
	}
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		if w := weight(record.Severity(name)); w > 0 {
			if c.severity > 0 {
				return c, fmt.Errorf("%q names two severities; the less serious one includes the other", text)
			}
			c.severity = w
		} else if _, ok := configurations[name]; ok {
			c.names = append(c.names, name)
		} else if d, ok := rules.Lookup(name); ok {
			c.names = append(c.names, d.Name)
		} else if slices.Contains(slices.Collect(maps.Values(configurations)), name) { // a rule of the user's own
			c.names = append(c.names, name)
		} else if name == "never" {
			return c, fmt.Errorf("never cannot be combined with anything else in %q", text)
		} else {
			known := append([]string{"error", "warning", "info", "never"}, slices.Sorted(maps.Keys(configurations))...)
			for _, d := range rules.Catalogue() {
				known = append(known, d.Name)
			}
			return c, fmt.Errorf("%q is neither a severity nor a rule; did you mean %q?", name, rule.Nearest(name, known))
		}
	}
	return c, nil
}

func (c condition) holds(f record.Finding) bool {
	if c.severity > 0 && weight(f.Severity) >= c.severity {
		return true
	}
	return slices.Contains(c.names, f.Rule) || slices.Contains(c.names, f.Configuration)
}
