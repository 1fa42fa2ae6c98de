package measure

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

func TestQuantiles(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	request := func(n int64, qs ...float64) plan.Request {
		return plan.Request{Schedule: every(n), Want: plan.Stats, Quantiles: qs}
	}
	d := plan.Decision{Requests: []plan.Request{request(1, 0.25, 0.5), request(2, 0.5, 1)}}
	for name, test := range map[string]struct {
		step int64
		v    tensor.View
		want map[string]float64
	}{
		"two requests are due": {2, vector(4, 0, 2, 1, 3), map[string]float64{"quantile[0.25]": 1, "quantile[0.5]": 2, "quantile[1]": 4}},
		"one is due":           {1, vector(0, 1), map[string]float64{"quantile[0.25]": 0.25, "quantile[0.5]": 0.5}},
		"empty":                {2, vector(), map[string]float64{}},
		"not finite":           {2, vector(1, nan, inf, nan, -inf), map[string]float64{plan.FirstNaN: 1, plan.FirstPosInf: 2, plan.FirstNegInf: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			_, derived, err := open(t, "").Tensor(record.TensorInfo{Name: "x"}, d, record.Train, test.step, test.v)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			for _, x := range derived {
				if x.Tensor != "x" || x.From != -1 {
					t.Errorf("derived %+v", x)
				}
				got[x.Stat] = x.Value
			}
			if len(got) != len(test.want) || len(derived) != len(test.want) {
				t.Errorf("got %v, want %v", derived, test.want)
			}
			for k, x := range test.want {
				if got[k] != x {
					t.Errorf("%s is %v, want %v", k, got[k], x)
				}
			}
		})
	}
}
