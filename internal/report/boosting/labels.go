package boosting

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// skewed is the ratio of classes, and the skewness of a distribution, from
// which on a note is made.
const (
	skewedClasses = 3
	skewedValues  = 1
)

func (d *data) labelsSection() (section, string) {
	if len(d.loose) == 0 {
		why := d.unread
		if why == "" {
			why = "labels were not saved"
		}
		return section{}, why
	}
	s := section{ID: "labels"}
	if d.kind.classifies() || d.kind == ranking && fewWhole(d.loose) {
		counts := map[int]int{}
		for _, y := range d.loose {
			counts[int(y)]++
		}
		order := slices.Sorted(maps.Keys(counts))
		bars := make([]bar, 0, len(order))
		for _, k := range order {
			bars = append(bars, bar{fmt.Sprintf("class %d", k), float64(counts[k]), fmt.Sprintf("%s (%s)", thousands(int64(counts[k])), percent(ratio(counts[k], len(d.loose))))})
		}
		if len(bars) > shownClasses {
			slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(b.value, a.value) })
			s.Text = append(s.Text, fmt.Sprintf("Of %d classes the %d most frequent ones are shown.", len(bars), shownClasses))
			bars = bars[:shownClasses]
		}
		s.Figures = []figure{{Chart: barChart(bars)}}
		byCount := slices.SortedFunc(maps.Keys(counts), func(a, b int) int { return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(a, b)) })
		least, most := byCount[0], byCount[len(byCount)-1]
		r := float64(counts[most]) / float64(counts[least])
		switch {
		case len(counts) == 1:
			s.Text = append(s.Text, fmt.Sprintf("All labels are of class %d: there is nothing to learn.", most))
		case r >= skewedClasses:
			s.Text = append(s.Text, fmt.Sprintf("The labels are imbalanced: class %d is %s times as frequent as class %d. Accuracy says little then; check the recall of each class.", most, short(r), least))
		default:
			s.Text = append(s.Text, "The classes are of about the same size.")
		}
		return s, ""
	}
	m := momentsOf(d.loose)
	if m.n == 0 {
		return section{}, "no label is finite"
	}
	edges, counts := histogram(d.loose, histogramBins)
	s.Figures = []figure{{Chart: columnChart(edges, counts, line{}, "label", "rows")}}
	s.Text = []string{fmt.Sprintf("%s labels from %s to %s, mean %s, standard deviation %s.", thousands(int64(m.n)), short(m.least), short(m.largest), short(m.mean), short(m.std))}
	if math.Abs(m.skew) > skewedValues {
		where := "the high end"
		if m.skew < 0 {
			where = "the low end"
		}
		s.Text = append(s.Text, fmt.Sprintf("The distribution is skewed (skewness %s): a few labels are far out at %s. A logarithm of the labels, or another objective, may suit them better.", short(m.skew), where))
	}
	return s, ""
}

func fewWhole(x []float64) bool {
	seen := map[float64]bool{}
	for _, v := range x {
		if v != math.Trunc(v) || len(seen) > mostClasses {
			return false
		}
		seen[v] = true
	}
	return len(seen) <= mostClasses
}
