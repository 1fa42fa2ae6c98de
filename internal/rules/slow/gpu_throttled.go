package slow

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

const (
	// fewClocks is for how many seconds a GPU must have computed with full clocks
	// before the lowered ones are compared with them.
	fewClocks = 5
	// halved is the least that a GPU is slowed by where its hardware lowers the clocks,
	// as its maker says.
	halved = 0.5
)

// gpuThrottled: a GPU of the job lowers its clocks while it computes, because it is too
// hot or its hardware asks for it. That it reaches its limit of power does not count: a
// GPU that is well used does so all the time.
var gpuThrottled = check{
	Check: rule.Check{
		ID: "slow_training/gpu_throttled", Status: rule.Experimental, Files: []string{"slow/gpu_throttled.go"}, Severity: rule.Warning, CauseClass: "throttling", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "While a GPU computes for the job, its clocks are lowered because of its temperature or by its hardware, not by the limit of power, and far below what they were without that.",
		Evidence:        "lowered GPU clocks: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the GPU becomes too hot, or its power supply is not sufficient",
		Remedy:          "look at the cooling and the power supply of the machine (nvidia-smi -q -d PERFORMANCE,TEMPERATURE), or train on another one",
	},
	claim: func(c *Case, s *Span) (worst *Claim) {
		for gpu, k := range s.Clocks {
			lost := k.lost(c.All.Clocks[gpu])
			if lost <= 0 || worst != nil && (lost < worst.Seconds || lost == worst.Seconds && "GPU "+gpu > worst.Subject) {
				continue
			}
			worst = &Claim{
				Seconds: min(lost, s.Seconds), Device: true, Takes: takesMachine, Subject: "GPU " + gpu, Unbound: true,
				Message: fmt.Sprintf("GPU %s lowers its clocks %s, to %.0f MHz in the mean: that takes %%s of the time", gpu, k.why(), k.Slow.Mean()),
				Context: map[string]any{"throttled_seconds": k.Slow.Seconds, "thermal_seconds": k.Thermal, "hardware_seconds": k.Hardware, "clock_mhz": k.Slow.Mean(), "full_clock_mhz": c.All.Clocks[gpu].Free.Mean()},
			}
		}
		return worst
	},
}

// Clocks are those of a GPU while it computed, with memory of the job: the seconds are
// those in which a kernel ran.
type Clocks struct {
	Slow     Integral `json:"slow"`     // MHz, while they were lowered by heat or hardware
	Free     Integral `json:"free"`     // while they were not
	Thermal  float64  `json:"thermal"`  // seconds of Slow because of the temperature
	Hardware float64  `json:"hardware"` // seconds of Slow in which the hardware lowered them
}

// lost is how many seconds less would have been computed with the clocks that the GPU
// has without being throttled. Where it always was, only those count that its hardware
// took.
func (k *Clocks) lost(all *Clocks) float64 {
	if free := all.Free.Mean(); all.Free.Seconds >= fewClocks {
		return k.Slow.Seconds * (1 - k.Slow.Mean()/free)
	}
	return k.Hardware * halved
}

func (k *Clocks) why() string {
	if k.Thermal >= 0.5*k.Slow.Seconds {
		return "because it is too hot"
	}
	return "because its hardware asks for it"
}

func (k *Clocks) add(o *Clocks) {
	k.Slow.add(o.Slow)
	k.Free.add(o.Free)
	k.Thermal += o.Thermal
	k.Hardware += o.Hardware
}

func (i *Integral) add(o Integral) {
	i.Sum += o.Sum
	i.Seconds += o.Seconds
}

// clock is that of a GPU.
func (s *Span) clock(gpu string) *Clocks {
	k := s.Clocks[gpu]
	if k == nil {
		k = &Clocks{}
		s.Clocks[gpu] = k
	}
	return k
}

// clocks adds what a sample says of the GPUs that have memory of the job.
func (s *Span) clocks(x *rule.Sample, sec float64) {
	gpus := map[string]map[string]float64{}
	for _, v := range x.Values {
		if of, ok := strings.CutPrefix(v.Name, "gpu/"); ok {
			gpu, what, _ := strings.Cut(of, "/")
			if gpus[gpu] == nil {
				gpus[gpu] = map[string]float64{}
			}
			gpus[gpu][what] = v.Value
		}
	}
	for gpu, v := range gpus {
		_, known := v["throttled"]
		busy, clock := sec*v["utilization"]/100, v["sm_clock_mhz"]
		if !known || busy <= 0 || clock <= 0 || v["job_memory_bytes"] <= 0 {
			continue
		}
		k, with := s.clock(gpu+" of "+x.Host), Integral{clock * busy, busy}
		thermal, hardware := v["throttled_thermal"] > 0, v["throttled_hardware"] > 0
		if !thermal && !hardware {
			k.Free.add(with)
			continue
		}
		k.Slow.add(with)
		if thermal {
			k.Thermal += busy
		}
		if hardware {
			k.Hardware += busy
		}
	}
}
