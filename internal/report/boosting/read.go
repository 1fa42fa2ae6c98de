package boosting

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Bounds of what is read, which keep the file small however long the run was.
const (
	maxPairs = 60 // rounds whose labels and predictions are compared
	maxLines = 10 // lines in one chart
)

// data is what the report is made of.
type data struct {
	run    record.Run
	facts  record.BoostingFacts
	kind   problem
	rounds int64

	metrics    []metric
	importance map[string][]feature // by type, largest first; those of no importance last
	settings   map[string]string
	average    []feature // SHAP, as it was saved last
	shap       map[string][]float64
	pairs      []pair
	unread     string // why there are no pairs
	loose      []float64
}

// metric is one metric over the rounds, on one or several sets of rows.
type metric struct {
	name string
	sets []set
}

// set is a metric on one set of rows.
type set struct {
	name     string
	training bool
	steps    []int64
	values   []float64
}

type feature struct {
	name  string
	value float64
}

// pair is what was predicted for the labels after a round.
type pair struct {
	step        int64
	labels      []float64
	predictions []float64 // row by row
	width       int       // predictions of one row
}

func (d *data) last() *pair { return &d.pairs[len(d.pairs)-1] }

// read reads a run. Only the chief's data is looked at.
func read(t source.Run) (*data, error) {
	d := &data{run: t.Run(), importance: map[string][]feature{}, settings: map[string]string{}, shap: map[string][]float64{}}
	d.readFacts()
	in := map[string]string{} // name -> the collection it is shown by
	for _, info := range t.Tensors() {
		for _, c := range []string{plan.Metrics, plan.FeatureImportance, plan.Hyperparameters, plan.AverageShap, plan.FullShap} {
			if slices.Contains(info.Collections, c) && info.AliasOf == "" {
				in[info.Name] = c
			}
		}
	}
	r := reader{d: d, in: in, worker: t.Chief(), series: map[string]*set{}, latest: map[string]float64{}, steps: map[record.Mode]int64{}}
	err := t.Replay(func(c *record.Complete) error {
		for _, p := range c.Parts {
			r.part(p)
		}
		return nil
	})
	if err == nil {
		err = t.Undecided(func(s *record.Step) error {
			r.part(s)
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read run %q: %w", d.run.Name, err)
	}
	r.finish()
	d.readPairs(t, r.worker)
	d.readShap(t, r.worker, in)
	d.kind = d.recognise()
	if len(d.metrics) == 0 && len(d.importance) == 0 && len(d.pairs) == 0 && len(d.loose) == 0 {
		return nil, fmt.Errorf("report on run %q: %w", d.run.Name, ErrNothing)
	}
	return d, nil
}

func (d *data) readFacts() {
	if f, err := d.run.KnownFacts(); err == nil && f != nil && f.Boosting != nil {
		d.facts = *f.Boosting
	}
	for name, raw := range d.facts.Hyperparameters {
		text := string(raw)
		var s string
		if json.Unmarshal(raw, &s) == nil {
			text = s
		}
		d.settings[name] = text
	}
}

// reader collects numbers step by step.
type reader struct {
	d      *data
	in     map[string]string
	worker string
	series map[string]*set
	latest map[string]float64
	steps  map[record.Mode]int64
}

func (r *reader) part(p *record.Step) {
	if p.Worker != r.worker {
		return
	}
	if !p.Free() {
		r.steps[p.Mode]++
	}
	for _, s := range p.Scalars {
		switch r.in[s.Name] {
		case plan.Metrics:
			one := r.series[s.Name]
			if one == nil {
				one = &set{}
				r.series[s.Name] = one
			}
			one.steps, one.values = append(one.steps, p.ModeStep), append(one.values, s.Value)
		case plan.FeatureImportance, plan.Hyperparameters, plan.AverageShap:
			r.latest[s.Name] = s.Value
		}
	}
}

// finish sorts what has come.
func (r *reader) finish() {
	d := r.d
	d.rounds = max(r.steps[record.Train], r.steps[record.Global])
	d.readMetrics(r.series)
	for _, name := range slices.Sorted(maps.Keys(r.latest)) {
		value := r.latest[name]
		_, rest, _ := strings.Cut(name, "/")
		switch r.in[name] {
		case plan.FeatureImportance:
			kind, of, _ := strings.Cut(rest, "/")
			d.importance[kind] = append(d.importance[kind], feature{of, value})
		case plan.Hyperparameters:
			d.settings[rest] = short(value)
		case plan.AverageShap:
			d.average = append(d.average, feature{rest, value})
		}
	}
	for _, list := range d.importance {
		slices.SortStableFunc(list, func(a, b feature) int { return cmp.Compare(b.value, a.value) })
	}
}

// readMetrics puts the series of one metric together: DATA-METRIC.
func (d *data) readMetrics(series map[string]*set) {
	place := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(series)) {
		s := series[name]
		var of string
		s.name, of, _ = strings.Cut(name, "-")
		s.training = s.name == "train" || s.name == "training" || s.name == "dtrain"
		for _, known := range d.facts.Data {
			if known.Name == s.name {
				s.training = known.Training
			}
		}
		i, known := place[of]
		if !known {
			i = len(d.metrics)
			place[of] = i
			d.metrics = append(d.metrics, metric{name: of})
		}
		d.metrics[i].sets = append(d.metrics[i].sets, *s)
	}
	for _, m := range d.metrics {
		slices.SortStableFunc(m.sets, func(a, b set) int {
			switch {
			case a.training == b.training:
				return 0
			case a.training:
				return -1
			}
			return 1
		})
	}
}

// readPairs reads labels and predictions of the rounds that have both, some
// of many.
func (d *data) readPairs(t source.Run, worker string) {
	mode := record.Train
	if len(t.RawSteps("labels", mode, worker)) == 0 {
		mode = record.Global
	}
	labelled := t.RawSteps("labels", mode, worker)
	predicted := t.RawSteps("predictions", mode, worker)
	steps := slices.DeleteFunc(slices.Clone(predicted), func(s int64) bool { return !slices.Contains(labelled, s) })
	if len(steps) == 0 {
		d.unread = "labels and predictions were not saved; start the training with `vigil run --rule create_xgboost_report`"
		if n := len(labelled); n > 0 {
			d.loose, _ = rawFloats(t, "labels", mode, labelled[n-1], worker)
		}
		return
	}
	for _, s := range some(steps, maxPairs) {
		labels, _ := rawFloats(t, "labels", mode, s, worker)
		predictions, _ := rawFloats(t, "predictions", mode, s, worker)
		if len(labels) == 0 || len(predictions)%len(labels) != 0 || len(predictions) == 0 {
			d.unread = "labels and predictions do not match, or cannot be read"
			continue
		}
		d.pairs = append(d.pairs, pair{s, labels, predictions, len(predictions) / len(labels)})
	}
	if len(d.pairs) > 0 {
		d.loose = d.last().labels
	}
}

// readShap reads the contributions of the features as they were saved last.
func (d *data) readShap(t source.Run, worker string, in map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if in[name] != plan.FullShap {
			continue
		}
		for _, mode := range []record.Mode{record.Train, record.Global} {
			if steps := t.RawSteps(name, mode, worker); len(steps) > 0 {
				if v, _ := rawFloats(t, name, mode, steps[len(steps)-1], worker); len(v) > 0 {
					d.shap[strings.TrimPrefix(name, plan.FullShap+"/")] = v
				}
			}
		}
	}
}

// rawFloats reads a tensor's values.
func rawFloats(t source.Run, name string, mode record.Mode, step int64, worker string) ([]float64, error) {
	v, err := t.Raw(name, mode, step, worker)
	if err != nil {
		return nil, err
	}
	n, err := tensor.Elements(v.Shape)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = tensor.ToFloat64(v, int64(i))
	}
	return out, nil
}

// some keeps n of many steps, evenly, the first and the last among them.
func some(steps []int64, n int) []int64 {
	if len(steps) <= n {
		return steps
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = steps[i*(len(steps)-1)/(n-1)]
	}
	return out
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
