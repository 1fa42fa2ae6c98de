package boosting

import (
	"math"
	"slices"
	"strings"
)

// problem is what is predicted.
type problem int

const (
	unknown problem = iota
	binary
	multiclass
	regression
	ranking
)

func (p problem) text() string {
	return [...]string{"not known", "two classes", "several classes", "regression", "ranking"}[p]
}

// ownObjective is what the hook says where the script computes the objective.
const ownObjective = "custom"

// mostClasses is how many different small integers may be classes when nothing
// but the labels tells.
const mostClasses = 50

// recognise goes by the objective; where that says nothing (one of the
// script's own), by the labels: two integer values are two classes, several
// small integers several, anything else is a regression.
func (d *data) recognise() problem {
	switch o := d.facts.Objective; {
	case strings.HasPrefix(o, "binary:"):
		return binary
	case strings.HasPrefix(o, "multi:"):
		return multiclass
	case strings.HasPrefix(o, "rank:"):
		return ranking
	case o != "" && o != ownObjective:
		return regression
	}
	values := map[float64]bool{}
	for _, y := range d.loose {
		if y != math.Trunc(y) || y < 0 || y >= mostClasses {
			return regression
		}
		values[y] = true
	}
	switch {
	case len(values) == 0:
		return unknown
	case len(values) <= 2:
		return binary
	}
	return multiclass
}

// classifies reports whether there are classes.
func (p problem) classifies() bool { return p == binary || p == multiclass }

// classes turns predictions into classes: of two, whether the score is above
// one half (above zero, where scores are margins); of several, the number
// itself, or the column with the highest score.
func (p *pair) classes(kind problem) []int {
	out := make([]int, len(p.labels))
	if p.width > 1 {
		for i := range out {
			row := p.predictions[i*p.width : (i+1)*p.width]
			best := 0
			for k, x := range row {
				if x > row[best] {
					best = k
				}
			}
			out[i] = best
		}
		return out
	}
	limit := 0.5
	if slices.ContainsFunc(p.predictions, func(x float64) bool { return x < 0 || x > 1 }) {
		limit = 0
	}
	for i, x := range p.predictions {
		switch {
		case kind == multiclass:
			out[i] = int(x)
		case x > limit:
			out[i] = 1
		}
	}
	return out
}
