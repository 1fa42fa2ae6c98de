package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Overview is what the first page about a run shows of it, findings and curves
// apart.
type Overview struct {
	Run         record.Run
	Verdict     Verdict
	From, To    time.Time // of the whole run, as far as anything is stored of it
	Phases      []Phase
	Properties  []Property
	Provenance  []Property
	Facts       []Fact
	Network     Network
	Captured    string
	NotCaptured []record.NotCaptured
	Ending      string
	Shares      []record.TimeShare
	Time        string // of all steps that the shares are of
	Figures     []Figure
	Damage      []source.Damage
}

// Phase is a phase of the job.
type Phase struct {
	Name     string
	From, To time.Time
	Open     bool // it goes on
}

// Figure is what one thing of a machine was like over the job.
type Figure struct {
	Name      string
	Value     float64 // the median
	Unit      string
	Text      string // the value, with its unit
	Detail    string
	Max       float64
	Sparkline []float64 // means of equal stretches of the job; NaN where nothing was sampled
}

// OverviewOf puts the overview of a run together.
func OverviewOf(t source.Run) (Overview, error) {
	run := t.Run()
	o := Overview{Run: run, Verdict: VerdictOf(run, Findings{All: t.Findings(), Groups: t.Groups(), Rules: t.Statuses()}.Judged()), Properties: Properties(run, LearningRate(t)), Provenance: Provenance(run), Captured: Captured(run, t.Tensors()),
		NotCaptured: record.OfTraining(run.NotCaptured), Ending: run.Ending(), Shares: run.Time.Shares()}
	if run.Time.Total() > 0 {
		o.Time = record.Seconds(run.Time.Total().Seconds())
	}
	f, err := run.KnownFacts()
	if err == nil && f != nil {
		o.Facts = Facts(f)
	}
	o.Network = NetworkOf(f, t.Announced())
	l, err := TimelineOf(t, time.Time{}, time.Time{})
	if err != nil {
		return o, err
	}
	o.From, o.To = l.From, l.To
	for i := range l.Phases {
		e := &l.Phases[i]
		last := i == len(l.Phases)-1
		o.Phases = append(o.Phases, Phase{e.Name, e.Start, e.End, last && run.Status == record.Running})
	}
	if o.Figures, err = figuresOf(t, l.From, l.To); err != nil {
		return o, err
	}
	o.Damage = t.Damage() // of all that was read
	return o, nil
}

// sparkPoints is how many stretches a small curve has at most.
const sparkPoints = 60

// spokenTotals are the totals of a machine as the overview calls them.
var spokenTotals = map[string]string{
	"total CPU": "CPU", "total GPU": "GPU", "total CPU memory": "memory", "total GPU memory": "GPU memory", "total I/O wait": "waiting for I/O", "total network": "network",
}

// figuresOf are the totals of the run's own machine over the job, and how much
// memory the job took.
func figuresOf(t source.Run, from, to time.Time) ([]Figure, error) {
	m, ok := t.(source.Metrics)
	if !ok || len(m.Hosts()) == 0 {
		return nil, nil
	}
	host := m.Hosts()[0]
	rows, err := MachineTable(t)
	if err != nil {
		return nil, err
	}
	var list []Figure
	for _, r := range rows {
		if r.Host != host {
			continue
		}
		f := Figure{Name: spokenTotals[r.Metric], Value: r.P50, Unit: r.Unit, Text: amount(r.P50, r.Unit), Max: r.Max, Detail: "peak " + amount(r.Max, r.Unit)}
		i := slices.IndexFunc(nodeTotals, func(n nodeTotal) bool { return n.name == r.Metric })
		all, err := nodeTotals[i].read(m, host)
		if err != nil {
			return nil, err
		}
		f.Sparkline = stretches(all.figures(false), from, to)
		list = append(list, f)
	}
	if use := t.Run().Time; use != nil && use.Machine != nil && use.Machine.PeakJobMemory > 0 {
		peak := float64(use.Machine.PeakJobMemory)
		f := Figure{Name: "memory of the job", Value: peak, Unit: "B", Text: record.Bytes(peak), Max: peak, Detail: "peak, resident"}
		if use.Machine.Memory > 0 {
			f.Detail = "peak, of " + record.Bytes(float64(use.Machine.Memory))
		}
		list = append(list, f)
	}
	return list, nil
}

// stretches are the means of equal stretches of a span.
func stretches(f figures, from, to time.Time) []float64 {
	points := min(sparkPoints, len(f.at)/2)
	if points < 2 || !to.After(from) {
		return nil
	}
	width := to.Sub(from) / time.Duration(points)
	sum, n := make([]float64, points), make([]int, points)
	for i, at := range f.at {
		k := int(at.Sub(from) / width)
		if v := f.values[i]; k >= 0 && k <= points && v-v == 0 {
			k = min(k, points-1)
			sum[k], n[k] = sum[k]+v, n[k]+1
		}
	}
	for k := range sum {
		if n[k] == 0 {
			sum[k] = math.NaN()
			continue
		}
		sum[k] /= float64(n[k])
	}
	return sum
}

// amount is a value with its unit, for people.
func amount(v float64, unit string) string {
	switch unit {
	case "%":
		return fmt.Sprintf("%.0f %%", v)
	case "B/s":
		return perSecond(v)
	case "B":
		return record.Bytes(v)
	}
	return strings.TrimSpace(record.Digits(v) + " " + unit)
}
