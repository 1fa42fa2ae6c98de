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
