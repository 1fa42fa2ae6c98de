package builtin

import (
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// told is what rules on facts have in common: they look at no tensor, and
// remember what they have said, because facts come again whenever more of them
// is known.
type told struct{ said map[string]bool }

func newTold() told { return told{map[string]bool{}} }

func (*told) Select() []rule.Selector          { return nil }
func (*told) Step(*rule.View, *rule.Report)    {}
func (*told) Finish(*rule.Report)              {}
func (t *told) Save() ([]byte, error)          { return save(t.said) }
func (t *told) has(check, subject string) bool { return t.said[key(check, subject)] }

// Restore takes back what was said.
func (t *told) Restore(b []byte) error {
	t.said = map[string]bool{}
	if err := restore(b, &t.said); err != nil {
		return err
	}
	if t.said == nil { // the state of a rule that had said nothing
		t.said = map[string]bool{}
	}
	return nil
}

// noNeeds is what a rule on facts asks of capture.
func noNeeds(rule.Params) []rule.Need { return nil }

// say reports a violation once.
func (t *told) say(rep *rule.Report, v rule.Violation) {
	if t.has(v.Check, v.Subject) {
		return
	}
	t.said[key(v.Check, v.Subject)] = true
	rep.Violate(v)
}

// updates is the number of updates that the facts rest on.
func updates(f *rule.Facts) int64 {
	var n int64
	if f.Parameters != nil {
		n = f.Parameters.Updates
	}
	if f.Updates != nil {
		n = max(n, f.Updates.Steps)
	}
	return n
}

// scaleFree lists optimisers whose step does not depend on the scale of the
// gradient.
func scaleFree(class string) bool {
	return slices.Contains([]string{"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "Adadelta", "Rprop", "Adafactor", "Lion", "LAMB", "Lamb"}, class)
}

// medianOf gives the median of the finite numbers, NaN without one.
func medianOf(numbers []rule.Number) float64 {
	var x []float64
	for _, n := range numbers {
		if finite(float64(n)) {
			x = append(x, float64(n))
		}
	}
	if len(x) == 0 {
		return math.NaN()
	}
	slices.Sort(x)
	return x[len(x)/2]
}

// weightNorm is the Euclidean norm of all trained and held parameters before
// the first update; NaN when some are not known.
func weightNorm(f *rule.Facts) float64 {
	if f.Parameters == nil || f.Parameters.More > 0 {
		return math.NaN()
	}
	sum := 0.0
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		if !p.Trained || !p.Held {
			continue
		}
		if p.First == nil {
			return math.NaN()
		}
		mean, std := float64(p.First.Mean), float64(p.First.Std)
		sum += float64(elementsOf(p.Shape)) * (mean*mean + std*std)
	}
	return math.Sqrt(sum)
}

func elementsOf(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// someNames spells a few names of modules and how many more there are. Those in
// a sequence are called by number: they are said to be layers.
func someNames(names []string) string {
	const most = 3
	s := ""
	if slices.ContainsFunc(names, func(n string) bool { return n != "" && n[0] >= '0' && n[0] <= '9' }) {
		if s = "layer "; len(names) > 1 {
			s = "layers "
		}
	}
	for i, n := range names[:min(len(names), most)] {
		switch {
		case i == 0:
		case i == len(names)-1:
			s += " and "
		default:
			s += ", "
		}
		s += n
	}
	if more := len(names) - most; more > 0 {
		s += " and " + num(float64(more)) + " more"
	}
	return s
}
