package rules

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
	"github.com/vigil-ml/vigil/rule"
)

// Options of an engine.
type Options struct {
	Configs []Config
	// Definitions are rules besides the built-in ones.
	Definitions []*rule.Definition
	Mutes       []Mute
	// Accepted, unless nil, says why a finding is muted besides; "" for those
	// that are not.
	Accepted func(*record.Finding) string
	// OnFinding is called for each new finding, in order, while Observe,
	// Tick or Finish runs. It must not call the engine.
	OnFinding func(record.Finding)
	// OnWarning is told what the user should know about a configuration,
	// such as a pattern that matches nothing; at most once an hour for
	// each. It must not call the engine.
	OnWarning func(configuration, text string)
	// Stored are the findings that are on record already, from before a
	// restart: OnFinding is not called for them again.
	Stored []record.Finding
	// ReadLine is the text of a line of a script, "" where it cannot be known; nil: no
	// finding shows one. It must not call the engine.
	ReadLine func(file string, line int) string
	// Suggest gives the edit of a script that fixes what a finding is about, by what was
	// known when it was made; nil, or its answer, where there is none. It must not call
	// the engine.
	Suggest func(*record.Finding, *record.Facts) *record.Suggestion
	// Now is the clock of findings that no step dates; time.Now when nil.
	Now func() time.Time
	// RunName is the job's name, Chief the worker that speaks for all
	// ("worker_0" when empty).
	RunName string
	Chief   string
	// Resumed are the times at which the job was started again after a
	// pause: what lies before each of them is no silence.
	Resumed []time.Time
	// Raw reads stored values of a mode step; Trial opens other runs. Both
	// may be nil.
	Raw   func(worker, tensor string, mode record.Mode, modeStep int64) (rule.Values, error)
	Trial func(name string) (rule.Trial, error)
	// Document writes a document about the run that a rule asks for, by kind;
	// nil: nobody writes any. It must not call the engine.
	Document func(kind string) error

	// OnDetail is told the kind of a window of detail that would help a rule to
	// judge; nil: there is nobody to ask. It must not call the engine.
	OnDetail func(kind string)

	// Python is what rules that are Python classes run with; nil: they cannot.
	// Raw has to bear calls from several goroutines then.
	Python *pyrule.Host
	// OnPrint is told the lines that such a rule prints, from any goroutine.
	OnPrint func(configuration, line string)
	// Patient makes Observe wait for such rules when they are slow, which suits
	// a replay. Otherwise they fall behind: see Behind.
	Patient bool
}

// Engine runs configurations of rules over complete steps. Its methods may be
// called by several goroutines.
type Engine struct {
	mu      sync.Mutex
	opts    Options
	defs    []*rule.Definition
	mutes   []mute
	tensors *tensors
	aliases map[string][]int32 // first name -> ids of its other names
	frame   frame
	runs    []*instance
	sels    map[string]*selection // by selector; those that are equal are one
	stored  map[string]int
	tooDear map[string]bool // patterns of mutes that gave up, once each
	facts   *record.Facts
	turn    int64      // the step from which on there is more of the facts to tell
	phase   int        // trainings that have begun after the first
	telling bool       // the rules look at facts
	here    rule.Point // the step observed last
	windows int64      // index of the window that is judged next
	when    time.Time  // the end of the window at hand; zero at a step
	begun   bool
	over    bool
}

// NewEngine makes an engine. A configuration that is wrong gets the status
// Error and harms nobody; use Check to refuse it before anything starts. The
// error is for options that cannot be, such as a broken mute pattern.
func NewEngine(o Options) (*Engine, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Chief == "" {
		o.Chief = "worker_0"
	}
	e := &Engine{
		opts: o, defs: slices.Concat(Catalogue(), o.Definitions), tensors: newTensors(),
		aliases: map[string][]int32{}, sels: map[string]*selection{}, tooDear: map[string]bool{}, stored: map[string]int{}, here: rule.Point{Step: -1, ModeStep: -1},
	}
	for _, m := range o.Mutes {
		c, err := compileMute(m)
		if err != nil {
			return nil, err
		}
		e.mutes = append(e.mutes, c)
	}
	for _, f := range o.Stored {
		e.stored[Key(f)]++
	}
	for _, c := range distinct(o.Configs) {
		e.runs = append(e.runs, e.start(c))
	}
	return e, nil
}

// Close ends the processes of rules that have any. Finish does it as well.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, in := range e.runs {
		if in.apart != nil {
			in.apart.Close()
			in.behind = false
		}
	}
}

// selection gives the selection of a selector, which configurations share.
func (e *Engine) selection(sel rule.Selector) (*selection, error) {
	b, err := json.Marshal(sel)
	if err != nil {
		return nil, fmt.Errorf("select tensors: %w", err)
	}
	s := e.sels[string(b)]
	if s == nil {
		if s, err = newSelection(sel); err != nil {
			return nil, err
		}
		e.sels[string(b)] = s
	}
	return s, nil
}

// Needs gives what the configurations ask of capture.
func (e *Engine) Needs() []plan.Need {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []plan.Need
	for _, in := range e.runs {
		out = append(out, in.needs()...)
	}
	return out
}

// Announce reports what tensors are, before their first value.
func (e *Engine) Announce(worker string, infos []record.TensorInfo) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var news []record.TensorInfo
	for _, info := range infos {
		id, changed := e.tensors.announce(info)
		if !changed {
			continue
		}
		news = append(news, info)
		if info.AliasOf != "" {
			e.aliases[info.AliasOf] = append(e.aliases[info.AliasOf], id)
		}
		for _, s := range e.sels {
			s.forget(id)
			for _, other := range e.aliases[info.Name] {
				s.forget(other)
			}
		}
	}
	for _, in := range e.runs {
		if in.apart != nil && in.live() {
			in.apart.Announce(news)
		}
	}
}

// Facts takes what is known of the training so far, all of it each time. The
// rules see each section from the step on that it names.
func (e *Engine) Facts(f *record.Facts) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f != nil {
		e.facts, e.turn = f, 0
	}
}

// tell gives the rules the facts that a step may be judged by, when there are
// some that they have not seen. A rule that judges from a later step on is told
// of them there.
func (e *Engine) tell(step int64) {
	if e.facts == nil || step < e.turn {
		return
	}
	f := e.facts.Until(step)
	e.turn = e.facts.After(step)
	sections := f.Sections()
	e.telling = true
	for _, in := range e.runs {
		r, ok := in.rule.(rule.FactReader)
		if !ok || !in.live() || len(sections) == in.told { // a section never goes away
			continue
		}
		if step < in.start {
			e.turn = min(e.turn, in.start)
			continue
		}
		in.told = len(sections)
		e.act(in, func(rep *rule.Report) { r.Facts(f, rep) })
	}
	e.telling = false
}

// Observe judges one complete step. A step that is not after the last one is
// ignored, so a run may be fed again from its beginning.
func (e *Engine) Observe(c *record.Complete) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.Step <= e.here.Step || e.over || len(c.Parts) == 0 {
		return
	}
	e.pause(c.Time)
	last := e.here.Step
	e.here = rule.Point{Step: c.Step, Mode: c.Mode, ModeStep: c.ModeStep, Time: c.Time}
	e.begun = true
	e.renew(last)
	e.tell(c.Step)
	e.frame.load(c, e.tensors)
	for _, in := range e.runs {
		if in.apart != nil {
			e.observeApart(in, c)
			continue
		}
		if in.due(c.Step) {
			e.act(in, func(r *rule.Report) { in.rule.Step(e.view(in, c), r) })
			in.observed++
			e.warnIdle(in)
		}
	}
}

// ReadsWindows reports whether there is a rule that judges windows of time.
func (e *Engine) ReadsWindows() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.runs, func(in *instance) bool {
		_, reads := in.rule.(rule.WindowReader)
		return reads && in.live()
	})
}

// Window judges one window of time. One that is not after the last one is ignored.
// What rules find in it is dated by its end, at the step observed last.
func (e *Engine) Window(w *record.Window) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.Index < e.windows || e.over {
		return
	}
	e.windows, e.when = w.Index+1, w.To
	for _, in := range e.runs {
		if r, ok := in.rule.(rule.WindowReader); ok && in.inTime(e.here.Step) {
			e.act(in, func(rep *rule.Report) { r.Window(in.window(w), rep) })
		}
	}
	e.when = time.Time{}
}

// Tick lets the rules that look at the clock look at it, and takes what came of
// those that judge in their own time.
func (e *Engine) Tick(now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pause(now)
	for _, in := range e.runs {
		e.collect(in)
		if t, ok := in.rule.(rule.Ticker); ok && in.live() && !e.over {
			e.act(in, func(r *rule.Report) { t.Tick(now, r) })
		}
	}
}

// pause tells rules that look at the clock of the pauses that have ended since
// the last step.
func (e *Engine) pause(now time.Time) {
	for _, at := range e.opts.Resumed {
		if !at.After(e.here.Time) || at.After(now) {
			continue
		}
		for _, in := range e.runs {
			if p, ok := in.rule.(rule.Pauser); ok && in.live() {
				p.Paused(at)
			}
		}
	}
}

// Finish ends all rules; status is the run's (record.Completed, …). In a
// replay, call Tick with the recorded end of the run first.
func (e *Engine) Finish(status string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	e.over = true
	if e.begun { // facts without a step are no training
		e.tell(math.MaxInt64)
	}
	for _, in := range e.runs {
		e.drain(in, status)
		if in.live() {
			e.act(in, func(r *rule.Report) {
				r.Cut = status == record.Stopped || status == record.Failed || status == record.Lost
				in.rule.Finish(r)
			})
			in.finish(status)
		}
	}
}

// Statuses says where each configuration stands.
func (e *Engine) Statuses() []record.RuleStatus {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]record.RuleStatus, 0, len(e.runs))
	for _, in := range e.runs {
		out = append(out, in.statusNow())
	}
	return out
}

// Judging is how many configurations have judged something.
func (e *Engine) Judging() (n int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, in := range e.runs {
		if in.counters.Datapoints > 0 || in.counters.Findings > 0 {
			n++
		}
	}
	return n
}

// Turned gives the statuses that are not those in told, by configuration; one that is
// not there counts as in progress. A status never goes back to that.
func (e *Engine) Turned(told map[string]string) []record.RuleStatus {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []record.RuleStatus
	for _, in := range e.runs {
		if in.status != InProgress && in.status != told[in.name] {
			out = append(out, in.statusNow())
		}
	}
	return out
}

// Findings gives all findings of this engine, in the order in which they came.
func (e *Engine) Findings() []record.Finding {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.findings()
}

func (e *Engine) findings() []record.Finding {
	var out []record.Finding
	for _, in := range e.runs {
		out = append(out, in.findings...)
	}
	slices.SortStableFunc(out, func(a, b record.Finding) int { return int(max(-1, min(1, a.Step-b.Step))) })
	return out
}

// Groups gives the findings by root cause, the most serious first. Muted
// findings are left out.
func (e *Engine) Groups() []record.Group {
	e.mu.Lock()
	defer e.mu.Unlock()
	return group(e.findings(), e.defs, e.facts)
}

// Cursor is the global step that was observed last; -1 before the first.
func (e *Engine) Cursor() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.here.Step
}

// act runs one piece of one rule and takes in what it reports. A rule that
// panics gets the status Error; nobody else notices.
func (e *Engine) act(in *instance, f func(*rule.Report)) {
	r := &in.report
	*r = rule.Report{Violations: r.Violations[:0], Notes: r.Notes[:0], Strings: in.strings}
	err := guard(func() { f(r) })
	e.take(in, r)
	for _, kind := range r.Documents {
		if e.opts.Document == nil {
			break
		}
		if err := e.opts.Document(kind); err != nil {
			in.fail(err)
		}
	}
	if r.Failed != nil {
		in.fail(r.Failed)
	}
	if err != nil {
		in.fail(fmt.Errorf("evaluate rule %s at step %d: %w", in.name, e.here.Step, err))
	}
}

func guard(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the rule panicked: %v", p)
		}
	}()
	f()
	return nil
}

// view is the step at hand as one configuration sees it.
func (e *Engine) view(in *instance, c *record.Complete) *rule.View {
	in.view = rule.View{Step: c.Step, Mode: c.Mode, ModeStep: c.ModeStep, Time: c.Time, Skipped: e.frame.skipped, Data: in.view.Data}
	if in.view.Data.Tensors == nil {
		in.view.Data = rule.Data{
			Tensors: func(i int) []rule.Item { return in.items(i, tensorItems, &e.frame, e.tensors) },
			Scalars: func(i int) []rule.Item { return in.items(i, scalarItems, &e.frame, e.tensors) },
			Trial:   e.opts.Trial,
		}
		if e.opts.Raw != nil {
			in.view.Data.Raw = func(worker, tensor string) (rule.Values, error) {
				return e.opts.Raw(worker, tensor, e.here.Mode, e.here.ModeStep)
			}
			in.view.Data.RawAt = e.opts.Raw
		}
	}
	return &in.view
}
