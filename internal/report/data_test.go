package report

import (
	"math"
	"testing"
)

func TestValueJSON(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		want string
	}{{math.NaN(), "null"}, {math.Inf(1), "null"}, {0.123456789, "0.1235"}, {1e-12, "1e-12"}, {0, "0"}} {
		if b, err := value(tt.v).MarshalJSON(); err != nil || string(b) != tt.want {
			t.Errorf("value %g: %s, %v; want %s", tt.v, b, err, tt.want)
		}
	}
}
