package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// hardwareUtilization compares a percentile of one figure of a machine with a
// limit that the user gives. What use is right only the user knows.
var hardwareUtilization = rule.Definition{
	Name: "hardware_utilization", Class: "HardwareUtilization", Family: rule.Metrics, Severity: rule.Warning,
	Aliases: []string{"cpu_utilization", "CPUUtilization", "cpuutilization"},
	Notices: map[string]string{
		"cpu_utilization": cpuUtilizationNotice, "CPUUtilization": cpuUtilizationNotice, "cpuutilization": cpuUtilizationNotice,
	},
	Checks:  rule.Index(utilizationChecks),
	Summary: "A machine is used less, or more, than a limit for a while.",
	Why:     "A machine that idles costs money for nothing. One at its limit holds the training up.",
	Parameters: []rule.Parameter{
		{Name: "metric", Type: rule.String, Default: "cpu", Choices: utilizationMetrics(), Meaning: "what is compared: the use of all cores, GPUs or their memory together, in percent; network in bytes per second, both directions"},
		{Name: "threshold", Type: rule.Float, Optional: true, Range: rule.AtLeast(0), Unit: "percent, or bytes per second", Meaning: "the limit"},
		{Name: "direction", Type: rule.String, Default: "below", Choices: []string{"below", "above"}, Meaning: "on which side of the limit the percentile is a finding"},
		{Name: "percentile", Type: rule.Float, Default: "95", Range: rule.Between(0, 100), Meaning: "which percentile of the samples is compared"},
		{Name: "window", Type: rule.Int, Default: "500", Range: rule.Between(1, 100000), Unit: "samples", Meaning: "how many of the last samples it is taken over; there are two a second unless `--monitor` says otherwise"},
		{Name: "patience", Type: rule.Int, Default: "1000", Range: rule.AtLeast(1), Unit: "samples", Meaning: "samples of a host before the first verdict"},
	},
	CauseClass: "hardware",
	Causes:     []string{"a machine that is too large, or too small, for the training"},
	Remedies:   []string{"compare the use of CPU, GPU, disk and network: the one at its limit holds up the others"},
	Example:    map[string]string{"threshold": "30"},
	Needs:      func(rule.Params) []rule.Need { return nil },
	New: func(p rule.Params) (rule.Rule, error) {
		if !p.Has("threshold") {
			return nil, &rule.ParamError{
				Rule: "hardware_utilization", What: "threshold", Message: "threshold is not given: there is nothing to compare with",
				Hint: "give the limit in percent (of network: in bytes per second)",
			}
		}
		m := machineMetrics[p.String("metric")]
		if threshold := p.Float("threshold"); m.percent && threshold > 100 {
			return nil, &rule.ParamError{Rule: "hardware_utilization", What: "threshold", Message: fmt.Sprintf("threshold is %s: %s is at most 100 percent", num(threshold), m.name), Hint: "give a limit from 0 to 100"}
		}
		return &utilization{params: p, metric: m, state: map[string]*hostUse{}}, nil
	},
}

const cpuUtilizationNotice = "the rule is HardwareUtilization with metric=cpu"

// machineMetric is a figure of a machine, made of one sample.
type machineMetric struct {
	name    string // in messages
	percent bool
	of      func([]rule.Scalar) (float64, bool)
}

var machineMetrics = map[string]machineMetric{
	"cpu":        {"CPU use", true, meanOfSeries("cpu/", "")},
	"gpu":        {"GPU use", true, meanOfSeries("gpu/", "/utilization")},
	"gpu_memory": {"GPU memory use", true, meanOfSeries("gpu/", "/memory_percent")},
	"cpu_memory": {"memory use", true, meanOfSeries("memory/used_percent", "")},
	"io_wait":    {"I/O wait", true, meanOfSeries("iowait/", "")},
	"network":    {"network traffic", false, networkTraffic},
}

func utilizationMetrics() []string {
	return []string{"cpu", "gpu", "gpu_memory", "cpu_memory", "io_wait", "network"}
}

// meanOfSeries is the mean of the series with a beginning and an end, such as those of
// all GPUs; where there is one of them all, such as "cpu/total", that counts.
func meanOfSeries(prefix, suffix string) func([]rule.Scalar) (float64, bool) {
	return func(values []rule.Scalar) (float64, bool) {
		sum, n := 0.0, 0
		for _, v := range values {
			if !strings.HasPrefix(v.Name, prefix) || !strings.HasSuffix(v.Name, suffix) || !finite(v.Value) {
				continue
			}
			if v.Name == prefix+"total" {
				return v.Value, true
			}
			sum += v.Value
			n++
		}
		return sum / float64(max(n, 1)), n > 0
	}
}

// networkTraffic is what is received and sent.
func networkTraffic(values []rule.Scalar) (sum float64, ok bool) {
	n := 0
	for _, v := range values {
		if (v.Name == "net/received_per_s" || v.Name == "net/sent_per_s") && finite(v.Value) {
			sum += v.Value
			n++
		}
	}
	return sum, n == 2
}

type utilization struct {
	params rule.Params
	metric machineMetric
	state  map[string]*hostUse
}

// hostUse is what is known of one host.
type hostUse struct {
	Last  []float64 `json:"last"` // samples, as many as the window has
	Count int64     `json:"count"`
	Fired bool      `json:"fired"` // in this stretch on the wrong side
}

func (r *utilization) Select() []rule.Selector       { return nil }
func (r *utilization) Step(*rule.View, *rule.Report) {}
func (r *utilization) Save() ([]byte, error)         { return save(r.state) }
func (r *utilization) Restore(b []byte) error        { return restore(b, &r.state) }

// Window implements rule.WindowReader.
func (r *utilization) Window(w *rule.Window, rep *rule.Report) {
	hosts := map[string]bool{}
	for i := range w.Samples {
		s := &w.Samples[i]
		x, ok := r.metric.of(s.Values)
		if !ok {
			rep.Skip("no_metric")
			continue
		}
		rep.Inspect(1)
		h := r.state[s.Host]
		if h == nil {
			h = &hostUse{}
			r.state[s.Host] = h
		}
		h.Count++
		h.Last = append(h.Last, x)
		hosts[s.Host] = true
	}
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		h := r.state[name]
		h.Last = lastOf(h.Last, int(r.params.Int("window")))
		if h.Count <= r.params.Int("patience") {
			continue
		}
		of := &utilizationWindow{host: name, metric: r.metric, value: percentile(h.Last, r.params.Float("percentile")), samples: len(h.Last)}
		found := false
		for i := range utilizationChecks {
			for _, v := range utilizationChecks[i].Violations(of, r.params) {
				found = true
				if !h.Fired {
					rep.Violate(v)
				}
			}
		}
		h.Fired = found
	}
}

// Finish says what there was too little of.
func (r *utilization) Finish(rep *rule.Report) {
	most := int64(0)
	for _, h := range r.state {
		most = max(most, h.Count)
	}
	switch patience := r.params.Int("patience"); {
	case most == 0:
		rep.NotJudged(fmt.Sprintf("no samples of %s were recorded", r.metric.name))
	case most <= patience:
		rep.NotJudged(fmt.Sprintf("%s of %s were recorded; it takes more than %d", plural(int(most), "sample"), r.metric.name, patience))
	}
}

// percentile of values, with linear interpolation between neighbours.
func percentile(values []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := p / 100 * float64(len(sorted)-1)
	i := int(at)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
