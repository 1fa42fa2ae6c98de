package measure

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Median and product are computed when a request that is due wants them, once,
// and cost nothing otherwise.
func TestMedianAndProduct(t *testing.T) {
	inf := float32(math.Inf(1))
	request := func(n int64, want plan.Want) plan.Request {
		return plan.Request{Schedule: every(n), Want: plan.Stats | want}
	}
	large := make([]float32, 1100)
	for i := range large {
		large[i] = -math.MaxFloat32
	}
	many := make([]float32, tensor.MedianExact+1)
	for name, test := range map[string]struct {
		requests []plan.Request
		step     int64
		v        tensor.View
		want     map[string]float64
	}{
		"nobody asks":          {[]plan.Request{request(1, plan.Hist|plan.Raw)}, 0, vector(1, 2), map[string]float64{}},
		"not due":              {[]plan.Request{request(1, 0), request(2, plan.Median|plan.Prod)}, 1, vector(1, 2), map[string]float64{}},
		"median":               {[]plan.Request{request(1, plan.Median)}, 0, vector(1, 2), map[string]float64{"median": 1.5}},
		"product":              {[]plan.Request{request(1, plan.Prod)}, 0, vector(-1, 1), map[string]float64{"prod": -1, "prod_sign": -1, "prod_log": 0}},
		"asked for twice":      {[]plan.Request{request(1, plan.Median), request(2, plan.Median)}, 2, vector(3), map[string]float64{"median": 3}},
		"a zero":               {[]plan.Request{request(1, plan.Prod)}, 0, vector(0, 3), map[string]float64{"prod": 0, "prod_sign": 0, "prod_log": math.Inf(-1)}},
		"too large":            {[]plan.Request{request(1, plan.Prod)}, 0, vector(large...), map[string]float64{"prod_sign": 1, "prod_log": 1100 * math.Log(math.MaxFloat32)}},
		"infinite":             {[]plan.Request{request(1, plan.Median|plan.Prod)}, 0, vector(1, inf, 2), map[string]float64{plan.FirstPosInf: 1, "median": 2, "prod": math.Inf(1), "prod_sign": 1, "prod_log": math.Inf(1)}},
		"median from a sketch": {[]plan.Request{request(1, plan.Median)}, 0, vector(many...), map[string]float64{"median": 0, "median_error": 1.0 / 1024}},
	} {
		t.Run(name, func(t *testing.T) {
			_, derived, err := open(t, "").Tensor(record.TensorInfo{Name: "x"}, plan.Decision{Requests: test.requests}, record.Train, test.step, test.v)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range derived {
				if want, ok := test.want[d.Stat]; !ok || d.From != -1 || math.Abs(d.Value-want) > 1e-9*math.Abs(want) && d.Value != want {
					t.Errorf("got %+v, want %v", d, test.want)
				}
			}
			if len(derived) != len(test.want) {
				t.Errorf("got %v, want %v", derived, test.want)
			}
		})
	}
}
