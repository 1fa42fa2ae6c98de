package slow_test

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// What is said of earlier runs.
func TestSlowerThanBeforeSays(t *testing.T) {
	before := slow.Before{Runs: 3, PerStep: 0.03, Most: 0.032, Parts: map[string]float64{"forward": 0.02, "backward": 0.008}}
	for _, c := range []struct {
		name string
		with func(*slow.Before)
		want string
	}{
		{"nothing is known of what changed", func(*slow.Before) {}, "in the last 3 runs of this script: 45 % of the time is new, most of it in the backward pass; by estimate the training would be "},
		{"nothing changed", func(b *slow.Before) { b.Known = true }, "; code, packages and settings are those of the last run; by estimate the training would be "},
		{"one run, one change", func(b *slow.Before) { b.Runs, b.Changed = 1, []string{"torch 2.14.0 → 2.15.0"} }, "in the last run of this script: 45 % of the time is new, most of it in the backward pass; changed since the last run: torch 2.14.0 → 2.15.0; by estimate the training would be "},
		{"many changes", func(b *slow.Before) {
			b.Changed = []string{"a 1 → 2", "b 10% → 20%", "c 1 → 2", "d 1 → 2", "e 1 → 2"}
		}, "changed since the last run: a 1 → 2, b 10% → 20%, c 1 → 2 and 2 more; by estimate the training would be "},
		{"no part became slower by itself", func(b *slow.Before) {
			b.Parts = map[string]float64{"forward": 1, "backward": 1, "optimizer": 1, "other": 1, "data": 1}
		}, "45 % of the time is new; by estimate the training would be "},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := before
			c.with(&b)
			found, _ := judge(t, &slow.Training, training{parts: map[rule.StepPart]float64{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005}, used: 2, cores: 2, seconds: 95, before: &b})
			if len(found) != 1 || !strings.Contains(found[0].Message, c.want) || found[0].Severity != rule.Warning {
				t.Errorf("found %+v, want one with %q", found, c.want)
			}
		})
	}
}
