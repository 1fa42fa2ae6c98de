package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Timeline is what happened in a span of a run's time, for the marks on its axis.
// Lists are by time.
type Timeline struct {
	From, To    time.Time // of the whole run, as far as anything is stored of it
	Findings    []Named
	Checkpoints []record.Event
	Changes     []record.PlanChange // of the plan
	Pauses      []HostPause
	Steps       []StepMark
	Phases      []record.Event
	Events      []record.Event // without phases and checkpoints
	Times       []Times        // where the time of the chief's steps in the span went
	Left        int            // findings, checkpoints and events beyond those listed
}

// HostPause is a pause in the samples of a host.
type HostPause struct {
	Host string
	Pause
}

// StepMark is when a step closed.
type StepMark struct {
	Step int64
	Time time.Time
}

// Bounds of what a timeline lists.
const (
	mostOnTimeline = 500
	mostStepMarks  = 200
)

// TimelineOf is what happened in a span; zero times are no bounds.
func TimelineOf(t source.Run, from, to time.Time) (*Timeline, error) {
	run := t.Run()
	l := &Timeline{Findings: []Named{}, Checkpoints: []record.Event{}, Changes: []record.PlanChange{}, Pauses: []HostPause{},
		Steps: []StepMark{}, Phases: []record.Event{}, Events: []record.Event{}, Times: []Times{}, From: run.Started, To: run.Started}
	inside := func(a, b time.Time) bool { return (to.IsZero() || a.Before(to)) && (from.IsZero() || !b.Before(from)) }
	reach := func(at time.Time) {
		if at.After(l.To) {
			l.To = at
		}
	}
	if run.Ended != nil {
		reach(*run.Ended)
	}
	for _, c := range run.Plan {
		if inside(c.Time, c.Time) {
			l.Changes = append(l.Changes, c)
		}
	}
	l.findings(t, inside)
	m, ok := t.(source.Metrics)
	if !ok {
		return l, nil
	}
	for _, h := range Hosts(t) {
		if !h.From.IsZero() && h.From.Before(l.From) {
			l.From = h.From
		}
		reach(h.To)
		for _, p := range h.Gaps {
			if inside(p.From, p.To) {
				l.Pauses = append(l.Pauses, HostPause{h.Name, p})
			}
		}
	}
	all, err := m.Events(time.Time{}, time.Time{})
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	l.events(all, inside)
	times, first, last, err := l.steps(m, from, to)
	if err != nil {
		return nil, err
	}
	l.Times = times
	reach(last)
	for _, e := range phasesOf(all, &run, run.ChiefName(), first, last) {
		if inside(e.Start, e.End) {
			l.Phases = append(l.Phases, e)
		}
	}
	return l, nil
}

func (l *Timeline) findings(t source.Run, inside func(a, b time.Time) bool) {
	run := t.Run()
	for _, f := range NamedFindings(t.Findings(), run.Clock()) {
		if !f.Muted && inside(f.Time, f.Time) {
			l.Findings = append(l.Findings, f)
		}
	}
	slices.SortStableFunc(l.Findings, func(a, b Named) int { return a.Time.Compare(b.Time) })
	l.Findings = most(l, l.Findings)
}

// most cuts a list to what is listed, and counts the rest.
func most[E any](l *Timeline, list []E) []E {
	if more := len(list) - mostOnTimeline; more > 0 {
		l.Left += more
		return list[:mostOnTimeline]
	}
	return list
}

func (l *Timeline) events(all []record.Event, inside func(a, b time.Time) bool) {
	for _, e := range all {
		switch {
		case !inside(e.Start, e.End) || e.Kind == record.PhaseEvent || e.Kind == record.EarlierRunsEvent:
		case e.Kind == record.CheckpointEvent:
			l.Checkpoints = append(l.Checkpoints, e)
		default:
			l.Events = append(l.Events, e)
		}
	}
	l.Checkpoints, l.Events = most(l, l.Checkpoints), most(l, l.Events)
}

// steps marks round numbers of the chief's training steps, and adds up where the
// time of the steps in the span went. first and last are the ends of all its steps.
func (l *Timeline) steps(m source.Metrics, from, to time.Time) (times []Times, first, last time.Time, err error) {
	var clocks [record.Global + 1]stepMarks
	var sums [record.Global + 1]Times
	err = m.Times("", time.Time{}, time.Time{}, func(row *record.StepTime) error {
		if first.IsZero() {
			first = row.Start
		}
		if row.End.After(last) {
			last = row.End
		}
		if row.Mode > record.Global || !to.IsZero() && !row.Start.Before(to) || !from.IsZero() && !row.End.After(from) {
			return nil
		}
		clocks[row.Mode].add(row)
		sums[row.Mode].count(row)
		return nil
	})
	if err != nil {
		return nil, first, last, fmt.Errorf("read step times: %w", err)
	}
	training := record.Train
	if len(clocks[record.Train].marks) == 0 {
		training = record.Global
	}
	l.Steps = clocks[training].round(mostStepMarks)
	return finished(sums[:]), first, last, nil
}

// stepMarks reports when steps closed, of few rows in memory: when there are many it
// keeps every second, and reckons between them.
type stepMarks struct {
	marks   []StepMark
	every   int
	skipped int
}

func (c *stepMarks) add(row *record.StepTime) {
	const most = 1 << 15
	if c.skipped++; c.skipped < max(c.every, 1) {
		return
	}
	c.skipped = 0
	if len(c.marks) == 0 {
		c.marks = append(c.marks, StepMark{row.ModeStep - 1, row.Start})
	}
	c.marks = append(c.marks, StepMark{row.ModeStep + max(row.Steps, 1) - 1, row.End})
	if len(c.marks) > most {
		kept := c.marks[:0]
		for i := 0; i < len(c.marks); i += 2 {
			kept = append(kept, c.marks[i])
		}
		c.marks, c.every = kept, 2*max(c.every, 1)
	}
}

// round are at most n of the steps whose numbers are multiples of 1, 2, 5, 10, 20 ...
func (c *stepMarks) round(n int) []StepMark {
	list := []StepMark{}
	if len(c.marks) < 2 {
		return list
	}
	lowest, highest := c.marks[0].Step+1, c.marks[len(c.marks)-1].Step
	every := int64(1)
	for i := 0; (highest-lowest)/every+1 > int64(n); i++ {
		every *= []int64{2, 5, 2}[i%3]
		if i%3 == 1 { // 2 to 5
			every /= 2
		}
	}
	next := (lowest + every - 1) / every * every
	for i := 1; i < len(c.marks); i++ {
		a, b := c.marks[i-1], c.marks[i]
		for ; next <= b.Step; next += every {
			if next <= a.Step { // steps were taken back
				continue
			}
			part := float64(next-a.Step) / float64(b.Step-a.Step)
			list = append(list, StepMark{next, a.Time.Add(time.Duration(part * float64(b.Time.Sub(a.Time))))})
		}
	}
	return list[:min(len(list), n)]
}

// count takes a row in.
func (s *Times) count(row *record.StepTime) {
	s.Worker, s.Mode = row.Worker, row.Mode
	s.Steps += row.Steps
	for p, ns := range row.Parts {
		s.parts[p] += ns
	}
}

// finished are those sums that have any time, with their shares.
func finished(sums []Times) []Times {
	list := []Times{}
	for _, s := range sums {
		var total int64
		for _, ns := range s.parts {
			total += ns
		}
		if total <= 0 {
			continue
		}
		s.Seconds, s.Shares = float64(total)/1e9, map[string]float64{}
		for p, ns := range s.parts {
			s.Shares[record.StepPart(p).String()] = float64(ns) / float64(total)
		}
		list = append(list, s)
	}
	return list
}

// phasesOf are the phases of a worker's job: as it told of them, or as its steps,
// the first and the last of which lie at those times, and the times of the run tell.
func phasesOf(events []record.Event, run *record.Run, worker string, first, last time.Time) []record.Event {
	list := []record.Event{}
	for _, e := range events {
		if (e.Worker == worker || e.Worker == "") && e.Host == "" && e.Kind == record.PhaseEvent {
			list = append(list, e)
		}
	}
	told := func(name string) bool {
		return slices.ContainsFunc(list, func(e record.Event) bool { return e.Name == name })
	}
	add := func(name string, from, to time.Time) {
		if !told(name) && to.After(from) && !from.IsZero() {
			list = append(list, record.Event{Kind: record.PhaseEvent, Name: name, Start: from, End: to})
		}
	}
	began := first
	for _, e := range list {
		if e.Name == record.StartUpPhase {
			began = e.End
		}
	}
	add(record.StartUpPhase, run.Started, first)
	add(record.TrainingPhase, began, last)
	if run.Ended != nil {
		add(record.FinishingPhase, last, *run.Ended)
	}
	slices.SortStableFunc(list, func(a, b record.Event) int { return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End)) })
	// The end of the interpreter, which no hook sees, can take seconds.
	if n := len(list) - 1; n >= 0 && list[n].Name == record.FinishingPhase && run.Ended != nil && run.Ended.After(list[n].End) {
		list[n].End = *run.Ended
	}
	return list
}
