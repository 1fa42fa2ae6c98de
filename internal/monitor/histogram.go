package monitor

import (
	"math"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// bins are those of a histogram of percentages: one for each hundredth of a
// point from 0 to 100, both included.
const bins = 10_001

// Histogram counts percentages in steps of a hundredth of a point. It takes
// 40 KB, however many there are.
type Histogram struct {
	counts [bins]uint32
	n      uint64
}

// Add counts a percentage; what is below 0 counts as 0, above 100 as 100.
func (h *Histogram) Add(percent float64) {
	if math.IsNaN(percent) {
		return
	}
	h.counts[int(math.Round(min(max(percent, 0), 100)*100))]++
	h.n++
}

// Count is how many were added.
func (h *Histogram) Count() uint64 { return h.n }

// Percentile is the smallest percentage below or at which the share p (0 to 100)
// of all lies; NaN when there are none.
func (h *Histogram) Percentile(p float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	rank := max(uint64(math.Ceil(min(max(p, 0), 100)/100*float64(h.n))), 1)
	for i, c := range h.counts {
		if uint64(c) >= rank {
			return float64(i) / 100
		}
		rank -= uint64(c)
	}
	return 100
}

// Below is the share (0 to 1) of those that lie below a percentage.
func (h *Histogram) Below(percent float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	var sum uint64
	for _, c := range h.counts[:int(math.Round(min(max(percent, 0), 100)*100))] {
		sum += uint64(c)
	}
	return float64(sum) / float64(h.n)
}

// Total is what a series was over the whole run.
type Total struct {
	Count          int64
	Min, Max, Mean float64
	Last           float64
	Percentages    *Histogram // nil for a series that is no percentage
}

// Totals keep what all series were over the whole run, in memory that does not
// grow with its length.
type Totals struct {
	series     map[string]*Total
	histograms int
}

// mostSeries and mostHistograms bound the memory; 256 histograms take 10 MB.
const (
	mostSeries     = 10_000
	mostHistograms = 256
)

// Add counts a sample.
func (t *Totals) Add(s record.Sample) {
	if t.series == nil {
		t.series = map[string]*Total{}
	}
	for _, v := range s.Values {
		x := t.series[v.Name]
		if x == nil {
			if len(t.series) >= mostSeries {
				continue
			}
			x = &Total{Min: v.Value, Max: v.Value}
			if t.histograms < mostHistograms && isPercentage(v.Name) {
				x.Percentages = new(Histogram)
				t.histograms++
			}
			t.series[v.Name] = x
		}
		x.Count++
		x.Last = v.Value
		x.Min, x.Max = min(x.Min, v.Value), max(x.Max, v.Value)
		x.Mean += (v.Value - x.Mean) / float64(x.Count)
		if x.Percentages != nil {
			x.Percentages.Add(v.Value)
		}
	}
}

// Of is the total of a series; ok is false when there was no value of it.
func (t *Totals) Of(name string) (total Total, ok bool) {
	if x := t.series[name]; x != nil {
		return *x, true
	}
	return Total{}, false
}

// Names are those of all series, in no order.
func (t *Totals) Names() []string {
	names := make([]string, 0, len(t.series))
	for name := range t.series {
		names = append(names, name)
	}
	return names
}

// isPercentage tells the series that lie between 0 and 100. Those of processes
// do not: a process may have several cores.
func isPercentage(name string) bool {
	for _, family := range []string{"cpu/", "iowait/", "steal/", "psi/"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	for _, end := range []string{"/used_percent", "/memory_percent", "/busy_percent", "/throttled_percent", "/utilization", "/memory_utilization"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
