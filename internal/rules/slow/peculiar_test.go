package slow_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

type parts = map[rule.StepPart]float64

// peculiar is what only some steps, moments or ranks of a training have.
type peculiar struct {
	more      func(step int64, second float64) parts // seconds that a step has besides
	bursts    func(second float64) float64           // cores, by what does not belong to the job
	preparing float64                                // cores, by the loader's workers; in used
	united    int64                                  // short steps of which a row has as many
	ranks     map[string]func(step int64) parts      // the other ranks' steps
}

func (p peculiar) burst(second float64) float64 {
	if p.bursts == nil {
		return 0
	}
	return p.bursts(second)
}

// step are the parts of a step.
func (tr training) step(n int64, second float64) parts {
	if tr.more == nil {
		return tr.parts
	}
	all := maps.Clone(tr.parts)
	for p, s := range tr.more(n, second) {
		all[p] += s
	}
	return all
}

// add adds a step to rows, and those of the other ranks.
func (p peculiar) add(rows []rule.StepTime, t rule.StepTime) []rule.StepTime {
	const short = 50_000_000
	t.Longest, t.LongestStep = t.Total()-t.Parts[rule.WaitForData], t.ModeStep
	if n := len(rows); n > 0 && t.Total() < short && rows[n-1].Steps < p.united && rows[n-1].Total() < 2*short && rows[n-1].Longest < short {
		last := &rows[n-1]
		last.End = t.End
		last.Steps++
		for p, ns := range t.Parts {
			last.Parts[p] += ns
		}
		if t.Longest > last.Longest {
			last.Longest, last.LongestStep = t.Longest, t.LongestStep
		}
		return rows
	}
	rows = append(rows, t)
	for _, worker := range slices.Sorted(maps.Keys(p.ranks)) {
		if t.Mode != rule.Train {
			continue
		}
		o := t
		o.Worker, o.Parts = worker, [rule.StepParts]int64{}
		for part, s := range p.ranks[worker](t.ModeStep) {
			o.Parts[part] = int64(s * 1e9)
		}
		rows = append(rows, o)
	}
	return rows
}

// says is what a training is told of: the messages of the checks that are asked
// about, up to the gain, and the names of all others.
func says(t *testing.T, tr training, checks ...string) string {
	t.Helper()
	tr.cores = 2
	if tr.seconds == 0 {
		tr.seconds = 95
	}
	found, _ := judge(t, &slow.Training, tr)
	var out []string
	for _, v := range found {
		if !slices.Contains(checks, v.Check) {
			out = append(out, v.Check)
			continue
		}
		message, _, _ := strings.Cut(v.Message, ";")
		text := fmt.Sprintf("%s %s %.1f %s", v.Check, v.Severity, v.Gain, message)
		if v.CauseClass != "" {
			text += " (" + v.CauseClass + ")"
		}
		if v.Where != nil {
			text += fmt.Sprintf(" line %d", v.Where.Line)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// every adds seconds to a part of each nth step.
func every(n int64, p rule.StepPart, seconds float64) func(int64, float64) parts {
	return func(step int64, _ float64) parts {
		if step%n == n-1 {
			return parts{p: seconds}
		}
		return nil
	}
}
