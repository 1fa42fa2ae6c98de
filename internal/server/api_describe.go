package server

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/view"
)

// Description is what there is to know of a run, values apart.
type Description struct {
	Format
	Run         json.RawMessage   `json:"run" doc:"run.json of the run, with its tags and note."`
	Name        string            `json:"name" doc:"Its directory below the root."`
	Path        string            `json:"path"`
	Live        bool              `json:"live" doc:"Its job runs."`
	Row         listedRun         `json:"row" doc:"As the list of runs has it."`
	Controls    Controls          `json:"controls" doc:"What can be done with it from here."`
	Verdict     Verdict           `json:"verdict"`
	Status      string            `json:"status"`
	Started     time.Time         `json:"started"`
	Ended       *time.Time        `json:"ended"`
	Span        TimeSpan          `json:"span" doc:"Of all that is stored of it."`
	Command     string            `json:"command"`
	Tags        map[string]string `json:"tags"`
	Note        string            `json:"note"`
	Modes       []string          `json:"modes" doc:"In which there are steps."`
	Workers     []string          `json:"workers" doc:"The chief first."`
	Hosts       []string          `json:"hosts" doc:"That machine metrics are stored of."`
	Chief       string            `json:"chief"`
	Phases      []JobPhase        `json:"phases"`
	Properties  []Pair            `json:"properties"`
	Provenance  []Pair            `json:"provenance"`
	Diff        int               `json:"diff" doc:"Bytes of what differed from the commit; 0: nothing did, or it is not stored."`
	Facts       []Pair            `json:"facts" doc:"What was understood of the training."`
	Network     []Layer           `json:"network" doc:"The modules in the order in which the first forward called them; at the end those that it did not call."`
	MoreModules int64             `json:"more_modules" doc:"Beyond those in network."`
	Parameters  int64             `json:"parameters" doc:"Of all modules; each counts once, whatever shares it."`
	Captured    string            `json:"captured"`
	NotCaptured []NotCaptured     `json:"not_captured"`
	Ending      string            `json:"ending" doc:"How it ended, in words."`
	LastOutput  string            `json:"last_output" doc:"The end of what the job printed; \"\" where it was not kept."`
	Traceback   string            `json:"traceback" doc:"The end of the exceptions that ended its processes."`
	Shares      []SharePart       `json:"shares" doc:"Of the time of all steps."`
	StepTime    string            `json:"step_time" doc:"The time of all steps, in words; \"\" where it is not known."`
	Figures     []MachineFigure   `json:"machine_figures"`
	Damage      []source.Damage   `json:"damage"`
}

// Verdict says in a line how a run went.
type Verdict struct {
	Class string `json:"class" enum:"idle,ok,muted,info,warning,error" doc:"The worst severity of what was found; muted where all of it is muted, ok where rules judged and found nothing, idle where none has judged."`
	Text  string `json:"text"`
}

// TimeSpan is from one instant to another.
type TimeSpan struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// JobPhase is a phase of the job.
type JobPhase struct {
	Name    string    `json:"name"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Seconds float64   `json:"seconds"`
	Open    bool      `json:"open" doc:"It goes on."`
}

// Pair is one thing that is known, with a word for it.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Layer is a module of the network.
type Layer struct {
	Name       string `json:"name"`
	Label      string `json:"label" doc:"Its name below the module of the list that it is in."`
	Kind       string `json:"kind" doc:"Its class."`
	Output     string `json:"output" doc:"Element type and shape of what it returned."`
	Parameters int64  `json:"parameters" doc:"Its own: those of modules in it count there, shared ones where they come first."`
	Depth      int    `json:"depth"`
}

// NotCaptured says what is missing and why.
type NotCaptured struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// SharePart is a part of the time of all steps.
type SharePart struct {
	Part    string  `json:"part" doc:"For its colour: data, to_device, forward, backward, ranks, optimizer, checkpoint, other, or evaluation, prediction."`
	Name    string  `json:"name"`
	Percent int     `json:"percent" doc:"Whole points; those of a list add up to 100."`
	Seconds float64 `json:"seconds"`
}

// MachineFigure is what one thing of the run's machine was like over the job.
type MachineFigure struct {
	Name   string `json:"name"`
	Value  number `json:"value" doc:"The median."`
	Unit   string `json:"unit"`
	Text   string `json:"text" doc:"The value with its unit."`
	Detail string `json:"detail"`
	Max    number `json:"max"`
	Points floats `json:"points" doc:"Means of equal stretches of the job; NaN where nothing was sampled."`
}

// mostLayers bounds the modules that come with a description.
const mostLayers = 1000

// Bounds of the text that comes with a description.
const (
	lastOutput    = 8 << 10
	lastTraceback = 16 << 10
)

func pairs[P view.Property | view.Fact](list []P) []Pair {
	out := make([]Pair, len(list))
	for i, p := range list {
		switch p := any(p).(type) {
		case view.Property:
			out[i] = Pair{p.Label, p.Value}
		case view.Fact:
			out[i] = Pair{p.Name, p.Text}
		}
	}
	return out
}

// describe is the description of a run.
func describe(t source.Run, name string) (Description, error) {
	o, err := view.OverviewOf(t)
	if err != nil {
		return Description{}, err
	}
	run := &o.Run
	d := Description{
		Format: format1, Name: name, Path: t.Path(), Live: run.Status == record.Running, Verdict: Verdict(o.Verdict), Status: run.Status, Started: run.Started, Ended: run.Ended,
		Span: TimeSpan{o.From, o.To}, Command: view.CommandText(*run), Tags: run.Tags, Note: run.Note, Modes: []string{}, Workers: nonNil(t.Workers()), Hosts: []string{}, Chief: run.ChiefName(),
		Phases: []JobPhase{}, Properties: pairs(o.Properties), Provenance: pairs(o.Provenance), Diff: len(t.Diff()), Facts: pairs(o.Facts), Network: []Layer{}, Parameters: o.Network.Parameters,
		Captured: o.Captured, NotCaptured: []NotCaptured{}, Ending: o.Ending, Shares: []SharePart{}, StepTime: o.Time, Figures: []MachineFigure{}, Damage: nonNil(o.Damage),
	}
	if d.Run, err = json.Marshal(run); err != nil {
		return d, err
	}
	if d.Tags == nil {
		d.Tags = map[string]string{}
	}
	for _, m := range t.Modes() {
		d.Modes = append(d.Modes, m.String())
	}
	if m, ok := t.(source.Metrics); ok {
		d.Hosts = nonNil(m.Hosts())
	}
	for _, p := range o.Phases {
		d.Phases = append(d.Phases, JobPhase{p.Name, p.From, p.To, p.To.Sub(p.From).Seconds(), p.Open})
	}
	var shown []view.Layer
	shown, d.MoreModules, _ = o.Network.First(mostLayers)
	for _, l := range shown {
		d.Network = append(d.Network, Layer{l.Path, l.Label, l.Type, l.Output, l.Parameters, l.Depth})
	}
	for _, n := range o.NotCaptured {
		d.NotCaptured = append(d.NotCaptured, NotCaptured(n))
	}
	for _, s := range o.Shares {
		d.Shares = append(d.Shares, SharePart{view.ShareClass(s.Name), s.Name, s.Percent, s.Span.Seconds()})
	}
	for _, f := range o.Figures {
		if math.IsNaN(f.Value) {
			continue
		}
		d.Figures = append(d.Figures, MachineFigure{f.Name, number(f.Value), f.Unit, f.Text, f.Detail, number(f.Max), f.Sparkline})
	}
	if l, err := readLog(t, layout.OutputLog, -1, lastOutput); err == nil {
		d.LastOutput = l.Text
	}
	if l, err := readLog(t, layout.TracebackLog, -1, lastTraceback); err == nil {
		d.Traceback = l.Text
	}
	return d, nil
}

func registerDescribe(api huma.API, s *Server) {
	get(api, "/runs/{run}", "get-run", "What there is to know of a run, values apart", func(_ context.Context, in *struct{ RunPath }) (Description, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return Description{}, err
		}
		d, err := describe(t, in.Run)
		if err != nil {
			return d, err
		}
		run := t.Run()
		d.Controls = s.controls(t.Path(), &run)
		row, err := s.index.Row(in.Run)
		if err != nil {
			return d, err
		}
		d.Row = s.rows([]runs.Row{row}, true)[0]
		return d, nil
	})
	get(api, "/runs/{run}/diff", "get-diff", "What differed from the commit when the job was started", func(_ context.Context, in *struct{ RunPath }) (Diff, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return Diff{}, err
		}
		text := t.Diff()
		d := Diff{Format: format1, Size: len(text)}
		if len(text) > mostLog {
			text = text[:mostLog]
		}
		d.Text = validText(text)
		return d, nil
	})
}

// Diff is what differed from the commit, as a unified diff.
type Diff struct {
	Format
	Text string `json:"text" doc:"At most its first MiB."`
	Size int    `json:"size"`
}
