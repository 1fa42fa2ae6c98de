package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Host is what is stored of a host's machine metrics.
type Host struct {
	Name     string        `json:"host"`
	Interval time.Duration `json:"-"`
	Seconds  float64       `json:"interval_seconds"` // the usual time between two samples
	Series   int           `json:"series"`
	Families []string      `json:"families"` // what stands before the last slash of their names
	From     time.Time     `json:"from"`
	To       time.Time     `json:"to"`
	Gaps     []Pause       `json:"gaps"`
}

// Pause is a time in which nothing was sampled, though before and after it there
// was: the last sample before it and the first one after.
type Pause struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Hosts are the hosts that stored machine metrics; none where a format has none.
func Hosts(t source.Run) []Host {
	list := []Host{}
	m, ok := t.(source.Metrics)
	if !ok {
		return list
	}
	for _, name := range m.Hosts() {
		names := m.MetricNames(name)
		h := Host{Name: name, Series: len(names), Families: families(names), Gaps: []Pause{}}
		if at := instants(m, name, names); len(at) > 0 {
			h.From, h.To, h.Interval, h.Gaps = at[0], at[len(at)-1], interval(at), pauses(at)
			h.Seconds = h.Interval.Seconds()
		}
		list = append(list, h)
	}
	return list
}

func families(names []string) []string {
	list := []string{}
	for _, name := range names {
		if i := strings.LastIndexByte(name, '/'); i > 0 {
			name = name[:i]
		}
		if len(list) == 0 || list[len(list)-1] != name {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// instants are the times of a host's samples: those of the processors' use, which
// is in nearly every one.
func instants(m source.Metrics, host string, names []string) []time.Time {
	for _, name := range append([]string{"cpu/total"}, names...) {
		if at, _, err := m.Metric(host, name, time.Time{}, time.Time{}); err == nil && len(at) > 0 {
			return at
		}
	}
	return nil
}

// interval is the usual time between two samples, rounded to what was asked for.
func interval(at []time.Time) time.Duration {
	if len(at) < 2 {
		return 0
	}
	list := make([]time.Duration, len(at)-1)
	for i := range list {
		list[i] = at[i+1].Sub(at[i])
	}
	slices.Sort(list)
	return list[len(list)/2].Round(50 * time.Millisecond)
}

// pauses finds where samples are missing: no other time between two samples
// nearby is a third as long, so that another interval from some time on is none.
func pauses(at []time.Time) []Pause {
	list := []Pause{}
	between := func(i int) time.Duration {
		if i < 0 || i+1 >= len(at) {
			return 0
		}
		return at[i+1].Sub(at[i])
	}
	for i := range len(at) - 1 {
		if d := between(i); d >= time.Second && d > 3*max(between(i-1), between(i+1)) {
			list = append(list, Pause{at[i], at[i+1]})
		}
	}
	return list
}

// Times are where the time of one worker's steps of a mode went.
type Times struct {
	Mode    record.Mode        `json:"mode"`
	Worker  string             `json:"worker"`
	Steps   int64              `json:"steps"`
	Seconds float64            `json:"seconds"`
	Shares  map[string]float64 `json:"shares"` // of the seconds, by part
	parts   [record.StepParts]int64
}

// StepTimes are where the time of the chief's steps went, by mode.
func StepTimes(t source.Run) ([]Times, error) {
	list := []Times{}
	m, ok := t.(source.Metrics)
	if !ok {
		return list, nil
	}
	var of [record.Global + 1]Times
	err := m.Times("", time.Time{}, time.Time{}, func(row *record.StepTime) error {
		if row.Mode > record.Global {
			return nil
		}
		of[row.Mode].count(row)
		return nil
	})
	return finished(of[:]), err
}

// Text says where the time went, the largest part first: "data 61 %, forward 22 %".
func (s *Times) Text() string {
	var order []record.StepPart
	for p := range record.StepParts {
		if s.parts[p] > 0 {
			order = append(order, p)
		}
	}
	slices.SortStableFunc(order, func(a, b record.StepPart) int { return cmp.Compare(s.parts[b], s.parts[a]) })
	var words []string
	for _, p := range order {
		share := 100 * s.Shares[p.String()]
		if share < 0.5 {
			continue
		}
		words = append(words, fmt.Sprintf("%s %.0f %%", p.Word(), share))
	}
	return strings.Join(words, ", ")
}
