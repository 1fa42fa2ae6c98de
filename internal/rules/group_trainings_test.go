package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// No finding follows from one of another training, nor does advice for one go against
// advice for another. What several trainings say alike is said once.
func TestGroupsOfSeveralTrainings(t *testing.T) {
	facts := &record.Facts{Trainings: []record.TrainingFacts{{At: 100}, {At: 150, Phase: true}, {At: 200}}}
	find := func(rule, check string, step int64, asks ...record.Advice) record.Finding {
		return record.Finding{Rule: rule, Configuration: rule, Check: check, Severity: record.Error, CauseClass: rule, Step: step, Asks: asks}
	}
	notFinite := func(step int64) record.Finding { return find("not_finite", "first_non_finite", step) }
	exploded := func(step int64) record.Finding { return find("loss_not_decreasing", "exploded", step) }
	for _, tt := range []struct {
		name     string
		findings []record.Finding
		want     string // roots, with what follows in brackets
	}{
		{"one training", []record.Finding{notFinite(10), exploded(20)}, "not_finite 10 [loss_not_decreasing 20]"},
		{"two phases of one", []record.Finding{notFinite(110), exploded(160)}, "not_finite 110 [loss_not_decreasing 160]"},
		{"two trainings", []record.Finding{notFinite(10), exploded(120)}, "not_finite 10; loss_not_decreasing 120"},
		{"the same in all", []record.Finding{notFinite(10), notFinite(120), notFinite(210)}, "not_finite 10 [not_finite 120 not_finite 210]"},
		{"with what follows in the last", []record.Finding{notFinite(10), notFinite(210), exploded(220)}, "not_finite 10; not_finite 210 [loss_not_decreasing 220]"},
		{"opposite advice", []record.Finding{find("a", "c", 10, record.RaiseLearningRate), find("b", "c", 110, record.LowerLearningRate)}, "a 10; b 110"},
	} {
		var parts []string
		for _, g := range rules.Group(tt.findings, facts) {
			text := fmt.Sprintf("%s %d", g.Root.Rule, g.Root.Step)
			var more []string
			for _, s := range g.Symptoms {
				more = append(more, fmt.Sprintf("%s %d", s.Rule, s.Step))
			}
			if more != nil {
				text += " [" + strings.Join(more, " ") + "]"
			}
			parts = append(parts, text)
		}
		if got := strings.Join(parts, "; "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
