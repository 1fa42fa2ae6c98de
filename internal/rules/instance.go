package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Statuses of a configuration.
const (
	InProgress    = "InProgress"
	NoIssuesFound = "NoIssuesFound"
	IssuesFound   = "IssuesFound"
	StatusError   = "Error"
	Stopped       = "Stopped"
)

// maxDetails is the most characters that a status's details may have.
const maxDetails = 1024

// instance is one configuration of a rule at work.
type instance struct {
	name   string
	asked  string // the rule as the configuration names it
	checks string // which of the rule's checks count, as in Config
	def    *rule.Definition
	params rule.Params
	rule   rule.Rule
	apart  apart // the rule, when it judges in its own time
	sels   []*selection
	texts  map[string]string
	quiet  bool // nobody chose the selectors: that one matches nothing is no news

	start, end int64 // global steps; end -1: none
	workers    []string

	status   string
	closed   bool
	first    string   // first line of the details and the finding in words
	notes    []string // each once
	failure  string
	unjudged string // why it saw too little to judge the job
	seen     bool   // a selected tensor was there
	observed int64
	told     int // sections of the facts that the rule has seen
	behind   bool
	fed      record.Cursor // of a rule that judges in its own time: what it was given
	warned   time.Time
	findings []record.Finding
	counters record.RuleStatus // its counters only

	strings   []string // tensors of strings that its selectors picked
	stringsAt int64    // the last step at which they were counted as skipped, by the frame's count

	report rule.Report
	view   rule.View
	buf    [][]rule.Item // of the workers asked for, by selector and kind of item
}

// start makes an instance; a configuration that is wrong gets status Error.
func (e *Engine) start(c Config) *instance {
	in := &instance{name: c.Configuration, asked: c.Rule, checks: c.Checks, status: InProgress, texts: c.Params, end: -1}
	d, err := resolve(c, e.defs)
	if err != nil {
		in.fail(err)
		return in
	}
	in.def = d
	in.note(d.Notices[strings.TrimSpace(c.Rule)])
	if in.params, err = d.Parse(c.Params); err != nil {
		in.fail(err)
		return in
	}
	in.texts = in.params.Texts()
	in.quiet = in.preset() || !in.chosen()
	in.common(e.opts.Chief)
	if err := in.make(e); err != nil {
		in.fail(err)
	}
	e.startApart(in)
	return in
}

func (in *instance) make(e *Engine) (err error) {
	caught := guard(func() { in.rule, err = in.def.New(in.params) })
	if err == nil {
		err = caught
	}
	if err != nil {
		return err
	}
	for _, sel := range in.rule.Select() {
		s, err := e.selection(sel)
		if err != nil {
			return fmt.Errorf("configure rule %s: %w", in.def.Name, err)
		}
		in.sels = append(in.sels, s)
	}
	in.buf = make([][]rule.Item, 2*len(in.sels))
	return nil
}

// preset reports whether the configuration is the default set's.
func (in *instance) preset() bool {
	if in.def.Default == nil {
		return false
	}
	p, err := in.def.Parse(in.def.Default.Params)
	return err == nil && maps.Equal(p.Texts(), in.texts)
}

// chosen reports whether the user chose which tensors to look at.
func (in *instance) chosen() bool {
	for _, p := range in.def.Parameters {
		if p.Name == "collection_names" || p.Name == "tensor_regex" {
			if t := in.texts[p.Name]; t != p.Default && !(p.Optional && t == "None") {
				return true
			}
		}
	}
	return false
}

// common reads the parameters that every rule has.
func (in *instance) common(chief string) {
	p := in.params
	in.start = p.Int("start_step")
	if p.Has("end_step") {
		in.end = p.Int("end_step")
	}
	for _, w := range p.List("workers") {
		switch w {
		case "all":
			in.workers = nil
			return
		case "chief":
			w = chief
		}
		in.workers = append(in.workers, w)
	}
}

// needs is what the configuration asks of capture.
func (in *instance) needs() (out []plan.Need) {
	if in.def == nil || in.def.Needs == nil || in.broken() {
		return nil
	}
	for _, n := range in.def.Needs(in.params) {
		n.By = in.name
		out = append(out, n)
	}
	return out
}

func (in *instance) broken() bool { return in.status == StatusError }

// live reports whether the rule is still judging.
func (in *instance) live() bool { return in.rule != nil && !in.closed && !in.broken() }

func (in *instance) due(step int64) bool {
	return in.live() && step >= in.start && (in.end < 0 || step < in.end)
}

// inTime reports whether windows that close after a step are the rule's. One that
// judges from the first step on judges what was before it, too.
func (in *instance) inTime(step int64) bool {
	return in.live() && (in.start == 0 || step >= in.start) && (in.end < 0 || step < in.end)
}

// window is a window with the step times and events of the workers asked for.
func (in *instance) window(w *record.Window) *record.Window {
	if in.workers == nil {
		return w
	}
	mine := *w
	mine.Times = slices.DeleteFunc(slices.Clone(w.Times), func(t record.StepTime) bool { return !slices.Contains(in.workers, t.Worker) })
	mine.Events = slices.DeleteFunc(slices.Clone(w.Events), func(e record.Event) bool {
		return e.Worker != "" && !slices.Contains(in.workers, e.Worker)
	})
	return &mine
}

// fail ends the rule; the first failure is the one that is told.
func (in *instance) fail(err error) {
	if !in.broken() {
		in.status, in.failure = StatusError, err.Error()
	}
}

func (in *instance) finish(status string) {
	if in.broken() {
		return
	}
	if !in.seen && len(in.sels) > 0 {
		in.note("no matching tensor was ever saved" + in.within())
	}
	in.close(status)
}

// within says which part of the run the configuration is confined to, "" for
// all of it.
func (in *instance) within() (s string) {
	if in.workers != nil {
		s += " by " + strings.Join(in.workers, ", ")
	}
	if in.start > 0 {
		s += fmt.Sprintf(" from step %d on", in.start)
	}
	if in.end >= 0 {
		s += fmt.Sprintf(" before step %d", in.end)
	}
	return s
}

func (in *instance) close(status string) {
	in.closed = true
	if in.status == InProgress {
		in.status = NoIssuesFound
		if status == record.Stopped {
			in.status = Stopped
		}
	}
}

func (in *instance) note(text string) {
	if text != "" && len(in.notes) < 20 && !slices.Contains(in.notes, text) {
		in.notes = append(in.notes, text)
	}
}

// items gives what a selector selects of the step at hand.
func (in *instance) items(i, kind int, f *frame, t *tensors) []rule.Item {
	out := in.sels[i].items(kind, f, t)
	if err := in.sels[i].err; err != nil {
		in.fail(err)
		return nil
	}
	if in.workers != nil {
		mine := in.buf[2*i+kind][:0]
		for n := range out {
			if slices.Contains(in.workers, out[n].Worker) {
				mine = append(mine, out[n])
			}
		}
		in.buf[2*i+kind], out = mine, mine
	}
	if kind == tensorItems && f.strings && in.apart == nil {
		out = in.withoutStrings(out, f)
	}
	in.seen = in.seen || len(out) > 0
	return out
}

// withoutStrings leaves out what holds strings: a rule judges numbers. Each is
// counted as skipped once at a step.
func (in *instance) withoutStrings(items []rule.Item, f *frame) []rule.Item {
	is := func(it rule.Item) bool {
		return it.Stats == nil && slices.ContainsFunc(it.Derived, func(d rule.Derived) bool { return d.Stat == rule.StringCount })
	}
	if !slices.ContainsFunc(items, is) {
		return items
	}
	mine := slices.Clone(items)
	for _, it := range items {
		if is(it) && (len(in.strings) < maxStrings || slices.Contains(in.strings, it.Info.Name)) {
			in.skipStrings(it.Info.Name, f.count)
		}
	}
	return slices.DeleteFunc(mine, is)
}

// maxStrings bounds the tensors of strings that a configuration names.
const maxStrings = 20

func (in *instance) skipStrings(name string, step int64) {
	if !slices.Contains(in.strings, name) {
		in.strings = append(in.strings, name)
	}
	if in.stringsAt == step {
		return
	}
	in.stringsAt = step
	if in.counters.Skipped == nil {
		in.counters.Skipped = map[string]int64{}
	}
	in.counters.Skipped[rule.SkipStrings]++
}

// statusNow is the status as readers see it.
func (in *instance) statusNow() record.RuleStatus {
	s := in.counters
	s.Rule, s.Configuration, s.Parameters, s.Checks, s.Status = in.asked, in.name, maps.Clone(in.texts), in.checks, in.status
	if in.def != nil {
		s.Rule = in.def.Name
	}
	if s.Parameters == nil {
		s.Parameters = map[string]string{}
	}
	s.Skipped = maps.Clone(s.Skipped)
	if s.Skipped == nil {
		s.Skipped = map[string]int64{}
	}
	var lines []string
	if in.unjudged != "" && s.Findings == 0 && !in.broken() {
		s.NotJudged = in.unjudged
		lines = append(lines, "not judged: "+in.unjudged)
	}
	for _, l := range append([]string{in.first, in.failure}, in.notes...) {
		if l != "" {
			lines = append(lines, l)
		}
	}
	if len(in.strings) > 0 {
		lines = append(lines, "not judged: strings ("+strings.Join(in.strings, ", ")+")")
	}
	if n := s.Skipped[rule.SkipNonFinite]; n > 0 {
		lines = append(lines, fmt.Sprintf("%d tensors were skipped because they hold NaN or infinity: see ExplodingTensor", n))
	}
	s.Details = cut(strings.Join(lines, "\n"), maxDetails)
	return s
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
