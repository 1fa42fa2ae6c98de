package view

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv/written"
)

// On which series a finding is seen: the statistic that is the number in it, and
// with a threshold only where that number is what was compared.
func TestEvidenceSeries(t *testing.T) {
	r := theRun(t)
	const gradient = "gradient/fc.weight"
	exploded := written.Gradient(90)
	for _, tt := range []struct {
		name    string
		finding record.Finding
		want    string
	}{
		{"the number judged", record.Finding{Subject: gradient, Observed: record.Number(exploded), Threshold: 1000, Comparator: ">"}, "gradient/fc.weight min > 1000"},
		{"another statistic", record.Finding{Subject: gradient, Observed: record.Number(12 * exploded), Threshold: 1000, Comparator: ">"}, "gradient/fc.weight l1 > 1000"},
		{"a number of its context", record.Finding{Subject: gradient, Observed: 7, Threshold: 3, Comparator: ">", Context: map[string]any{"sum": 12 * exploded}}, "gradient/fc.weight l1"},
		{"no number of it", record.Finding{Subject: gradient, Observed: 7, Threshold: 3, Comparator: ">"}, "gradient/fc.weight abs_mean"},
		{"another tensor of the context", record.Finding{Subject: gradient, Observed: record.Number(12 * exploded), Threshold: 1000, Comparator: ">", Context: map[string]any{"largest": "fc.weight"}},
			"gradient/fc.weight l1 > 1000, fc.weight l1"},
		{"a scalar", record.Finding{Subject: "loss", Observed: record.Number(written.Loss(90)), Threshold: 0.1, Comparator: ">"}, "loss value > 0.1"},
		{"training and evaluation compared", record.Finding{Subject: "loss", Observed: 7, Threshold: 3, Comparator: ">", Context: map[string]any{"training": 0.1, "validation": 0.2}}, "loss value, loss value in EVAL"},
		{"a subject without series", record.Finding{Subject: "train.py", Observed: 1, Threshold: 1}, "loss value"},
		{"before the first step", record.Finding{Subject: gradient, Observed: 1, Threshold: 1, ModeStep: -1}, "gradient/fc.weight abs_mean"},
	} {
		f := tt.finding
		f.Mode, f.Worker = record.Train, "worker_0"
		if f.ModeStep == 0 {
			f.ModeStep = 90
		}
		list, err := EvidenceSeries(r, &f)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, s := range list {
			text := s.Tensor + " " + s.Stat
			if s.Mode != f.Mode.String() {
				text += " in " + s.Mode
			}
			if !math.IsNaN(s.Threshold) {
				text += fmt.Sprintf(" %s %g", s.Comparator, s.Threshold)
			}
			texts = append(texts, text)
		}
		if got := strings.Join(texts, ", "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestNamedFindings(t *testing.T) {
	var clock *record.Clock
	list := []record.Finding{{Rule: "a", Check: "x"}, {Rule: "a", Check: "y"}, {Rule: "a", Check: "x"}}
	var ids []string
	for _, n := range NamedFindings(list, clock) {
		ids = append(ids, n.ID)
	}
	if got := strings.Join(ids, " "); got != "a/x/1 a/y/1 a/x/2" {
		t.Error(got)
	}
}

// A finding is at the update that was under way; one of an evaluation at the
// last one before it.
func TestFindingMarks(t *testing.T) {
	r := theRun(t)
	var clock *record.Clock
	for _, tt := range []struct {
		name    string
		finding record.Finding
		want    int64
	}{
		{"of training", record.Finding{Mode: record.Train, Step: 110, ModeStep: 90}, 90},
		{"of the first evaluation", record.Finding{Mode: record.Eval, Step: 45, ModeStep: 5}, 39},
		{"of the last evaluation", record.Finding{Mode: record.Eval, Step: 149, ModeStep: 29}, 119},
		{"of the start", record.Finding{Mode: record.Global, Step: -1, ModeStep: -1}, 0},
	} {
		marks := FindingMarks(r, NamedFindings([]record.Finding{tt.finding}, clock))
		if len(marks) != 1 || marks[0].Update != tt.want {
			t.Errorf("%s: %v, want %d", tt.name, marks, tt.want)
		}
	}
	if marks := FindingMarks(r, NamedFindings([]record.Finding{{Muted: true}}, clock)); len(marks) != 0 {
		t.Errorf("a muted finding is marked")
	}
}
