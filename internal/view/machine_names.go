package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/source"
)

// MetricUnit is the unit of a machine metric: "%", "B", "B/s", "W"; "" of a number.
func MetricUnit(name string) string {
	family, _, _ := strings.Cut(name, "/")
	last := name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case last == "waits_per_s" || last == "preempted_per_s":
		return "/s"
	case strings.HasSuffix(last, "_per_s"):
		return "B/s"
	case strings.HasSuffix(last, "_bytes"):
		return "B"
	case strings.HasSuffix(last, "percent") || strings.HasSuffix(last, "utilization"):
		return "%"
	case family == "cpu" || family == "iowait" || family == "steal" || family == "psi":
		return "%"
	case family == "gpu" && strings.HasSuffix(last, "_w"):
		return "W"
	case family == "gpu" && strings.HasSuffix(last, "_c"):
		return "°C"
	case strings.HasSuffix(last, "_mhz"):
		return "MHz"
	case strings.HasSuffix(last, "cores"):
		return "cores"
	}
	return ""
}

// added reports whether a total over several metrics of a unit is their sum; else it
// is their mean.
func added(unit string) bool {
	return unit == "B/s" || unit == "B" || unit == "W" || unit == "/s" || unit == ""
}

// matches reports whether a name is one of those that a pattern stands for: "*" is
// one part of a name that is no total, as in "gpu/*/utilization".
func matches(pattern, name string) bool {
	p, n := strings.Split(pattern, "/"), strings.Split(name, "/")
	if len(p) != len(n) {
		return false
	}
	for i := range p {
		if p[i] != n[i] && (p[i] != "*" || n[i] == "total") {
			return false
		}
	}
	return true
}

// byNumber sorts names so that gpu/10 comes after gpu/9.
func byNumber(names []string) []string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := strings.Split(a, "/"), strings.Split(b, "/")
		for i := range min(len(x), len(y)) {
			n, notA := strconv.Atoi(x[i])
			m, notB := strconv.Atoi(y[i])
			if notA == nil && notB == nil && n != m {
				return cmp.Compare(n, m)
			}
			if c := cmp.Compare(x[i], y[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(x), len(y))
	})
	return names
}

// MetricNames are the metrics of a host, numbers in their order.
func MetricNames(m source.Metrics, host string) []string { return byNumber(m.MetricNames(host)) }
