package config

import (
	"strings"
	"testing"
)

// A misspelt key of a rule is reported as that, also where it keeps Vigil from
// seeing what kind of rule it is.
func TestMisspeltKeyOfARule(t *testing.T) {
	cat := withClasses()
	cat.Own = append(cat.Own, withExpressions(0, 0).Own...)
	for _, c := range []struct{ text, message, hint string }{
		{"expresion: loss > 1", `unknown key "expresion" of a rule`, `did you mean "expression"?`},
		{"sorce: my.py", `unknown key "sorce" of a rule`, `did you mean "source"?`},
		{"class: Mine\n    sorce: my.py", `unknown key "sorce" of a rule`, `did you mean "source"?`},
		{"paramters: {a: 1}", `unknown key "paramters" of a rule`, `did you mean "parameters"?`},
	} {
		_, err := parseFile([]byte("rule:\n  - rule: mine\n    "+c.text+"\n"), "c.yaml", cat)
		if err == nil || !strings.Contains(err.Error(), c.message) || !strings.Contains(usage(err, "", "").Hint, c.hint) {
			t.Errorf("%s: %v (%s), want %s (%s)", c.text, err, usage(err, "", "").Hint, c.message, c.hint)
		}
	}
	for spec, want := range map[string]string{
		"mine:expresion=loss > 1":           `--rule: unknown key "expresion" of a rule`,
		"mine:class=Mine,sorce=my.py":       `--rule: unknown key "sorce" of a rule`,
		"mine:limit=3":                      `--rule: unknown rule "mine"`,
		"vanishing_gradent:expresion=x > 1": `--rule: unknown rule "vanishing_gradent"`,
	} {
		if _, err := parseRule(spec, "--rule", cat); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}
