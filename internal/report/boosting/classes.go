package boosting

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// shownClasses is how many classes a matrix shows.
const shownClasses = 30

// confusion counts how often each class was predicted as each.
type confusion struct {
	classes []int // all that are labelled or predicted, in order
	counts  map[[2]int]int
	rows    map[int]int // labels
	columns map[int]int // predictions
	total   int
	right   int
}

func (p *pair) confusion(kind problem) confusion {
	c := confusion{counts: map[[2]int]int{}, rows: map[int]int{}, columns: map[int]int{}}
	predicted := p.classes(kind)
	seen := map[int]bool{}
	for i, y := range p.labels {
		k := int(y)
		c.counts[[2]int{k, predicted[i]}]++
		c.rows[k]++
		c.columns[predicted[i]]++
		seen[k], seen[predicted[i]] = true, true
		c.total++
		if k == predicted[i] {
			c.right++
		}
	}
	c.classes = slices.Sorted(maps.Keys(seen))
	return c
}

// ratio is 0 where nothing is divided by.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// classPairs says why there is nothing to show of classes.
func (d *data) classPairs() string {
	switch {
	case !d.kind.classifies() && d.kind != unknown:
		return notThisKind
	case len(d.pairs) == 0:
		return d.unread
	}
	return ""
}

func (d *data) confusionSection() (section, string) {
	if why := d.classPairs(); why != "" {
		return section{}, why
	}
	p := d.last()
	c := p.confusion(d.kind)
	s := section{ID: "confusion", Text: []string{fmt.Sprintf("Rows are labels, columns predictions, after round %d: %s of %s rows are correct (%s). Each cell has the count and its share of the row.",
		p.step, thousands(int64(c.right)), thousands(int64(c.total)), percent(ratio(c.right, c.total)))}}
	shown := c.classes
	if len(shown) > shownClasses {
		shown = slices.Clone(shown)
		slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(c.rows[b], c.rows[a]) })
		shown = shown[:shownClasses]
		slices.Sort(shown)
		s.Text = append(s.Text, fmt.Sprintf("Of %d classes the %d most frequent ones are shown.", len(c.classes), shownClasses))
	}
	t := &table{Class: "matrix", Head: []string{"label ↓ predicted →"}}
	for _, k := range shown {
		t.Head = append(t.Head, fmt.Sprint(k))
	}
	for _, i := range shown {
		row := []cell{{Text: fmt.Sprint(i), Name: true}}
		for _, j := range shown {
			n := c.counts[[2]int{i, j}]
			share := ratio(n, c.rows[i])
			one := cell{Text: thousands(int64(n)), Share: share, Right: i == j, Wrong: i != j}
			if n > 0 {
				one.Small = percent(share)
			}
			row = append(row, one)
		}
		t.Rows = append(t.Rows, row)
	}
	s.Figures = []figure{{Table: t}}
	if i, j, n := c.worst(); n > 0 {
		s.Text = append(s.Text, fmt.Sprintf("The most frequent confusion: class %d predicted as class %d, %s times (%s of its rows).", i, j, thousands(int64(n)), percent(ratio(n, c.rows[i]))))
	}
	return s, ""
}

// worst is the most frequent mistake.
func (c *confusion) worst() (label, predicted, n int) {
	for _, i := range c.classes {
		for _, j := range c.classes {
			if m := c.counts[[2]int{i, j}]; i != j && m > n {
				label, predicted, n = i, j, m
			}
		}
	}
	return label, predicted, n
}

// score is precision, recall and their harmonic mean.
type score struct {
	class             int
	precision, recall float64
	f1                float64
	support           int
	undefined         bool // something was divided by zero
}

func (c *confusion) scores() []score {
	var out []score
	for _, k := range c.classes {
		hits := c.counts[[2]int{k, k}]
		s := score{class: k, precision: ratio(hits, c.columns[k]), recall: ratio(hits, c.rows[k]), support: c.rows[k]}
		s.undefined = c.columns[k] == 0 || c.rows[k] == 0
		if s.precision+s.recall > 0 {
			s.f1 = 2 * s.precision * s.recall / (s.precision + s.recall)
		}
		out = append(out, s)
	}
	return out
}

func (d *data) evaluationSection() (section, string) {
	if why := d.classPairs(); why != "" {
		return section{}, why
	}
	p := d.last()
	c := p.confusion(d.kind)
	scores := c.scores()
	accuracy := ratio(c.right, c.total)
	t := &table{Class: "numbers", Head: []string{"class", "precision", "recall", "F1", "support"}}
	row := func(name string, precision, recall, f1 float64, support int) {
		t.Rows = append(t.Rows, []cell{{Text: name, Name: true}, {Text: four(precision)}, {Text: four(recall)}, {Text: four(f1)}, {Text: thousands(int64(support))}})
	}
	var macro, weighted score
	undefined := []int{}
	for i, s := range scores {
		if i < 2*shownClasses {
			row(fmt.Sprint(s.class), s.precision, s.recall, s.f1, s.support)
		}
		n, w := 1/float64(len(scores)), ratio(s.support, c.total)
		macro.precision, macro.recall, macro.f1 = macro.precision+n*s.precision, macro.recall+n*s.recall, macro.f1+n*s.f1
		weighted.precision, weighted.recall, weighted.f1 = weighted.precision+w*s.precision, weighted.recall+w*s.recall, weighted.f1+w*s.f1
		if s.undefined {
			undefined = append(undefined, s.class)
		}
	}
	row("all, by counts (micro)", accuracy, accuracy, accuracy, c.total)
	row("mean of the classes (macro)", macro.precision, macro.recall, macro.f1, c.total)
	row("mean weighted by support", weighted.precision, weighted.recall, weighted.f1, c.total)
	s := section{ID: "evaluation", Figures: []figure{{Table: t}}, Text: []string{fmt.Sprintf(
		"After round %d the accuracy is %s. Precision: which share of the rows predicted as a class are of it. Recall: which share of the rows of a class are predicted as it. F1: their harmonic mean.", p.step, percent(accuracy))}}
	if n := len(undefined); n > 0 {
		s.Text = append(s.Text, fmt.Sprintf("%s without labels or without predictions (%s): what would be a division by zero counts as 0.", plural(n, "class is", "classes are"), list(undefined, 10)))
	}
	if n := len(scores) - 2*shownClasses; n > 0 {
		s.Text = append(s.Text, fmt.Sprintf("%d further classes are not listed.", n))
	}
	return s, ""
}

func (d *data) diagonalSection() (section, string) {
	if why := d.classPairs(); why != "" {
		return section{}, why
	}
	if len(d.pairs) < 2 {
		return section{}, "predictions of one round only were saved"
	}
	end := d.last().confusion(d.kind)
	shown := slices.DeleteFunc(slices.Clone(end.classes), func(k int) bool { return end.rows[k] == 0 })
	s := section{ID: "diagonal", Text: []string{"For each class the share of its rows that is predicted as it (its recall), round by round."}}
	if len(shown) > maxLines {
		slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(end.rows[b], end.rows[a]) })
		shown = shown[:maxLines]
		slices.Sort(shown)
		s.Text = append(s.Text, fmt.Sprintf("The %d most frequent classes are shown.", maxLines))
	}
	lines := make([]line, len(shown))
	for i, k := range shown {
		lines[i].name = fmt.Sprintf("class %d", k)
	}
	for n := range d.pairs {
		c := d.pairs[n].confusion(d.kind)
		for i, k := range shown {
			if c.rows[k] > 0 {
				lines[i].x = append(lines[i].x, float64(d.pairs[n].step))
				lines[i].y = append(lines[i].y, ratio(c.counts[[2]int{k, k}], c.rows[k]))
			}
		}
	}
	s.Figures = []figure{{Chart: lineChart(lines, chartOptions{x: "round", y: "recall", top: 1})}}
	return s, ""
}

func (d *data) rocSection() (section, string) {
	if d.kind != binary {
		return section{}, notThisKind
	}
	if why := d.classPairs(); why != "" {
		return section{}, why
	}
	p := d.last()
	if p.width > 1 {
		return section{}, "predictions are not scores"
	}
	x, y, area, ok := roc(p.labels, p.predictions)
	if !ok {
		return section{}, fmt.Sprintf("it is undefined: all labels after round %d are of one class", p.step)
	}
	s := section{ID: "roc", Text: []string{fmt.Sprintf(
		"After round %d, for all thresholds: true positive rate (up) against false positive rate (right). The area under the curve is %s; random guessing gives 0.5.", p.step, four(area))}}
	s.Figures = []figure{{Chart: lineChart([]line{{name: fmt.Sprintf("area %s", four(area)), x: x, y: y}, {name: "a guess", x: []float64{0, 1}, y: []float64{0, 1}, dashed: true}},
		chartOptions{x: "false positive rate", y: "true positive rate", zero: true, top: 1, square: true})}}
	return s, ""
}

// roc is the curve for all thresholds, thinned, and the area under it. It is
// undefined when the labels are of one class.
func roc(labels, scores []float64) (x, y []float64, area float64, ok bool) {
	order := make([]int, len(scores))
	positive := 0
	for i := range order {
		order[i] = i
		if labels[i] > 0.5 {
			positive++
		}
	}
	negative := len(scores) - positive
	if positive == 0 || negative == 0 {
		return nil, nil, 0, false
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	x, y = []float64{0}, []float64{0}
	hits, alarms := 0, 0
	for i, at := range order {
		if labels[at] > 0.5 {
			hits++
		} else {
			alarms++
		}
		if i+1 < len(order) && scores[order[i+1]] == scores[at] {
			continue // one threshold
		}
		nx, ny := float64(alarms)/float64(negative), float64(hits)/float64(positive)
		px, py := x[len(x)-1], y[len(y)-1]
		area += (nx - px) * (ny + py) / 2
		x, y = append(x, nx), append(y, ny)
	}
	return x, y, area, true
}
