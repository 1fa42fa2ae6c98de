package measure

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// wantedReading is a reading of a tensor in one mode.
type wantedReading struct {
	plan.Reading
	schedule plan.ModeSchedule
	key      string
}

func appendReadings(list []wantedReading, readings []plan.Reading, s plan.ModeSchedule) []wantedReading {
	for _, r := range readings {
		list = append(list, wantedReading{r, s, r.Key()})
	}
	return list
}

// dueReading is the i-th reading if it is to be taken at a step, else nil.
// Several requests may ask for the same one.
func (w *wants) dueReading(i int, step int64) *wantedReading {
	r := &w.readings[i]
	if !due(r.schedule, step) {
		return nil
	}
	for k := range i {
		if w.readings[k].Reading == r.Reading && due(w.readings[k].schedule, step) {
			return nil
		}
	}
	return r
}

// Joint reports whether something is computed from a tensor together with
// others, at the end of the step. All such tensors of a worker belong to one
// Meter.
func Joint(d plan.Decision) bool {
	for i := range d.Requests {
		for _, r := range d.Requests[i].Readings {
			if _, ok := r.(plan.Classes); ok {
				return true
			}
		}
	}
	return false
}

// measureReadings takes what is due, and keeps what Step will need.
func (m *Meter) measureReadings(out []record.Derived, info record.TensorInfo, t *track, mode record.Mode, step int64, v tensor.View, s tensor.Stats) ([]record.Derived, error) {
	var errs []error
	for i := range t.wants.readings {
		r := t.wants.dueReading(i, step)
		if r == nil {
			continue
		}
		add := func(quantity string, x float64) {
			out = append(out, record.Derived{Tensor: info.Name, Stat: r.key + "." + quantity, From: -1, Value: x})
		}
		switch what := r.Reading.(type) {
		case plan.Classes:
			errs = append(errs, m.joint.hold(what, r.key, info, mode, step, v))
		case plan.Tokens:
			readTokens(what, v, s, add)
		case plan.Images:
			errs = append(errs, readImages(what, v, s, add))
		}
	}
	return out, errors.Join(errs...)
}

// Step says that all tensors of a step have come, and gives what had to wait
// for that. What was kept of earlier steps of the mode is let go.
func (m *Meter) Step(mode record.Mode, modeStep int64) []record.Derived {
	return m.joint.step(mode, modeStep)
}

// bracket spells a quantity that carries numbers: label[3], cell[3,5].
func bracket(quantity string, numbers ...int64) string {
	b := []byte(quantity)
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

// whole reports whether a number is a whole one that float64 holds exactly.
func whole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= 1<<53 }

// numeric reports whether elements are numbers, which truth values are not.
func numeric(d tensor.DType) bool { return d != tensor.Bool && d != tensor.C64 && d != tensor.C128 }

// readTokens counts values among token ids.
func readTokens(t plan.Tokens, v tensor.View, s tensor.Stats, add func(string, float64)) {
	n, err := tensor.Elements(v.Shape)
	if err != nil || n == 0 {
		return
	}
	var values []float64
	for text := range strings.SplitSeq(t.Values, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			x = math.NaN() // is nowhere
		}
		values = append(values, x)
	}
	counts := make([]int64, len(values))
	ids := numeric(v.DType) && !s.NonFinite()
	for i := int64(0); i < n && ids; i++ {
		x := tensor.ToFloat64(v, i)
		ids = whole(x)
		for k, y := range values {
			if x == y {
				counts[k]++
			}
		}
	}
	if !ids {
		add(plan.TokenNotIDs, 1)
		return
	}
	rows := int64(1)
	if k := len(v.Shape); k > 1 {
		rows = n / v.Shape[k-1]
	}
	add(plan.TokenSize, float64(n))
	add(plan.TokenRows, float64(rows))
	for k, c := range counts {
		add(bracket(plan.TokenCount, int64(k)), float64(c))
	}
}

// maxChannels is how many channels images may have; what has more is no image.
const maxChannels = 1024

// readImages gives moments per channel.
func readImages(o plan.Images, v tensor.View, s tensor.Stats, add func(string, float64)) error {
	if len(v.Shape) < 3 || !numeric(v.DType) {
		add(plan.ImageRank, float64(len(v.Shape)))
		return nil
	}
	if s.Count == 0 || s.NonFinite() {
		return nil
	}
	axis := int(o.Channel)
	if len(v.Shape) == 3 && (axis == 1 || axis > 2) {
		axis = -1 // no axis of channels
	} else if axis >= len(v.Shape) {
		add(plan.ImageRank, float64(len(v.Shape)))
		return nil
	}
	channels := []tensor.Stats{s}
	if axis >= 0 {
		if v.Shape[axis] > maxChannels {
			add(plan.ImageRank, float64(len(v.Shape)))
			return nil
		}
		var err error
		if channels, err = tensor.AlongAxis(v, axis); err != nil {
			return err
		}
	}
	add(plan.ImageCount, float64(v.Shape[0]))
	add(plan.ImageChannels, float64(len(channels)))
	add(plan.ImageValues, float64(channels[0].Count))
	for c := range channels {
		add(bracket(plan.ImageMean, int64(c)), channels[c].Mean)
		add(bracket(plan.ImageM2, int64(c)), channels[c].M2)
	}
	return nil
}

// natural compares names with the numbers in them as numbers.
func natural(a, b string) int {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da == 0 || db == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
		a, b = a[da:], b[db:]
	}
	return len(a) - len(b)
}

func digits(s string) int {
	n := slices.IndexFunc([]byte(s), func(c byte) bool { return c < '0' || c > '9' })
	if n < 0 {
		return len(s)
	}
	return n
}
