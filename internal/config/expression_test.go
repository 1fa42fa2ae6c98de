package config

import (
	"errors"
	"fmt"
	"testing"
)

// place is a mistake at a place in an expression.
type badPlace struct{ line, column int }

func (e *badPlace) Error() string { return "it is bad" }

func (e *badPlace) Position() (int, int, string) { return e.line, e.column, "it is bad" }

// withExpressions is the catalogue with expressions, of which those named bad
// are wrong at the place given.
func withExpressions(line, column int) Catalogue {
	c := catalogue
	c.Own = []Own{{Key: "expression", Of: "an expression", Params: []string{"expression", "for", "severity", "message", "start_step", "workers"}}}
	c.CheckOwn = func(name string, _ map[string]string) error {
		switch name {
		case "bad":
			return fmt.Errorf("configure rule: %w", &badPlace{line, column})
		case "bare":
			return errors.New("it is bare")
		}
		return nil
	}
	return c
}

func TestExpressionInFile(t *testing.T) {
	l, err := parseFile([]byte(`
rule:
  - rule: loss_spike
    expression: series("loss").last() > 3
    for: 2
    message: "too high: {observed}"
    workers: [worker_0, worker_1]
    parameters: {start_step: 10}
  - rule: other
    configuration: second
    expression: |
      series("loss").last() > 1 &&
      step > 3
`), "vigil.yaml", withExpressions(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, l.rules, []RuleConfig{
		{Rule: "loss_spike", Configuration: "loss_spike", From: "vigil.yaml:3:5", Params: map[string]string{
			"expression": `series("loss").last() > 3`, "for": "2", "message": "too high: {observed}", "workers": "worker_0,worker_1", "start_step": "10"}},
		{Rule: "other", Configuration: "second", From: "vigil.yaml:9:5", Params: map[string]string{"expression": "series(\"loss\").last() > 1 &&\nstep > 3\n"}},
	})
}

// A mistake in an expression is told with its line and column in the file.
func TestMistakesInExpressionsHaveTheirPlace(t *testing.T) {
	for _, c := range []struct {
		name, text    string
		line, column  int
		message, hint string
	}{
		{"plain", "rule:\n  - rule: bad\n    expression: ab > 3\n", 1, 4, "vigil.yaml:3:20: it is bad", ""},
		{"quoted", "rule:\n  - rule: bad\n    expression: 'ab > 3'\n", 1, 4, "vigil.yaml:3:21: it is bad", ""},
		{"block", "rule:\n  - rule: bad\n    expression: |\n      ab &&\n      cd\n", 2, 2, "vigil.yaml:5:8: it is bad", ""},
		{"folded", "rule:\n  - rule: bad\n    expression: >\n      ab &&\n      cd\n", 1, 7, "line 1, column 7 of the expression: it is bad", ""},
		{"without a place", "rule:\n  - rule: bare\n    expression: ab\n", 0, 0, "vigil.yaml:3:17: it is bare", ""},
		{"no name", "rule:\n  - expression: ab\n", 0, 0, "vigil.yaml:2:5: an expression without a name", "a new name"},
		{"taken", "rule:\n  - rule: DeadRelu\n    expression: ab\n", 0, 0, `the rule "DeadRelu" already exists`, "a new name"},
		{"unknown key", "rule:\n  - rule: fine\n    expression: ab\n    sevrity: error\n", 0, 0, `vigil.yaml:4:5: unknown key "sevrity"`, `did you mean "severity"?`},
		{"twice", "rule:\n  - rule: fine\n    expression: ab\n    for: 1\n    parameters: {for: 2}\n", 0, 0, `"for" is given twice`, "once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseFile([]byte(c.text), "vigil.yaml", withExpressions(c.line, c.column))
			refused(t, err, c.message, c.hint)
		})
	}
}

func TestExpressionAsFlag(t *testing.T) {
	rc, err := parseRule(`mine:expression=series("loss").quantile(0.5, 10) > 3, for=2`, "--rule", withExpressions(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, rc, RuleConfig{Rule: "mine", Configuration: "mine", From: "--rule", Params: map[string]string{"expression": `series("loss").quantile(0.5, 10) > 3`, "for": "2"}})
	_, err = parseRule(`bad:expression=x`, "--rule", withExpressions(1, 1))
	refused(t, err, "--rule: configure rule: it is bad", "")
}
