package slow_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

func TestRecompiles(t *testing.T) {
	const step = 0.1 // seconds, of which what is compiled takes 0.04
	compiles := func(perSecond, share float64) func(float64) slow.Compiled {
		return func(s float64) slow.Compiled {
			return slow.Compiled{Compilations: int64(perSecond * s), Seconds: share * s}
		}
	}
	only := func(until func(s float64) float64) func(float64) slow.Compiled {
		return func(s float64) slow.Compiled { return compiles(10, 0.4)(until(s)) }
	}
	for _, c := range []struct {
		name     string
		seconds  float64
		used     float64
		compiled func(second float64) slow.Compiled
		want     string // "severity share gain line"; "" nothing
	}{
		{"at every step", 95, 1, compiles(10, 0.4), "warning 0.39 0.0 7"},
		{"at every step of a short training", 28, 1, compiles(10, 0.4), "info 0.39 0.0 7"},
		{"at every fifth step", 95, 1, compiles(2, 0.4), "warning 0.39 0.0 7"},
		{"at every step, goes on in another process", 95, 1, only(func(s float64) float64 { return math.Mod(s, 50) }), "warning 0.38 0.0 7"},
		{"at every step, while other threads keep all cores busy", 95, 2, compiles(10, 0.4), "warning 0.39 0.0 7"},
		{"cheaply", 95, 1, compiles(10, 0.02), ""},
		{"in the first steps, then breaks its graph at every step", 95, 1, func(s float64) slow.Compiled {
			return slow.Compiled{Compilations: 40, Seconds: 30, GraphBreaks: int64(10 * s)}
		}, ""},
		{"for half a minute, for many shapes", 95, 1, only(func(s float64) float64 { return min(s, 30) }), ""},
		{"less and less often, since shapes come again", 95, 1, only(func(s float64) float64 { return 40 * (1 - math.Exp(-s/15)) }), ""},
		{"a few times, long", 95, 1, compiles(0.08, 0.4), ""},
		{"a short training that has compiled for its first shapes", 15, 1, only(func(s float64) float64 { return min(s, 4) }), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, _ := judge(t, &slow.Training, training{
				parts: map[rule.StepPart]float64{rule.Forward: 0.6 * step, rule.Backward: 0.4 * step}, seconds: c.seconds, cores: 2, used: c.used, compiled: c.compiled,
			})
			var got []string
			for _, v := range found {
				if v.Check == "recompiles" {
					got = append(got, fmt.Sprintf("%s %.2f %.1f %d", v.Severity, v.Share, v.Gain, v.Where.Line))
				} else {
					got = append(got, v.Check)
				}
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("found %q, want %q", s, c.want)
			}
		})
	}
}
