package ranking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// metrics are the numbers that two runs or more have, the likeliest to say how good a
// model is first. In the list of runs the first mode of a number has its name alone, so
// one name may be of training in one run and of evaluation in another: here a number is
// a name and a mode, and the mode is in its name where there is another.
func metrics(runs []Run) []Metric {
	found, modes := map[Metric]*Metric{}, map[string]map[string]bool{}
	for i := range runs {
		for name, reach := range runs[i].Values {
			key := Metric{Name: baseOf(name, reach.Mode), Mode: reach.Mode}
			m := found[key]
			if m == nil {
				m = &Metric{Name: key.Name, Mode: key.Mode, base: key.Name}
				found[key] = m
			}
			m.Runs++
			m.Better = cmp.Or(m.Better, reach.Better)
			if modes[key.Name] == nil {
				modes[key.Name] = map[string]bool{}
			}
			modes[key.Name][key.Mode] = true
		}
	}
	list := []Metric{}
	for _, m := range found {
		if len(modes[m.base]) > 1 {
			m.Name = fmt.Sprintf("%s (%s)", m.base, m.Mode)
		}
		if m.Runs > 1 || len(runs) == 1 {
			list = append(list, *m)
		}
	}
	slices.SortFunc(list, func(x, y Metric) int {
		return cmp.Or(cmp.Compare(likelihood(y, len(runs)), likelihood(x, len(runs))), cmp.Compare(x.Name, y.Name))
	})
	return list
}

// baseOf is the name of a number without its mode.
func baseOf(name, mode string) string { return strings.TrimSuffix(name, " ("+mode+")") }

// likelihood orders metrics: it must be known whether less or more is better, most runs
// must have it, it is of an evaluation rather than of training, a loss rather than
// another number. The name decides nothing but which metric is shown first.
func likelihood(m Metric, runs int) (score int) {
	if m.Better != "" {
		score += 16
	}
	if 2*m.Runs > runs {
		score += 8
	}
	if m.Mode == record.Eval.String() || ofEvaluation(m.Name) {
		score += 4
	}
	if m.base == "loss" {
		score += 2
	} else if m.Better == "less" {
		score++
	}
	return score
}

// Words by which scripts call the numbers of an evaluation that they log themselves.
var evaluations = []string{"val", "valid", "validation", "eval", "evaluation", "test", "dev"}

func ofEvaluation(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(evaluations, w) })
}

// choose finds the metric that is asked for, and in which direction it is better.
func choose(list []Metric, q Question) (Metric, error) {
	if q.Better != "" && q.Better != "less" && q.Better != "more" {
		return Metric{}, fmt.Errorf("rank runs: %q is neither less nor more", q.Better)
	}
	m := Metric{Name: q.Metric, Better: view.Better(q.Metric)}
	if i := find(list, q.Metric); i >= 0 {
		m = list[i]
	} else if q.Metric == "" && len(list) > 0 {
		m = list[0]
	} else if q.Metric != "" {
		return Metric{}, fmt.Errorf("rank runs: %w", &Unknown{q.Metric, list})
	}
	m.Better = cmp.Or(q.Better, m.Better, "less")
	return m, nil
}

// find is the index of a metric: by its name, or by the name of its series, with or
// without the mode; of several modes the likeliest. It is -1 when there is none.
func find(list []Metric, name string) int {
	i := slices.IndexFunc(list, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		i = slices.IndexFunc(list, func(m Metric) bool { return m.base == name || fmt.Sprintf("%s (%s)", m.base, m.Mode) == name })
	}
	return i
}

// Unknown says that no two runs have a metric of this name.
type Unknown struct {
	Metric string
	Known  []Metric
}

func (e *Unknown) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("no two runs have the number %q", e.Metric)
	}
	var names []string
	for _, m := range e.Known[:min(len(e.Known), 8)] {
		names = append(names, m.Name)
	}
	return fmt.Sprintf("no two runs have the number %q; they have %s", e.Metric, strings.Join(names, ", "))
}
