package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// Control says whether something can be done with a run.
type Control struct {
	Allowed bool   `json:"allowed"`
	WhyNot  string `json:"why_not" doc:"A sentence; \"\" when it is allowed."`
}

// Controls are what can be done with a run from here.
type Controls struct {
	Stop    Control `json:"stop"`
	Plan    Control `json:"plan"`
	Monitor Control `json:"monitor"`
	Profile Control `json:"profile"`
	Stacks  Control `json:"stacks"`
	Report  Control `json:"report"`
	Tags    Control `json:"tags" doc:"Tags, note and mutes."`
	Delete  Control `json:"delete"`
}

// sentence makes a control of the reason why it is not allowed, if there is one.
func sentence(why string) Control {
	if why == "" {
		return Control{Allowed: true}
	}
	return Control{WhyNot: strings.ToUpper(why[:1]) + why[1:] + "."}
}

// controls looks what can be done with a run.
func (s *Server) controls(path string, run *record.Run) Controls {
	if s.options.ReadOnly {
		no := Control{WhyNot: "This server only shows: it was started with --read-only."}
		return Controls{no, no, no, no, sentence(control.Reachable(path, run)), no, no, no}
	}
	ask := sentence(control.Reachable(path, run))
	talk := ask
	if run.Status != record.Running {
		talk = sentence("it has already ended (" + run.Status + ")")
	}
	write := sentence(control.Writable(path))
	gone := sentence(control.Busy(path, run))
	if gone.Allowed {
		gone = write
	}
	return Controls{Stop: ask, Plan: talk, Monitor: talk, Profile: talk, Stacks: talk, Report: write, Tags: write, Delete: gone}
}

// control is a run that something is to be done with.
func (s *Server) control(name string) (control.Run, error) {
	if _, err := s.run(name); err != nil {
		return control.Run{}, err
	}
	path, err := s.runs.path(name)
	return control.Run{Path: path, Name: name}, err
}

// asked is control of a run whose agent is to be asked for something: it has to run
// here, for this user.
func (s *Server) asked(name string) (control.Run, error) {
	r, err := s.control(name)
	if err != nil {
		return r, err
	}
	run, err := r.Read()
	if err != nil {
		return r, err
	}
	if why := control.Reachable(r.Path, &run); why != "" {
		return r, &conflict{sentence(why).WhyNot}
	}
	return r, nil
}

// inPage spells a setting as a request names it.
func inPage(setting string) string {
	if setting == "add-rule" {
		return "add_rules"
	}
	return setting
}

// byPage is who asked, in the history of a plan.
const byPage = "dashboard:"

// PlanShown is what a run captures and how that came about.
type PlanShown struct {
	Format
	Run         string       `json:"run"`
	Status      string       `json:"status"`
	Collections []Collected  `json:"collections"`
	History     []PlanChange `json:"history"`
}

// Collected is a collection of the plan in force, as `vigil plan --json` has it.
type Collected view.Collection

// Schema says no more than that it is an object: its schedule is written by mode.
func (Collected) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// PlanChange is a change of the plan.
type PlanChange struct {
	Time time.Time `json:"time"`
	Step int64     `json:"step"`
	Why  string    `json:"why"`
}

// PlanAsked is a change of what a running job captures.
type PlanAsked struct {
	Every    *int64   `json:"every,omitempty" minimum:"0" doc:"Interval for collections that name none; 0 leaves it to the budget."`
	Collect  []string `json:"collect,omitempty" maxItems:"100" doc:"SPECs of collections, as --collect of vigil run."`
	AddRules []string `json:"add_rules,omitempty" maxItems:"100" doc:"SPECs of rules, as --rule of vigil run."`
	For      *int64   `json:"for,omitempty" minimum:"1" doc:"Capture what collect names for so many steps, besides the rest."`
	Monitor  string   `json:"monitor,omitempty" maxLength:"20" doc:"Interval of machine metrics: 100, 200, 500, 1000, 5000, 60000 milliseconds, or off."`
}

// PlanChanged is what came of it, as `vigil plan --json` has it.
type PlanChanged struct {
	Format
	Run     string      `json:"run"`
	Changed bool        `json:"changed"`
	Windows []StepsOf   `json:"windows" doc:"The steps that a bounded capture takes."`
	Rules   []AddedRule `json:"rules" doc:"Those that judge from now on."`
	Monitor *int        `json:"monitor,omitempty" doc:"Interval of machine metrics in milliseconds; 0: none."`
}

// StepsOf is the steps of one mode that a bounded capture takes.
type StepsOf control.Window

// AddedRule is a rule that was added.
type AddedRule struct {
	Rule          string            `json:"rule"`
	Configuration string            `json:"configuration"`
	Params        map[string]string `json:"params"`
}

func (s *Server) plan(_ context.Context, in *struct{ RunPath }) (PlanShown, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return PlanShown{}, err
	}
	run := t.Run()
	out := PlanShown{Format: format1, Run: in.Run, Status: run.Status, Collections: []Collected{}, History: []PlanChange{}}
	for _, c := range view.Collections(run, source.OfTraining(t.Tensors())) {
		out.Collections = append(out.Collections, Collected(c))
	}
	for _, h := range run.Plan {
		out.History = append(out.History, PlanChange{h.Time, h.Step, h.Why})
	}
	return out, nil
}

// changePlan has the agent change the plan of a running job.
func (s *Server) changePlan(run string, asked PlanAsked) (PlanChanged, error) {
	r, err := s.asked(run)
	if err != nil {
		return PlanChanged{}, err
	}
	change := control.Change{Every: asked.Every, Collect: asked.Collect, AddRule: asked.AddRules, For: asked.For, By: byPage, Flag: inPage}
	if asked.Monitor != "" {
		change.Monitor = &asked.Monitor
	}
	if change.Empty() {
		return PlanChanged{}, &wrong{"The request names no change: every, collect, add_rules or monitor."}
	}
	request, err := change.Request()
	if err != nil {
		return PlanChanged{}, err
	}
	changed, err := r.Plan(request)
	if err != nil {
		return PlanChanged{}, err
	}
	out := PlanChanged{Format: format1, Run: run, Changed: true, Windows: []StepsOf{}, Rules: []AddedRule{}, Monitor: request.Monitor}
	for _, w := range changed.Windows {
		out.Windows = append(out.Windows, StepsOf(w))
	}
	for _, a := range changed.Rules {
		if a.Params == nil {
			a.Params = map[string]string{}
		}
		out.Rules = append(out.Rules, AddedRule{a.Rule, a.Configuration, a.Params})
	}
	return out, nil
}

// Stopping says how a job stands that was asked to end.
type Stopping struct {
	Format
	Run    string `json:"run"`
	Status string `json:"status" doc:"\"asked to stop\", or how the run ended."`
}

// WindowAsked asks for a window of detail.
type WindowAsked struct {
	Kind    string   `json:"kind,omitempty" enum:"stacks" default:"stacks"`
	Seconds *float64 `json:"seconds,omitempty" doc:"5 when neither is given."`
	Steps   *int64   `json:"steps,omitempty" doc:"So many TRAIN steps instead."`
}

// WindowNumber is a window that will be recorded.
type WindowNumber struct {
	Format
	Number int `json:"number"`
}

// WindowStanding is how far a window is.
type WindowStanding struct {
	Format
	Number int          `json:"number"`
	State  string       `json:"state" doc:"asked, stored, failed."`
	Parts  []WindowPart `json:"parts"`
}

// WindowPart is the window of one worker.
type WindowPart struct {
	Worker string `json:"worker"`
	State  string `json:"state"`
	Text   string `json:"text" doc:"Why there is nothing."`
}

// LiveStacks is where the processes of a job stand.
type LiveStacks struct {
	Format
	Run       string    `json:"run"`
	Time      time.Time `json:"time"`
	Summary   string    `json:"summary"`
	Groups    []Stack   `json:"groups" doc:"Processes that stand at the same place; the smallest group first."`
	Processes int       `json:"processes"`
}

// Stack is one group of processes.
type Stack struct {
	Title  string       `json:"title"`
	State  string       `json:"state" doc:"Of its first process."`
	Frames []StackFrame `json:"frames" doc:"The innermost first; none where there is no Python."`
}

// StackFrame is a call.
type StackFrame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
}

func (s *Server) liveStacks(_ context.Context, in *struct{ RunPath }) (LiveStacks, error) {
	r, err := s.asked(in.Run)
	if err != nil {
		return LiveStacks{}, err
	}
	_, answer, err := r.Stacks()
	if err != nil {
		return LiveStacks{}, err
	}
	groups := stacks.Groups(answer.Processes)
	out := LiveStacks{Format: format1, Run: in.Run, Time: answer.Time, Summary: stacks.Summary(groups), Groups: []Stack{}, Processes: len(answer.Processes)}
	for i := range groups {
		g := &groups[i]
		title := g.Who()
		if g.Kind != stacks.Other || len(g.Processes) > 1 {
			title += " (" + g.Which() + ")"
		}
		one := Stack{title, g.Processes[0].State, []StackFrame{}}
		for _, f := range g.Frames {
			one.Frames = append(one.Frames, StackFrame{f.File, f.Line, f.Function})
		}
		out.Groups = append(out.Groups, one)
	}
	return out, nil
}

func registerControls(api huma.API, s *Server) {
	get(api, "/runs/{run}/controls", "get-controls", "What can be done with a run from here", func(_ context.Context, in *struct{ RunPath }) (struct {
		Format
		Controls
	}, error,
	) {
		var out struct {
			Format
			Controls
		}
		t, err := s.run(in.Run)
		if err != nil {
			return out, err
		}
		run := t.Run()
		out.Format, out.Controls = format1, s.controls(t.Path(), &run)
		return out, nil
	})
	get(api, "/runs/{run}/plan", "get-plan", "What a run captures, as `vigil plan --json`", s.plan)
	change(api, http.MethodPost, "/runs/{run}/plan", "change-plan", "Change what a running job captures", func(_ context.Context, in *struct {
		RunPath
		Body PlanAsked
	},
	) (PlanChanged, error) {
		return s.changePlan(in.Run, in.Body)
	})
	change(api, http.MethodPost, "/runs/{run}/stop", "stop", "Stop a running job, as `vigil stop`", func(_ context.Context, in *struct{ RunPath }) (Stopping, error) {
		r, err := s.asked(in.Run)
		if err != nil {
			return Stopping{}, err
		}
		run, err := r.Stop(0)
		return Stopping{format1, in.Run, run.Status}, err
	})
	change(api, http.MethodPost, "/runs/{run}/profile", "profile", "Sample where a running job spends its time", func(_ context.Context, in *struct {
		RunPath
		Body WindowAsked
	},
	) (WindowNumber, error) {
		if err := control.CheckWindow(in.Body.Seconds, in.Body.Steps, inPage); err != nil {
			return WindowNumber{}, err
		}
		r, err := s.asked(in.Run)
		if err != nil {
			return WindowNumber{}, err
		}
		run, err := r.Running("only a running job can be sampled")
		if err != nil {
			return WindowNumber{}, err
		}
		n, err := control.Profile(&run, in.Run, byPage, in.Body.Seconds, in.Body.Steps, inPage)
		return WindowNumber{format1, n}, err
	})
	get(api, "/runs/{run}/profile/{window}", "get-profile", "How far a window is that was asked for", func(_ context.Context, in *struct {
		RunPath
		Window int `path:"window" minimum:"1"`
	},
	) (WindowStanding, error) {
		out := WindowStanding{Format: format1, Number: in.Window, State: "stored", Parts: []WindowPart{}}
		t, err := s.run(in.Run)
		if err != nil {
			return out, err
		}
		for _, w := range t.Windows() {
			if w.Number == in.Window {
				return out, nil
			}
		}
		r, err := s.asked(in.Run)
		if err != nil {
			return out, err
		}
		run, err := r.Running("its windows are those that are stored")
		if err != nil {
			return out, err
		}
		state, err := control.WindowState(&run, in.Window)
		if err != nil {
			return out, &missing{fmt.Sprintf("There is no window %s: %v.", strconv.Itoa(in.Window), err)}
		}
		out.State = state.State
		for _, p := range state.Parts {
			out.Parts = append(out.Parts, WindowPart{p.Worker, p.State, p.Text})
		}
		return out, nil
	}, http.StatusConflict)
	get(api, "/runs/{run}/stacks", "get-stacks", "Where the processes of a running job stand, now", s.liveStacks, http.StatusConflict)
}
