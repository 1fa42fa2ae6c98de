package boosting

import (
	"fmt"
	"math"
	"strings"
)

func (d *data) metricsSection() (section, string) {
	if len(d.metrics) == 0 {
		return section{}, "no metric was computed; give the training data sets to evaluate (evals, or eval_set)"
	}
	s := section{ID: "metrics"}
	for _, m := range d.metrics {
		f := figure{Title: m.name, Notes: m.sentences()}
		var lines []line
		for _, one := range m.sets {
			l := line{name: one.name}
			if one.training {
				l.name += " (the training data)"
			}
			for i := range one.steps {
				l.x, l.y = append(l.x, float64(one.steps[i])), append(l.y, one.values[i])
			}
			lines = append(lines, l)
		}
		f.Chart = lineChart(lines, chartOptions{x: "round", y: m.name})
		s.Figures = append(s.Figures, f)
	}
	return s, ""
}

// upward tells the metrics that are the better the larger they are.
func (m *metric) upward() bool {
	name, _, _ := strings.Cut(strings.ToLower(m.name), "@")
	switch name {
	case "auc", "aucpr", "map", "ndcg", "pre", "acc", "accuracy", "interval-regression-accuracy", "f1", "r2":
		return true
	}
	return false
}

// Shares of the best value, from which on a change counts.
const (
	risen    = 0.02 // of the validation beyond its best: it gets worse again
	stillBy  = 0.01 // of the validation within the last quarter: it still gets better
	littleBy = 0.05 // of the training since the first round: it hardly learnt

	// nearlyAll of what a metric that is the better the larger it is can be.
	nearlyAll = 0.95
)

// sentences say what the curves of one metric show.
func (m *metric) sentences() []string {
	var train, held *set
	for i := range m.sets {
		switch s := &m.sets[i]; {
		case len(s.values) < 2:
		case s.training:
			train = s
		default:
			held = s // the last one, by which early stopping goes, too
		}
	}
	up := m.upward()
	var out []string
	judged := held
	if judged == nil {
		judged = train
	}
	if judged == nil {
		return []string{"There is one round only."}
	}
	best, at := judged.best(up)
	if at < 0 {
		return []string{"No value is finite."}
	}
	last := judged.values[len(judged.values)-1]
	out = append(out, fmt.Sprintf("On %s it is best after round %d (%s); after the last round it is %s.", judged.name, judged.steps[at], short(best), short(last)))
	if held == nil {
		return append(out, "There is no held-out data: the metric on the training data does not show how well the model generalises.")
	}
	scale := math.Max(math.Abs(best), 1e-12)
	worse := (last - best) / scale
	if up {
		worse = -worse
	}
	late := (judged.values[len(judged.values)*3/4] - last) / scale
	if up {
		late = -late
	}
	switch {
	case !finite(last):
		out = append(out, "It is no longer finite.")
	case worse > risen && train != nil && train.gained(up, judged.steps[at]):
		out = append(out, fmt.Sprintf("The model overfits: since that round it got worse on %s by %s, while it kept improving on the training data. Stop there (early_stopping_rounds), or regularise: shallower trees, a lower rate, subsampling.", judged.name, percent(worse)))
	case worse > risen:
		out = append(out, fmt.Sprintf("Since that round it got worse by %s.", percent(worse)))
	case late > stillBy:
		out = append(out, fmt.Sprintf("It is still improving (by %s in the last quarter): train longer.", percent(late)))
	case up && last > nearlyAll:
		out = append(out, "It is near its best value early on.")
	case train != nil && math.Abs(train.values[0]-train.values[len(train.values)-1]) < littleBy*math.Max(math.Abs(train.values[0]), 1e-12):
		out = append(out, "It hardly changes on the training data either: the model underfits. Try deeper trees, a higher rate, or other features.")
	default:
		out = append(out, "It has levelled off.")
	}
	return out
}

// best is the best finite value, and its place; -1 when there is none.
func (s *set) best(up bool) (float64, int) {
	at := -1
	for i, v := range s.values {
		if finite(v) && (at < 0 || up && v > s.values[at] || !up && v < s.values[at]) {
			at = i
		}
	}
	if at < 0 {
		return math.NaN(), -1
	}
	return s.values[at], at
}

// gained reports whether a metric is better at the end than after a round.
func (s *set) gained(up bool, step int64) bool {
	for i, at := range s.steps {
		if at >= step {
			change := s.values[len(s.values)-1] - s.values[i]
			return up && change > 0 || !up && change < 0
		}
	}
	return false
}
