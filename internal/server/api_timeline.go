package server

import (
	"context"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// Timeline is what happened in a span of a run's time.
type Timeline struct {
	Format
	From        time.Time         `json:"from" doc:"Beginning of the whole run."`
	To          time.Time         `json:"to" doc:"End of what is stored of the whole run."`
	Findings    []TimelineFinding `json:"findings"`
	Checkpoints []TimelineEvent   `json:"checkpoints"`
	PlanChanges []TimelineChange  `json:"plan_changes"`
	Pauses      []HostPause       `json:"pauses"`
	Steps       []TimelineStep    `json:"steps" doc:"Round step numbers of the training, and when each step closed."`
	Phases      []TimelineEvent   `json:"phases"`
	Events      []TimelineEvent   `json:"events"`
	Times       []PartsOfMode     `json:"times" doc:"Where the time of the chief's steps in the span went."`
	More        int               `json:"more" doc:"Findings, checkpoints and events of the span that are not listed."`
}

// TimelineFinding is a finding at its time.
type TimelineFinding struct {
	ID       string          `json:"id"`
	Time     time.Time       `json:"time"`
	Severity record.Severity `json:"severity" enum:"error,warning,info"`
	Rule     string          `json:"rule"`
	Check    string          `json:"check"`
	Message  string          `json:"message"`
	Subject  string          `json:"subject"`
	Mode     string          `json:"mode"`
	Step     int64           `json:"step" doc:"Of its mode."`
	Clock    string          `json:"clock" doc:"At which step it is, in words."`
}

// TimelineEvent is something that has a beginning and a length.
type TimelineEvent struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`
	Worker string    `json:"worker"`
	Host   string    `json:"host,omitempty"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Step   int64     `json:"step" doc:"Global step at its beginning."`
	Facts  any       `json:"facts,omitempty"`
}

// TimelineChange is a change of the plan.
type TimelineChange struct {
	Time time.Time `json:"time"`
	Step int64     `json:"step"`
	Why  string    `json:"why"`
}

// TimelineStep is when a step closed.
type TimelineStep struct {
	Step int64     `json:"step"`
	Time time.Time `json:"time"`
}

// PartsOfMode is where the time of one worker's steps of a mode went.
type PartsOfMode struct {
	Mode    string            `json:"mode"`
	Worker  string            `json:"worker"`
	Steps   int64             `json:"steps"`
	Seconds number            `json:"seconds"`
	Parts   map[string]number `json:"parts" doc:"Shares of the seconds by part, 0 to 1."`
	Text    string            `json:"text" example:"data 61 %, forward 22 %"`
}

func partsOfModes(list []view.Times) []PartsOfMode {
	out := []PartsOfMode{}
	for i := range list {
		p := PartsOfMode{Mode: list[i].Mode.String(), Worker: list[i].Worker, Steps: list[i].Steps, Seconds: number(list[i].Seconds), Parts: map[string]number{}, Text: list[i].Text()}
		for part, share := range list[i].Shares {
			p.Parts[part] = number(share)
		}
		out = append(out, p)
	}
	return out
}

func timelineEvents(list []record.Event) []TimelineEvent {
	out := []TimelineEvent{}
	for _, e := range list {
		event := TimelineEvent{e.Name, e.Kind, e.Worker, e.Host, e.Start, e.End, e.Step, nil}
		if len(e.Facts) > 0 {
			event.Facts = e.Facts
		}
		out = append(out, event)
	}
	return out
}

type spanOfRun struct {
	RunPath
	Span
}

func (s *Server) timeline(_ context.Context, in *spanOfRun) (Timeline, error) {
	t, err := s.run(in.Run)
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return Timeline{}, err
	}
	l, err := view.TimelineOf(t, in.From, in.To)
	if err != nil {
		return Timeline{}, err
	}
	out := Timeline{Format: format1, From: l.From, To: l.To, Findings: []TimelineFinding{}, PlanChanges: []TimelineChange{}, Pauses: []HostPause{}, Steps: []TimelineStep{},
		Checkpoints: timelineEvents(l.Checkpoints), Phases: timelineEvents(l.Phases), Events: timelineEvents(l.Events), Times: partsOfModes(l.Times), More: l.Left}
	for _, f := range l.Findings {
		out.Findings = append(out.Findings, TimelineFinding{f.ID, f.Time, f.Severity, f.Rule, f.Check, f.Message, f.Subject, f.Mode.String(), f.ModeStep, f.Clock})
	}
	for _, c := range l.Changes {
		out.PlanChanges = append(out.PlanChanges, TimelineChange{c.Time, c.Step, c.Why})
	}
	for _, p := range l.Pauses {
		out.Pauses = append(out.Pauses, HostPause{p.Host, p.From, p.To})
	}
	for _, m := range l.Steps {
		out.Steps = append(out.Steps, TimelineStep(m))
	}
	return out, nil
}

// LastSteps are the last training steps, and what the machine did meanwhile.
type LastSteps struct {
	Format
	Worker  string         `json:"worker"`
	Host    string         `json:"host"`
	Parts   []StepPartName `json:"parts" doc:"Those that any of the steps has, in their order."`
	Steps   []LastStep     `json:"steps"`
	Metrics []LastMetric   `json:"metrics" doc:"Means over each of the steps, in percent."`
}

// StepPartName is a part of a step and its word for people.
type StepPartName struct {
	Name string `json:"name" example:"optimizer"`
	Word string `json:"word" example:"optimiser"`
}

func partNames(parts []record.StepPart) []StepPartName {
	out := []StepPartName{}
	for _, p := range parts {
		out = append(out, StepPartName{p.String(), p.Word()})
	}
	return out
}

// LastStep is one step, or a few short ones together.
type LastStep struct {
	Step  int64             `json:"step"`
	Steps int64             `json:"steps" doc:"How many steps the times are of."`
	From  time.Time         `json:"from"`
	To    time.Time         `json:"to"`
	Parts map[string]number `json:"parts" doc:"Seconds by part."`
}

// LastMetric is a machine metric over steps.
type LastMetric struct {
	Name   string `json:"name"`
	Values floats `json:"values"`
}

type lastStepsOfRun struct {
	RunPath
	Last   int       `query:"last" minimum:"1" maximum:"500" default:"30" doc:"How many steps."`
	Before time.Time `query:"before" doc:"Those that closed before this time; left out: the last of all."`
}

func (s *Server) lastSteps(_ context.Context, in *lastStepsOfRun) (LastSteps, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return LastSteps{}, err
	}
	l, err := view.LastStepsOf(t, in.Last, in.Before)
	if err != nil {
		return LastSteps{}, err
	}
	out := LastSteps{Format: format1, Worker: l.Worker, Host: l.Host, Parts: partNames(l.Parts), Steps: []LastStep{}, Metrics: []LastMetric{}}
	for i := range l.Steps {
		row := &l.Steps[i]
		step := LastStep{row.ModeStep, row.Steps, row.Start, row.End, map[string]number{}}
		for p, ns := range row.Parts {
			if ns > 0 {
				step.Parts[record.StepPart(p).String()] = number(float64(ns) / 1e9)
			}
		}
		out.Steps = append(out.Steps, step)
	}
	for _, u := range l.Uses {
		out.Metrics = append(out.Metrics, LastMetric{u.Name, u.Values})
	}
	return out, nil
}
