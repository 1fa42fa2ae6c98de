package measure

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// joint keeps, between the tensors of a step and its end, the labels and
// predictions that are compared with each other. Only what the comparison
// needs is kept: one number for each label.
type joint struct {
	steps map[jointKey]map[string]*comparison // by key of the reading
}

type jointKey struct {
	mode record.Mode
	step int64
}

// comparison is what has come of one reading.
type comparison struct {
	key                 string
	ask                 plan.Classes
	labels, predictions []held
}

// held is one tensor, reduced to what is compared.
type held struct {
	name   string
	first  bool      // it is alone for its role
	values []float64 // in row-major order; nil where only scores can be compared
	best   []int64   // of predictions that may be scores: the class with the highest
	rank   int
	logits bool // predictions are to be held against 0
}

// Bounds: more classes or pairs in one step are not counted, and predictions
// of more elements are compared as scores only.
const (
	maxClasses = 4096
	maxCells   = 1 << 15
	maxPlain   = 1 << 22
	maxJoint   = 64 // steps that are open
)

// hold takes one tensor in.
func (j *joint) hold(c plan.Classes, key string, info record.TensorInfo, mode record.Mode, step int64, v tensor.View) error {
	switch info.Kind {
	case record.Weight, record.Bias, record.Gradient:
		return nil // only called like labels
	}
	if !numeric(v.DType) && v.DType != tensor.Bool {
		return nil
	}
	n, err := tensor.Elements(v.Shape)
	if err != nil || n == 0 {
		return err
	}
	h := held{name: info.Name, first: info.Name == c.First && c.First != ""}
	shape := squeeze(v.Shape)
	h.rank = len(shape)
	v.Shape = shape
	if c.Role == record.Label {
		h.values = labels(v, n)
	} else if err := h.predicted(c, info, v, n); err != nil {
		return err
	}
	if j.steps == nil {
		j.steps = map[jointKey]map[string]*comparison{}
	}
	k := jointKey{mode, step}
	if j.steps[k] == nil {
		j.bound()
		j.steps[k] = map[string]*comparison{}
	}
	pair := j.steps[k][key]
	if pair == nil {
		pair = &comparison{key: key, ask: c}
		j.steps[k][key] = pair
	}
	side := &pair.labels
	if c.Role == record.Prediction {
		side = &pair.predictions
	}
	*side = append(slices.DeleteFunc(*side, func(o held) bool { return o.name == h.name }), h)
	return nil
}

// bound makes room for a step: of too many that were never closed the first one
// goes.
func (j *joint) bound() {
	if len(j.steps) < maxJoint {
		return
	}
	var first *jointKey
	for k := range j.steps {
		if first == nil || k.step < first.step {
			first = &k
		}
	}
	delete(j.steps, *first)
}

// squeeze drops trailing axes of one element; a single number is a vector.
func squeeze(shape []int64) []int64 {
	for len(shape) > 1 && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	if len(shape) == 0 {
		return []int64{1}
	}
	return shape
}

// labels are the classes of a tensor of labels: of a one-hot matrix the columns
// of the ones, else the elements.
func labels(v tensor.View, n int64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = tensor.ToFloat64(v, int64(i))
	}
	if len(v.Shape) != 2 {
		return values
	}
	width := int(v.Shape[1])
	columns := make([]float64, 0, v.Shape[0])
	for at := 0; at < len(values); at += width {
		one := -1
		for k, x := range values[at : at+width] {
			switch {
			case x == 1 && one < 0:
				one = k
			case x != 0:
				return values
			}
		}
		if one < 0 {
			return values
		}
		columns = append(columns, float64(one))
	}
	return columns
}

// predicted reduces a tensor of predictions.
func (h *held) predicted(c plan.Classes, info record.TensorInfo, v tensor.View, n int64) error {
	given := info.Kind == record.Prediction
	h.logits = given && strings.Contains(strings.ReplaceAll(strings.ToLower(info.ModuleType), "_", ""), "withlogits")
	if h.rank >= 2 && (c.Argmax || c.Scores || given) {
		axis := int(c.Axis)
		if axis < 0 || axis >= h.rank {
			axis = h.rank - 1
		}
		var err error
		if h.best, err = tensor.ArgMax(v, axis); err != nil {
			return err
		}
	}
	if h.best != nil && (c.Argmax || n > maxPlain) {
		return nil
	}
	h.values = make([]float64, n)
	for i := range h.values {
		h.values[i] = tensor.ToFloat64(v, int64(i))
	}
	return nil
}

// step compares what has come of a step, and lets go of it and of all before.
func (j *joint) step(mode record.Mode, step int64) []record.Derived {
	var out []record.Derived
	for k, comparisons := range j.steps {
		if k.mode != mode || k.step > step {
			continue
		}
		if k.step == step {
			for _, key := range slices.Sorted(maps.Keys(comparisons)) {
				out = comparisons[key].derive(out)
			}
		}
		delete(j.steps, k)
	}
	return out
}

// alone sorts the tensors of one side by name, and leaves the one that stands
// alone when it is there.
func alone(list []held) []held {
	for _, h := range list {
		if h.first {
			return []held{h}
		}
	}
	slices.SortFunc(list, func(a, b held) int { return cmp.Or(natural(a.name, b.name), strings.Compare(a.name, b.name)) })
	return list
}

func (c *comparison) derive(out []record.Derived) []record.Derived {
	ignore := map[float64]bool{}
	for text := range strings.SplitSeq(c.ask.Ignore, ",") {
		if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			ignore[x] = true
		}
	}
	predictions := alone(c.predictions)
	for i, l := range alone(c.labels) {
		add := func(quantity string, x float64) {
			out = append(out, record.Derived{Tensor: l.name, Stat: c.key + "." + quantity, From: -1, Value: x})
		}
		if slices.ContainsFunc(l.values, func(x float64) bool { return !whole(x) }) {
			add(plan.ClassNotLabels, 1)
			continue
		}
		var predicted []float64
		if i < len(predictions) {
			var reason string
			if predicted, reason = predictions[i].against(l, ignore); reason != "" {
				add(reason, 1)
			}
		}
		c.count(l, predicted, ignore, add)
	}
	return out
}

// against gives the class that is predicted for each label, or why that cannot
// be said.
func (h *held) against(l held, ignore map[float64]bool) (classes []float64, reason string) {
	n := len(l.values)
	if len(h.best) == n && (h.values == nil || len(h.values) != n) {
		classes = make([]float64, n)
		for i, k := range h.best {
			classes[i] = float64(k)
		}
		return classes, ""
	}
	ids := !h.logits && !slices.ContainsFunc(h.values, func(x float64) bool { return !whole(x) })
	if !ids && !h.binary(l, ignore) {
		return nil, plan.ClassNotPredictions
	}
	if len(h.values) != n {
		return nil, plan.ClassLengths
	}
	if ids {
		return h.values, ""
	}
	limit := 0.5
	if h.logits {
		limit = 0
	}
	classes = make([]float64, n)
	for i, x := range h.values {
		if x > limit {
			classes[i] = 1
		}
	}
	return classes, ""
}

// binary reports whether h are probabilities, or their logits, of the second of
// two classes.
func (h *held) binary(l held, ignore map[float64]bool) bool {
	if slices.ContainsFunc(l.values, func(y float64) bool { return y != 0 && y != 1 && !ignore[y] }) {
		return false
	}
	return h.logits || !slices.ContainsFunc(h.values, func(x float64) bool { return !(x >= 0 && x <= 1) })
}

// count adds the numbers of one tensor of labels; predicted is nil where there
// is nothing to compare with.
func (c *comparison) count(l held, predicted []float64, ignore map[float64]bool, add func(string, float64)) {
	type cell struct{ label, prediction int64 }
	labels, wrong, cells := map[int64]int64{}, map[int64]int64{}, map[cell]int64{}
	for i, x := range l.values {
		if ignore[x] {
			continue
		}
		k := int64(x)
		labels[k]++
		if predicted == nil {
			continue
		}
		p := int64(predicted[i])
		if c.ask.Cells {
			cells[cell{k, p}]++
		} else if p != k {
			wrong[k]++
		}
	}
	if n := max(len(labels), len(cells)*maxClasses/maxCells); n > maxClasses {
		add(plan.ClassTooMany, float64(len(labels)))
		return
	}
	if c.ask.Cells {
		for _, k := range slices.SortedFunc(maps.Keys(cells), func(a, b cell) int {
			return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.prediction, b.prediction))
		}) {
			add(bracket(plan.ClassCell, k.label, k.prediction), float64(cells[k]))
		}
		return
	}
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		add(bracket(plan.ClassLabel, k), float64(labels[k]))
		if predicted != nil {
			add(bracket(plan.ClassWrong, k), float64(wrong[k]))
		}
	}
}
