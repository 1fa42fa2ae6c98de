package boosting

import (
	"fmt"
	"math"
	"slices"
)

// regressionPairs says why there is nothing to show of residuals.
func (d *data) regressionPairs() string {
	switch {
	case d.kind != regression && d.kind != unknown:
		return notThisKind
	case len(d.pairs) == 0:
		return d.unread
	case d.last().width != 1:
		return "there are several predictions for each label"
	}
	return ""
}

// moments are of the finite ones of x.
type moments struct {
	n              int
	mean, std      float64
	least, largest float64
	skew           float64
}

func momentsOf(x []float64) moments {
	m := moments{least: math.Inf(1), largest: math.Inf(-1)}
	for _, v := range x {
		if finite(v) {
			m.n++
			m.mean += v
			m.least, m.largest = min(m.least, v), max(m.largest, v)
		}
	}
	if m.n == 0 {
		return m
	}
	m.mean /= float64(m.n)
	m2, m3 := 0.0, 0.0
	for _, v := range x {
		if finite(v) {
			e := v - m.mean
			m2, m3 = m2+e*e, m3+e*e*e
		}
	}
	m2, m3 = m2/float64(m.n), m3/float64(m.n)
	m.std = math.Sqrt(m2)
	if m2 > 0 {
		m.skew = m3 / math.Pow(m2, 1.5)
	}
	return m
}

// histogram counts the finite ones of x in bins of equal width between the
// least and the largest.
func histogram(x []float64, bins int) (edges []float64, counts []int) {
	m := momentsOf(x)
	if m.n == 0 {
		return nil, nil
	}
	width := (m.largest - m.least) / float64(bins)
	if !(width > 0) || math.IsInf(width, 0) {
		return []float64{m.least - 0.5, m.least + 0.5}, []int{m.n}
	}
	edges, counts = make([]float64, bins+1), make([]int, bins)
	for i := range edges {
		edges[i] = m.least + float64(i)*width
	}
	for _, v := range x {
		if finite(v) {
			counts[min(bins-1, int((v-m.least)/width))]++
		}
	}
	return edges, counts
}

// histogramBins is how many columns a histogram has.
const histogramBins = 40

func (d *data) residualsSection() (section, string) {
	if why := d.regressionPairs(); why != "" {
		return section{}, why
	}
	p := d.last()
	residuals := make([]float64, len(p.labels))
	for i := range residuals {
		residuals[i] = p.predictions[i] - p.labels[i]
	}
	m := momentsOf(residuals)
	if m.n == 0 {
		return section{}, "no residual is finite"
	}
	edges, counts := histogram(residuals, histogramBins)
	s := section{ID: "residuals", Text: []string{fmt.Sprintf(
		"Prediction minus label after round %d, for %s: mean %s, standard deviation %s. The line is a normal distribution with this mean and standard deviation.", p.step, plural(m.n, "row", "rows"), short(m.mean), short(m.std))}}
	if off := 3 * m.std / math.Sqrt(float64(m.n)); math.Abs(m.mean) > off && m.std > 0 {
		way := "too high"
		if m.mean < 0 {
			way = "too low"
		}
		s.Text = append(s.Text, fmt.Sprintf("The residuals are not centred at 0: on average predictions are %s, by more than three standard errors (%s).", way, short(off)))
	} else {
		s.Text = append(s.Text, "The residuals are centred at 0, within three standard errors.")
	}
	var normal line
	if m.std > 0 && len(edges) > 2 {
		width := edges[1] - edges[0]
		for i := range 101 {
			x := edges[0] + (edges[len(edges)-1]-edges[0])*float64(i)/100
			z := (x - m.mean) / m.std
			normal.x, normal.y = append(normal.x, x), append(normal.y, float64(m.n)*width*math.Exp(-z*z/2)/(m.std*math.Sqrt(2*math.Pi)))
		}
	}
	s.Figures = []figure{{Chart: columnChart(edges, counts, normal, "prediction − label", "rows")}}
	return s, ""
}

// labelBins is how many bins labels are split into.
const labelBins = 10

func (d *data) binsSection() (section, string) {
	if why := d.regressionPairs(); why != "" {
		return section{}, why
	}
	if len(d.pairs) < 2 {
		return section{}, "predictions of one round only were saved"
	}
	edges, counts := histogram(d.last().labels, labelBins)
	if len(counts) == 0 {
		return section{}, "no label is finite"
	}
	at := func(y float64) int {
		if len(counts) == 1 {
			return 0
		}
		return min(len(counts)-1, max(0, int((y-edges[0])/(edges[1]-edges[0]))))
	}
	lines := make([]line, len(counts))
	for i := range lines {
		lines[i].name = fmt.Sprintf("%s to %s (%s rows)", short(edges[i]), short(edges[i+1]), thousands(int64(counts[i])))
	}
	for _, p := range d.pairs {
		if p.width != 1 {
			continue
		}
		sums, ns := make([]float64, len(counts)), make([]int, len(counts))
		for i, y := range p.labels {
			if e := math.Abs(p.predictions[i] - y); finite(e) && finite(y) {
				sums[at(y)] += e
				ns[at(y)]++
			}
		}
		for i := range lines {
			if ns[i] > 0 {
				lines[i].x, lines[i].y = append(lines[i].x, float64(p.step)), append(lines[i].y, sums[i]/float64(ns[i]))
			}
		}
	}
	lines = slices.DeleteFunc(lines, func(l line) bool { return len(l.x) == 0 })
	return section{ID: "bins", Text: []string{fmt.Sprintf("The labels are split into %s of equal width; for each the mean of the absolute difference between prediction and label, round by round.", plural(len(counts), "bin", "bins"))},
		Figures: []figure{{Chart: lineChart(lines, chartOptions{x: "round", y: "mean absolute error", zero: true})}}}, ""
}
