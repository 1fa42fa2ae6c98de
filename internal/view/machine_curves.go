package view

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/source"
)

// HostCurves are the curves of a host's machine metrics over the time of the run.
type HostCurves struct {
	Host   string
	Origin time.Time
	Shares []Curve // percentages; their steps are milliseconds since the origin
	Rates  []Curve // megabytes per second
	Rows   []MetricRow
	Gaps   []Pause
}

// MetricRow is how the figures of one metric spread, as text with its unit.
type MetricRow struct {
	Name                    string
	Min, P50, P90, P99, Max string
}

// machineCurve is a curve of the report: the sum, or the mean, of series.
type machineCurve struct {
	name  string
	rate  bool
	match func(series string) bool
}

func named(name string) func(string) bool { return func(s string) bool { return s == name } }

func between(prefix, suffix string) func(string) bool {
	return func(s string) bool {
		return len(s) > len(prefix)+len(suffix) && strings.HasPrefix(s, prefix) && strings.HasSuffix(s, suffix)
	}
}

var machineCurves = []machineCurve{
	{"CPU", false, named("cpu/total")},
	{"waiting for I/O", false, named("iowait/total")},
	{"memory", false, named("memory/used_percent")},
	{"disk read", true, between("disk/", "/read_per_s")},
	{"disk written", true, between("disk/", "/write_per_s")},
	{"network received", true, named("net/received_per_s")},
	{"network sent", true, named("net/sent_per_s")},
}

const (
	curvedHosts = 4 // with curves of their own
	curvedGPUs  = 8
	hostPoints  = 600 // of one curve
)

// MachineCurves are the curves of the machine of the first hosts, and how many
// hosts there are besides.
func MachineCurves(t source.Run) (list []HostCurves, more int, err error) {
	m, ok := t.(source.Metrics)
	if !ok {
		return nil, 0, nil
	}
	hosts := Hosts(t)
	for i, h := range hosts {
		if i == curvedHosts {
			return list, len(hosts) - i, nil
		}
		c := HostCurves{Host: h.Name, Origin: h.From, Gaps: h.Gaps}
		names := m.MetricNames(h.Name)
		for _, k := range slices.Concat(machineCurves, gpuCurves(names)) {
			at, values, err := summed(m, h.Name, names, k.match)
			if err != nil {
				return nil, 0, err
			}
			if len(at) == 0 {
				continue
			}
			c.Rows = append(c.Rows, spreadOf(k, values))
			curve := overTime(k.name, h, at, values)
			if !k.rate {
				c.Shares = append(c.Shares, curve)
				continue
			}
			for i := range curve.Values {
				curve.Values[i] /= 1e6
			}
			c.Rates = append(c.Rates, curve)
		}
		if len(c.Rows) > 0 {
			list = append(list, c)
		}
	}
	return list, 0, nil
}

// gpuCurves are those of the GPUs that there are.
func gpuCurves(names []string) (list []machineCurve) {
	for _, name := range names {
		if gpu, ok := strings.CutSuffix(name, "/utilization"); ok && strings.HasPrefix(gpu, "gpu/") && len(list) < 2*curvedGPUs {
			number := strings.TrimPrefix(gpu, "gpu/")
			list = append(list, machineCurve{"GPU " + number, false, named(name)}, machineCurve{"GPU " + number + " memory", false, named(gpu + "/memory_percent")})
		}
	}
	return list
}

// summed reads series of a host and adds up what they are at each instant.
func summed(m source.Metrics, host string, names []string, match func(string) bool) (at []time.Time, values []float64, err error) {
	for _, name := range names {
		if !match(name) {
			continue
		}
		a, v, err := m.Metric(host, name, time.Time{}, time.Time{})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read machine metric %q: %w", name, err)
		}
		if at == nil {
			at, values = a, v
			continue
		}
		at, values = sum(at, values, a, v)
	}
	return at, values, nil
}

// sum merges two ascending series: where both have a value, it is their sum.
func sum(at []time.Time, x []float64, bt []time.Time, y []float64) ([]time.Time, []float64) {
	outAt, out := make([]time.Time, 0, len(at)), make([]float64, 0, len(at))
	i, j := 0, 0
	for i < len(at) || j < len(bt) {
		switch {
		case j == len(bt) || i < len(at) && at[i].Before(bt[j]):
			outAt, out = append(outAt, at[i]), append(out, x[i])
			i++
		case i == len(at) || bt[j].Before(at[i]):
			outAt, out = append(outAt, bt[j]), append(out, y[j])
			j++
		default:
			outAt, out = append(outAt, at[i]), append(out, x[i]+y[j])
			i, j = i+1, j+1
		}
	}
	return outAt, out
}

// overTime thins a curve out; nothing is drawn where nothing was sampled.
func overTime(name string, h Host, at []time.Time, values []float64) Curve {
	c := Curve{Name: name}
	steps := make([]int64, len(at))
	for i, t := range at {
		steps[i] = t.Sub(h.From).Milliseconds()
	}
	steps, values = thin(steps, values, hostPoints)
	gaps := h.Gaps
	for i, s := range steps {
		for len(gaps) > 0 && h.From.Add(time.Duration(s)*time.Millisecond).After(gaps[0].From) {
			from, to := gaps[0].From.Sub(h.From).Milliseconds(), gaps[0].To.Sub(h.From).Milliseconds()
			c.Steps, c.Values = append(c.Steps, from+1), append(c.Values, math.NaN())
			if len(c.Gaps) < mostGaps {
				c.Gaps = append(c.Gaps, Gap{from, to})
			}
			gaps = gaps[1:]
		}
		c.Steps, c.Values = append(c.Steps, s), append(c.Values, values[i])
	}
	return c
}

func spreadOf(k machineCurve, values []float64) MetricRow {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	text := func(share float64) string {
		v := quantile(sorted, share)
		if k.rate {
			return perSecond(v)
		}
		return fmt.Sprintf("%.1f %%", v)
	}
	return MetricRow{k.name, text(0), text(0.5), text(0.9), text(0.99), text(1)}
}

// perSecond spells bytes per second.
func perSecond(v float64) string {
	unit := "B/s"
	for _, next := range []string{"kB/s", "MB/s", "GB/s"} {
		if v < 1000 {
			break
		}
		v, unit = v/1000, next
	}
	if unit == "B/s" {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}
