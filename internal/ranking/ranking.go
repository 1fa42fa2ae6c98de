// Package ranking answers which of several runs is best by a number, what the runs
// differ in, and which of their parameters go with that number.
package ranking

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// Run is what has to be known of one.
type Run struct {
	Name       string
	Values     map[string]view.Reach // by name as view.ValueName gives it
	Parameters map[string]string
	Errors     []string // rules with an error finding that is not muted
	Warnings   []string // the same of warnings
	Running    bool
}

// Of is what the list of runs knows of one.
func Of(row *runs.Row) (Run, error) {
	d, err := row.Details()
	if err != nil {
		return Run{}, err
	}
	r := Run{Name: row.Name, Values: d.Values, Parameters: d.Parameters, Running: row.Status == record.Running}
	for _, f := range row.Found {
		r.found(f.Severity, f.Rule)
	}
	return r, nil
}

// found notes a finding that is not muted.
func (r *Run) found(severity record.Severity, rule string) {
	switch {
	case severity == record.Error && !slices.Contains(r.Errors, rule):
		r.Errors = append(r.Errors, rule)
	case severity == record.Warning && !slices.Contains(r.Warnings, rule):
		r.Warnings = append(r.Warnings, rule)
	}
}

// Read is what a stored run says of itself.
func Read(t source.Run) (Run, error) {
	o, err := view.OutlineOf(t)
	if err != nil {
		return Run{}, err
	}
	run := t.Run()
	r := Run{Name: filepath.Base(t.Path()), Values: o.Values, Parameters: view.Parameters(run), Running: run.Status == record.Running}
	for _, f := range t.Findings() {
		if !f.Muted {
			r.found(f.Severity, f.Rule)
		}
	}
	return r, nil
}

// Question is by what runs are ranked.
type Question struct {
	Metric string // a name in Values; empty: the one that most likely says how good a model is
	Better string // less or more; empty: by the metric's name
}

// Answer is the ranking.
type Answer struct {
	Metric  string   `json:"metric" doc:"The number that the runs are ranked by; empty where two runs share none."`
	Mode    string   `json:"mode" doc:"Mode of its steps"`
	Better  string   `json:"better" enum:"less,more" doc:"Whether less of it is better, or more"`
	Stat    string   `json:"stat" enum:"best,last" doc:"Which of its values counts: the best, where each stands for a whole evaluation, else the last"`
	Metrics []Metric `json:"metrics" doc:"By what else they can be ranked"`
	// Runs are in the order of the metric, the best first; those without it are last.
	Runs       []Place     `json:"runs"`
	Best       string      `json:"best" doc:"The first run that can be trusted; empty: there is none"`
	Parameters []Parameter `json:"parameters" doc:"What the runs differ in; first what goes with the metric most clearly"`
	Same       int         `json:"same" doc:"How many parameters are the same in all runs"`
	Decisive   string      `json:"decisive" doc:"The parameter in which the best run differs from the one that it differs from least, where that is one; empty: there is none"`
	Text       string      `json:"text" doc:"The answer in a sentence or two"`
	Difference string      `json:"difference" doc:"In what the best run differs from the one that it differs from least, as a sentence; empty where that is in many parameters"`
}

// Metric is a number that runs can be ranked by.
type Metric struct {
	Name   string `json:"name"`
	Mode   string `json:"mode"`
	Better string `json:"better" doc:"less, more, or empty where it is not known"`
	Runs   int    `json:"runs" doc:"How many have it"`

	base string // the name without the mode
}

// Place is a run in the ranking.
type Place struct {
	Name     string        `json:"name"`
	Value    record.Number `json:"value" doc:"NaN where the run does not have the metric, or no finite value of it"`
	Step     int64         `json:"step" doc:"Step of its mode that the value is of; -1 of none"`
	Rank     int           `json:"rank" doc:"From 1 among the runs that can be trusted; 0 of others"`
	Distrust []string      `json:"distrust" doc:"Rules with an error finding in the run: its value is not to be trusted"`
	Warnings []string      `json:"warnings" doc:"Rules with a warning"`
	Running  bool          `json:"running" doc:"It goes on, so its value may change"`
}

// Rank puts runs into order.
func Rank(runs []Run, q Question) (Answer, error) {
	a := Answer{Metrics: metrics(runs), Runs: []Place{}, Parameters: []Parameter{}}
	m, err := choose(a.Metrics, q)
	if err != nil {
		return a, err
	}
	a.Metric, a.Mode, a.Better, a.Stat = m.Name, m.Mode, m.Better, statOf(m)
	order := make([]*Run, 0, len(runs))
	places := make(map[*Run]Place, len(runs))
	for i := range runs {
		r := &runs[i]
		order = append(order, r)
		places[r] = placeOf(r, m, a)
	}
	slices.SortStableFunc(order, func(x, y *Run) int { return compare(places[x], places[y], a.Better) })
	rank := 0
	for _, r := range order {
		p := places[r]
		if p.trusted() {
			rank++
			p.Rank = rank
			if rank == 1 {
				a.Best = r.Name
			}
		}
		a.Runs = append(a.Runs, p)
	}
	a.Parameters, a.Same = parameters(order, a.Runs, a.Better)
	a.Text = a.sentence()
	a.Difference = a.difference()
	return a, nil
}

// statOf says which value of a metric counts. Each value of an evaluation is that of a
// whole pass, so that the best one means something; the best of single batches is luck.
func statOf(m Metric) string {
	if m.Mode == record.Eval.String() || m.Mode == record.Predict.String() || ofEvaluation(m.Name) {
		return "best"
	}
	return "last"
}

func placeOf(r *Run, m Metric, a Answer) Place {
	p := Place{Name: r.Name, Value: record.Number(math.NaN()), Step: -1, Distrust: r.Errors, Warnings: r.Warnings, Running: r.Running}
	if p.Distrust == nil {
		p.Distrust = []string{}
	}
	if p.Warnings == nil {
		p.Warnings = []string{}
	}
	reach, ok := r.Values[m.base]
	if !ok || reach.Mode != m.Mode {
		if reach, ok = r.Values[fmt.Sprintf("%s (%s)", m.base, m.Mode)]; !ok {
			return p
		}
	}
	value, step := reach.Last, reach.LastStep
	if a.Stat == "best" {
		value, step = reach.Min, reach.MinStep
		if a.Better == "more" {
			value, step = reach.Max, reach.MaxStep
		}
	}
	if finite(float64(value)) {
		p.Value, p.Step = value, step
	}
	return p
}

// trusted reports whether the place of a run means anything.
func (p Place) trusted() bool { return len(p.Distrust) == 0 && finite(float64(p.Value)) }

// compare puts the better value first, and what has none last.
func compare(x, y Place, better string) int {
	a, b := float64(x.Value), float64(y.Value)
	switch {
	case finite(a) != finite(b):
		return map[bool]int{true: -1, false: 1}[finite(a)]
	case !finite(a):
		return 0
	case better == "more":
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// sentence says which run is best, and what stands against a better value.
func (a Answer) sentence() string {
	if a.Metric == "" {
		return "The runs have no number in common by which they could be ranked."
	}
	what := map[string]string{"best": map[string]string{"less": "least", "more": "greatest"}[a.Better], "last": "last"}[a.Stat]
	var best, next *Place
	var ahead []Place // better, but not to be trusted
	for i := range a.Runs {
		p := &a.Runs[i]
		switch {
		case p.Rank == 1:
			best = p
		case p.Rank == 2:
			next = p
		case best == nil && finite(float64(p.Value)):
			ahead = append(ahead, *p)
		}
	}
	if best == nil {
		return fmt.Sprintf("No run with a value of %s is without an error finding, so none can be called the best.", a.Metric)
	}
	text := fmt.Sprintf("%s is best: its %s %s is %s", best.Name, what, a.Metric, record.Digits(float64(best.Value)))
	if next != nil {
		text += fmt.Sprintf("; the next is %s with %s", next.Name, record.Digits(float64(next.Value)))
	}
	text += "."
	switch len(ahead) {
	case 0:
	case 1:
		text += fmt.Sprintf(" %s has %s, but an error finding (%s), so its value is not to be trusted.", ahead[0].Name, record.Digits(float64(ahead[0].Value)), ahead[0].Distrust[0])
	default:
		text += fmt.Sprintf(" %d runs have better values, but error findings, so these values are not to be trusted.", len(ahead))
	}
	if best.Running {
		text += " It is still running."
	}
	return text
}
