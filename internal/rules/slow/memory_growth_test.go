package slow_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

func TestMemoryGrowth(t *testing.T) {
	steady := func(s float64) float64 { return 1e9 + 60e6*s }
	for _, c := range []struct {
		name    string
		rss     func(s float64) float64
		seconds float64
		want    string // "" or how the finding begins
	}{
		{"steady", steady, 95, "warning The job's memory grows by 60 MB a second, 3 MB with each step; "},
		{"the job ends before it is sure", steady, 45, "info The job's memory grew to the end, by 3.0"},
		{"and frees it at its end", func(s float64) float64 { return steady(min(s, 45)) - 1e9*max(0, s-45)/3 }, 45, "info The job's memory grew to the end, by 3.0"},
		{"constant", func(s float64) float64 { return 1e9 + 5e6*math.Sin(s) }, 95, ""},
		{"a cache that is full after the first epoch", func(s float64) float64 { return 1e9 + 20e6*min(s, 40) }, 95, ""},
		{"so slow that it fits", func(s float64) float64 { return 1e9 + 1e4*s }, 95, ""},
		{"saw teeth", func(s float64) float64 { return 1e9 + 300e6*math.Mod(s, 10)/10 }, 95, ""},
		{"it comes to an end", func(s float64) float64 { return 1e9 + 2e9*(1-math.Exp(-s/20)) }, 95, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, _ := judge(t, &slow.MemoryGrowth, training{after: 3, parts: map[rule.StepPart]float64{rule.Forward: 0.05}, seconds: c.seconds, cores: 2, used: 1, rss: c.rss})
			got := ""
			for _, v := range found {
				got += string(v.Severity) + " " + v.Message
			}
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
