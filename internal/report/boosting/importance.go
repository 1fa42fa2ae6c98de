package boosting

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
)

// topFeatures is how many features a chart shows, tableFeatures how many the
// table below it.
const (
	topFeatures   = 10
	tableFeatures = 500
)

var importances = []struct{ kind, title string }{
	{"weight", "weight: number of splits with the feature"},
	{"gain", "gain: mean reduction of the loss by its splits"},
	{"cover", "cover: mean number of rows (sum of hessians) that its splits concern"},
}

func (d *data) importanceSection() (section, string) {
	if len(d.importance) == 0 {
		return section{}, "it was not saved"
	}
	s := section{ID: "importance", Text: []string{"As shares of the sum over all features, as saved last."}}
	for _, i := range importances {
		all := d.importance[i.kind]
		if len(all) == 0 {
			continue
		}
		bars := []bar{}
		for _, f := range all[:min(len(all), topFeatures)] {
			if f.value > 0 {
				bars = append(bars, bar{f.name, f.value, percent(f.value)})
			}
		}
		f := figure{Title: i.title, Chart: barChart(bars)}
		if len(bars) == 0 {
			f.Chart, f.Notes = "", []string{"No feature has any."}
		}
		s.Figures = append(s.Figures, f)
	}
	used, unused := d.used()
	if unused > 0 {
		s.Text = append(s.Text, fmt.Sprintf("%s of the %d features %s used in no split.", thousands(int64(unused)), used+unused, map[bool]string{true: "is", false: "are"}[unused == 1]))
	}
	if top := d.importance["gain"]; len(top) > 0 && top[0].value > 0.8 {
		s.Text = append(s.Text, fmt.Sprintf("%q alone has %s of the gain: check that it does not leak the label.", top[0].name, percent(top[0].value)))
	}
	s.Figures = append(s.Figures, figure{Fold: "All features", Table: d.importanceTable()})
	return s, ""
}

func (d *data) used() (used, unused int) {
	for _, f := range d.importance["weight"] {
		if f.value > 0 {
			used++
		} else {
			unused++
		}
	}
	return used, unused
}

func (d *data) importanceTable() *table {
	t := &table{Class: "numbers", Head: []string{"feature"}}
	values := map[string][]float64{}
	var kinds []string
	for _, kind := range []string{"weight", "gain", "cover", "total_gain", "total_cover"} {
		if len(d.importance[kind]) > 0 {
			kinds = append(kinds, kind)
			t.Head = append(t.Head, kind)
		}
	}
	var order []string
	for i, kind := range kinds {
		for _, f := range d.importance[kind] {
			if values[f.name] == nil {
				values[f.name] = make([]float64, len(kinds))
				order = append(order, f.name)
			}
			values[f.name][i] = f.value
		}
	}
	for _, name := range order[:min(len(order), tableFeatures)] {
		row := []cell{{Text: name, Name: true}}
		for _, v := range values[name] {
			row = append(row, cell{Text: four(v), Share: v})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// swarmPoints is how many rows a swarm shows.
const swarmPoints = 250

func (d *data) shapSection() (section, string) {
	if len(d.average) == 0 && len(d.shap) == 0 {
		for _, n := range d.run.NotCaptured {
			if n.Name == plan.AverageShap {
				return section{}, n.Reason
			}
		}
		return section{}, "they were not saved; ask for them with `--collect average_shap:every=50` or `--collect full_shap:every=50,raw`"
	}
	s := section{ID: "shap", Text: []string{"What each feature adds to the predictions of the training data, in the units of the objective's margin, as saved last."}}
	order := d.average
	title := "mean contribution (signed), the largest in size first"
	if len(d.shap) > 0 {
		title = "mean size of the contribution"
		order = nil
		for name, values := range d.shap {
			sum := 0.0
			for _, v := range values {
				sum += math.Abs(v)
			}
			order = append(order, feature{name, sum / float64(len(values))})
		}
	}
	order = slices.Clone(order)
	slices.SortFunc(order, func(a, b feature) int {
		return cmp.Or(cmp.Compare(math.Abs(b.value), math.Abs(a.value)), cmp.Compare(a.name, b.name))
	})
	order = order[:min(len(order), 2*topFeatures)]
	bars := []bar{}
	for _, f := range order {
		if f.value != 0 {
			bars = append(bars, bar{f.name, f.value, short(f.value)})
		}
	}
	if len(bars) == 0 {
		return section{}, "no feature adds anything"
	}
	s.Figures = append(s.Figures, figure{Title: title, Chart: barChart(bars)})
	if len(d.shap) > 0 {
		var rows []swarmRow
		for _, f := range order[:min(len(order), topFeatures)] {
			rows = append(rows, swarmRow{f.name, thinned(d.shap[f.name], swarmPoints)})
		}
		s.Figures = append(s.Figures, figure{Title: "contribution to single rows", Chart: swarmChart(rows)})
	}
	return s, ""
}

// thinned keeps n of many values, evenly.
func thinned(x []float64, n int) []float64 {
	if len(x) <= n {
		return x
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = x[i*(len(x)-1)/(n-1)]
	}
	return out
}

func (d *data) settingsSection() (section, string) {
	if len(d.settings) == 0 {
		return section{}, "they were not saved"
	}
	t := &table{Head: []string{"setting", "value"}}
	for _, name := range sortedKeys(d.settings) {
		t.Rows = append(t.Rows, []cell{{Text: name, Name: true}, {Text: d.settings[name]}})
	}
	return section{ID: "settings", Figures: []figure{{Fold: fmt.Sprintf("%d settings in force", len(d.settings)), Table: t}}}, ""
}
