package server

import (
	"context"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// Findings are what the rules found in a run.
type Findings struct {
	Format
	Findings []Finding       `json:"findings" doc:"All of them by time, muted ones included."`
	Groups   []Group         `json:"groups" doc:"By root cause, the most serious first."`
	Rules    []RuleStatus    `json:"rules"`
	Actions  []Action        `json:"actions" doc:"How the actions that findings called for stand."`
	Muted    []Muted         `json:"muted" doc:"What was found and does not count, and why."`
	Damage   []source.Damage `json:"damage"`
	Text     string          `json:"text" doc:"Where the rules stand, in a line."`
}

// RuleStatus is where one configuration of a rule stands.
type RuleStatus record.RuleStatus

// toStatus writes maps that are not there as empty ones.
func toStatus(r record.RuleStatus) RuleStatus {
	if r.Parameters == nil {
		r.Parameters = map[string]string{}
	}
	if r.Skipped == nil {
		r.Skipped = map[string]int64{}
	}
	return RuleStatus(r)
}

// Action is how an action that was called for stands.
type Action struct {
	Time     time.Time `json:"time"`
	Action   string    `json:"action" doc:"stop, command, mail, webhook, slack, discord, text, metric."`
	Target   string    `json:"target,omitempty"`
	Command  []string  `json:"command,omitempty"`
	Key      string    `json:"key"`
	Finding  *Finding  `json:"finding,omitempty"`
	State    string    `json:"state" doc:"begun, waiting, done, failed, unknown."`
	Outcome  string    `json:"outcome" doc:"The same in a sentence."`
	Tries    int       `json:"tries,omitempty"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Seconds  float64   `json:"seconds,omitempty"`
	Output   string    `json:"output,omitempty"`
	Error    string    `json:"error,omitempty"`
}

func (n *namer) action(a *record.Attempt) Action {
	out := Action{a.Time, a.Action, a.Target, a.Command, a.Key, nil, a.State, a.Outcome(), a.Tries, a.ExitCode, a.Seconds, a.Output, a.Error}
	if a.Change == nil {
		f := n.finding(&a.Finding)
		out.Finding = &f
	}
	return out
}

// Muted are findings of a rule that do not count, for one reason.
type Muted struct {
	Configuration string `json:"configuration"`
	Reason        string `json:"reason"`
	Findings      int64  `json:"findings"`
}

// Finding is one recorded violation with its evidence.
type Finding struct {
	ID            string          `json:"id" doc:"RULE/CHECK/N: the N-th of its check in the run; it stays."`
	Clock         string          `json:"clock" doc:"At which step it is, in words."`
	Evidence      string          `json:"evidence" doc:"Its numbers in sentences."`
	Advised       string          `json:"advised" doc:"The remedy as it is shown: none where a finding with more evidence asks for the opposite."`
	Rule          string          `json:"rule"`
	RuleClass     string          `json:"rule_class"`
	Configuration string          `json:"configuration"`
	Severity      record.Severity `json:"severity" enum:"error,warning,info"`
	Step          int64           `json:"step" doc:"Among the steps of all modes."`
	Mode          string          `json:"mode"`
	ModeStep      int64           `json:"mode_step"`
	Worker        string          `json:"worker"`
	Workers       []string        `json:"workers,omitempty"`
	Time          time.Time       `json:"time"`
	Check         string          `json:"check"`
	Subject       string          `json:"subject"`
	Observed      number          `json:"observed"`
	Threshold     number          `json:"threshold"`
	Comparator    string          `json:"comparator"`
	Context       map[string]any  `json:"context"`
	Message       string          `json:"message"`
	CauseClass    string          `json:"cause_class"`
	Cause         string          `json:"cause"`
	Remedy        string          `json:"remedy"`
	Where         *record.Where   `json:"where,omitempty" doc:"The line of the script."`
	Share         float64         `json:"share,omitempty" doc:"Of the time, 0 to 1; of slow trainings."`
	Gain          float64         `json:"gain,omitempty" doc:"An estimate of the most that mending could bring, as a factor."`
	Edit          *Edit           `json:"suggestion,omitempty"`
	OutweighedBy  string          `json:"outweighed_by,omitempty"`
	Experimental  bool            `json:"experimental,omitempty"`
	Muted         bool            `json:"muted,omitempty"`
}

// Edit is the edit of a script that fixes what a finding is about.
type Edit struct {
	_     struct{} `nullable:"true"`
	File  string   `json:"file"`
	Place string   `json:"place" doc:"File and line, for people."`
	Diff  string   `json:"diff" doc:"Unified."`
	Hunks []Hunk   `json:"hunks" doc:"The same, in pieces."`
}

// Hunk is a piece of a diff. Each line begins with a sign.
type Hunk struct {
	Line  int      `json:"line"`
	Lines []string `json:"lines"`
}

// Group is a root cause and the findings that follow from it.
type Group struct {
	Root       Finding   `json:"root"`
	Symptoms   []Finding `json:"symptoms"`
	Outweighed []Finding `json:"outweighed,omitempty"`
	CauseClass string    `json:"cause_class"`
	Repeated   string    `json:"repeated" doc:"How often the root was found again; \"\" when it was not."`
	Follow     []Follow  `json:"follow" doc:"The symptoms, each once."`
}

// Follow is a symptom, and how often it was found again.
type Follow struct {
	Finding
	Again    int    `json:"again"`
	Repeated string `json:"repeated"`
}

// namer gives findings their names.
type namer struct {
	clock *record.Clock
	ids   map[findingKey]string
	words func(string) string // for names of tensors
}

type findingKey struct {
	configuration, check, subject, worker, mode string
	step                                        int64
	time                                        int64
}

func keyOf(f *record.Finding) findingKey {
	return findingKey{f.Configuration, f.Check, f.Subject, f.Worker, f.Mode.String(), f.Step, f.Time.UnixNano()}
}

func newNamer(list []view.Named, t source.Run) *namer {
	run := t.Run()
	n := &namer{run.Clock(), make(map[findingKey]string, len(list)), view.TensorWords(t.Tensors(), "`")}
	for i := range list {
		if k := keyOf(list[i].Finding); n.ids[k] == "" {
			n.ids[k] = list[i].ID
		}
	}
	return n
}

// finding is a finding as the API has it.
func (n *namer) finding(f *record.Finding) Finding {
	out := Finding{
		ID: n.ids[keyOf(f)], Clock: n.clock.At(f), Evidence: view.Evidence(*f, n.words), Advised: f.Advised(),
		Rule: f.Rule, RuleClass: f.RuleClass, Configuration: f.Configuration, Severity: f.Severity, Step: f.Step, Mode: f.Mode.String(), ModeStep: f.ModeStep,
		Worker: f.Worker, Workers: f.Workers, Time: f.Time, Check: f.Check, Subject: f.Subject, Observed: number(f.Observed), Threshold: number(f.Threshold),
		Comparator: f.Comparator, Context: f.Context, Message: f.Message, CauseClass: f.CauseClass, Cause: f.Cause, Remedy: f.Remedy, Where: f.Where,
		Share: f.Share, Gain: f.Gain, OutweighedBy: f.OutweighedBy, Experimental: f.Experimental, Muted: f.Muted,
	}
	if out.Context == nil {
		out.Context = map[string]any{}
	}
	if s := f.Suggestion; s != nil {
		out.Edit = &Edit{File: s.File, Place: s.Place(), Diff: s.Diff, Hunks: []Hunk{}}
		for _, h := range s.Hunks() {
			out.Edit.Hunks = append(out.Edit.Hunks, Hunk{h.Line, nonNil(h.Lines)})
		}
	}
	return out
}

func (n *namer) findings(list []record.Finding) []Finding {
	out := make([]Finding, len(list))
	for i := range list {
		out[i] = n.finding(&list[i])
	}
	return out
}

func (n *namer) group(g *record.Group) Group {
	out := Group{Root: n.finding(&g.Root), Symptoms: n.findings(g.Symptoms), CauseClass: g.CauseClass, Repeated: g.Repeated(), Follow: []Follow{}}
	if len(g.Outweighed) > 0 {
		out.Outweighed = n.findings(g.Outweighed)
	}
	for _, s := range g.Follow() {
		out.Follow = append(out.Follow, Follow{n.finding(&s.Finding), len(s.Again), record.Repeated(s.Again)})
	}
	return out
}

// Evidence is what a finding can be seen on.
type Evidence struct {
	Format
	Finding    Finding       `json:"finding"`
	Series     []ShownSeries `json:"series"`
	Source     *SourceLines  `json:"source" doc:"The line of the script and those around it; null where there is none."`
	Suggestion *Edit         `json:"suggestion"`
	Update     int64         `json:"update" doc:"The update of the weights that the finding is at, or after; -1 where it is before the first."`
}

// ShownSeries is a series on which a finding can be seen.
type ShownSeries struct {
	Series     string `json:"s" doc:"As /series takes it."`
	Name       string `json:"name"`
	Words      string `json:"words" doc:"The name in words: gradient of fc1.weight; the name itself where it has none."`
	Stat       string `json:"stat"`
	Mode       string `json:"mode"`
	From       int64  `json:"from" doc:"The step that the finding is at."`
	To         int64  `json:"to"`
	Threshold  number `json:"threshold" doc:"What the series is compared with; NaN where another number was."`
	Comparator string `json:"comparator"`
}

func registerFindings(api huma.API, s *Server) {
	get(api, "/runs/{run}/findings", "get-findings", "What the rules found, as `vigil findings --json`", func(_ context.Context, in *struct{ RunPath }) (Findings, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return Findings{}, err
		}
		run := t.Run()
		f := view.FindingsOf(t)
		n := newNamer(view.NamedFindings(f.All, run.Clock()), t)
		out := Findings{Format: format1, Findings: n.findings(f.All), Groups: []Group{}, Rules: []RuleStatus{}, Actions: []Action{}, Muted: []Muted{},
			Damage: nonNil(f.Damage), Text: view.StandingText(view.Standings(f.Rules, view.LacksOf(run.Facts)))}
		for i := range f.Groups {
			out.Groups = append(out.Groups, n.group(&f.Groups[i]))
		}
		for _, r := range f.Rules {
			out.Rules = append(out.Rules, toStatus(r))
		}
		for i := range f.Actions {
			out.Actions = append(out.Actions, n.action(&f.Actions[i]))
		}
		for _, m := range f.Muted() {
			out.Muted = append(out.Muted, Muted(m))
		}
		return out, nil
	})
	get(api, "/runs/{run}/evidence", "get-evidence", "On what a finding can be seen", func(_ context.Context, in *struct {
		RunPath
		ID string `query:"id" required:"true" minLength:"1" maxLength:"1000" doc:"RULE/CHECK/N."`
	},
	) (Evidence, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return Evidence{}, err
		}
		run := t.Run()
		named := view.NamedFindings(t.Findings(), run.Clock())
		id := record.CheckIDNow(in.ID)
		for i := range named {
			if named[i].ID == id {
				return s.evidence(t, newNamer(named, t), named[i].Finding)
			}
		}
		return Evidence{}, &missing{fmt.Sprintf("The run has no finding %.200q.", in.ID)}
	})
}

// updateOf is where a finding is on an axis of updates.
func updateOf(t source.Run, f *record.Finding) int64 {
	if f.ModeStep < 0 {
		return -1
	}
	for _, mark := range view.FindingMarks(t, []view.Named{{Finding: f}}) {
		return mark.Update
	}
	return f.ModeStep // a muted one has no mark
}

func (s *Server) evidence(t source.Run, n *namer, f *record.Finding) (Evidence, error) {
	out := Evidence{Format: format1, Finding: n.finding(f), Series: []ShownSeries{}, Source: sourceLines(t, f)}
	out.Suggestion = out.Finding.Edit
	out.Update = updateOf(t, f)
	list, err := view.EvidenceSeries(t, f)
	if err != nil {
		return out, err
	}
	words := view.TensorWords(t.Tensors(), "")
	for _, x := range list {
		out.Series = append(out.Series, ShownSeries{spellAsk(x.Ask), x.Tensor, words(x.Tensor), x.Stat, x.Mode, x.Step, x.Step, number(x.Threshold), x.Comparator})
	}
	return out, nil
}
