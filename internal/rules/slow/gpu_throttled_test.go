package slow_test

import (
	"strings"
	"testing"
)

func TestGPUThrottled(t *testing.T) {
	power, heat, hardware := []string{"throttled", "throttled_power"}, []string{"throttled", "throttled_thermal"}, []string{"throttled", "throttled_hardware"}
	for _, c := range []struct {
		name   string
		from   float64 // second
		why    []string
		clock  float64
		busy   float64
		memory float64 // of the job
		want   string  // "" or how the finding begins
	}{
		{"it becomes too hot", 20, heat, 900, 96, 4e9, "warning 0.38 0.0 GPU 0 of h lowers its clocks because it is too hot, to 900 MHz in the mean: that takes 38 % of the time."},
		{"its hardware lowers the clocks from the beginning", 0, hardware, 900, 96, 4e9, "warning 0.48 0.0 GPU 0 of h lowers its clocks because its hardware asks for it, to 900 MHz in the mean: that takes 48 % of the time."},
		{"it is too hot from the beginning, and nobody knows what that takes", 0, heat, 900, 96, 4e9, ""},
		{"it works at its limit of power", 20, power, 1200, 96, 4e9, ""},
		{"it is a little slower", 20, heat, 1750, 96, 4e9, ""},
		{"it has little to do", 20, heat, 900, 10, 4e9, ""},
		{"it is not the job's", 20, heat, 900, 96, 0, ""},
		{"its clocks are not lowered", 95, nil, 1800, 96, 4e9, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			series := func(second float64) map[string]float64 {
				v := map[string]float64{"throttled": 0, "throttled_power": 0, "throttled_thermal": 0, "throttled_hardware": 0, "sm_clock_mhz": 1800, "job_memory_bytes": c.memory}
				if second >= c.from {
					v["sm_clock_mhz"] = c.clock
					for _, name := range c.why {
						v[name] = 1
					}
				}
				out := map[string]float64{}
				for name, x := range v {
					out["gpu/0/"+name] = x
				}
				return out
			}
			got := saidBy(t, "gpu_throttled", training{parts: computing, seconds: 95, cores: 2, used: 0.5, gpu: c.busy, series: series})
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
