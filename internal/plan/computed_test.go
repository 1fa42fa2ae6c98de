package plan

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A hook that can send statistics alone sends the values where the median or
// the product is wanted, and nowhere else. They come on top of what is kept
// otherwise.
func TestMedianAndProductTakeValues(t *testing.T) {
	for _, test := range []struct {
		name   string
		want   Want
		kept   Want
		values bool
	}{
		{"nothing said", 0, Stats | Hist, false},
		{"statistics", Stats, Stats, false},
		{"histograms", Stats | Hist, Stats | Hist, false},
		{"median", Median, Stats | Hist | Median, true},
		{"product and statistics", Stats | Prod, Stats | Prod, true},
		{"values", Raw, Stats | Raw, true},
	} {
		p := must(t, Options{}, []Collection{{Name: Weights, Schedule: Every(3), Want: test.want}})
		w := p.Wire([]WireTensor{{ID: 5, Info: weight}}, nil)
		if got := p.Decide(weight).Want(record.Train, 3); got != test.kept || (len(w.Values) > 0) != test.values {
			t.Errorf("%s: keeps %b, want %b; values at %v, want any: %v", test.name, got, test.kept, w.Values, test.values)
		}
	}
}

// Of strings values are kept where they are asked for, and nothing else is.
func TestStringsAreKeptRawOrNotAtAll(t *testing.T) {
	tokens := record.TensorInfo{Name: "Net_input_strings_0", Kind: record.Input, Strings: true}
	for _, test := range []struct {
		name string
		want Want
		due  bool
	}{
		{"statistics", Stats | Hist | Median, false},
		{"values", Raw | Prod, true},
	} {
		need := Need{By: "r", Selector: Selector{Regex: []string{"input"}}, Schedule: Every(2), Want: Stats, Quantiles: []float64{0.5}, Units: []Units{{}}}
		p := must(t, Options{}, []Collection{{Name: "mine", Selector: Selector{Regex: []string{"strings"}}, Schedule: Every(3), Want: test.want}}, need)
		d := p.Decide(tokens)
		want := Want(0)
		if test.due {
			want = Raw
		}
		if got := d.Want(record.Train, 3); got != want || d.Want(record.Train, 2) != 0 {
			t.Errorf("%s: %b is kept, want %b", test.name, got, want)
		}
		for _, r := range d.Requests {
			if len(r.Quantiles)+len(r.Units) > 0 {
				t.Errorf("%s: %+v", test.name, r)
			}
		}
		if w := p.Wire([]WireTensor{{ID: 7, Info: tokens}}, nil); (w.Tensors[0][1] >= 0) != test.due {
			t.Errorf("%s: the hook is told %v", test.name, w.Tensors)
		}
	}
}
