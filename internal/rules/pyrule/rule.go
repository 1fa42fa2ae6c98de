package pyrule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/feed"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Host is what the process of a rule gets from where it runs.
type Host struct {
	Python string // the interpreter of rules that name none
	Lib    string // the directory that holds the package vigil
	Binary string // the vigil program, for rules that open other runs; may be empty
	Run    string // the run's name
	Path   string // the run's directory
	// Other gives the directory of another run by name or path; nil: only
	// paths.
	Other func(name string) (path string, err error)
	// Folder gives the folder that a configuration of a rule may write files
	// into, made by the rule when it wants it; nil: there is none.
	Folder func(configuration string) string
	// Configuration is the rule's.
	Configuration string
	// Raw reads stored values; nil: there are none. It is called by another
	// goroutine than the rule's methods.
	Raw func(worker, tensor string, mode record.Mode, modeStep int64) (rule.Values, error)
	// Said is told a line that the rule has printed; nil: nobody hears it. It
	// is called by other goroutines.
	Said func(line string)
	// Context ends the rule when it is done; nil: it ends when it is closed.
	Context context.Context
}

// Rule is a Python class at work. It judges in its own time: Step hands over,
// and Take gives what came of earlier steps.
type Rule struct {
	def    *rule.Definition
	params rule.Params
	memory int64
	own    []rule.Parameter

	enc     *feed.Encoder
	process *process // nil before Start

	mu      sync.Mutex
	change  sync.Cond
	ahead   []point    // steps that were handed over and not judged yet
	results []outcome  // not taken yet
	last    rule.Point // the step that was judged last
	over    bool       // nothing more comes

	judged, passed int64  // steps
	missing        string // what the step that was passed over last lacked
}

// point is a step as results are placed at.
type point struct {
	rule.Point
	bytes int
}

// outcome is what came of one step; or the end, with what went wrong.
type outcome struct {
	at   rule.Point
	said *message
	last bool
	err  error
}

func newRule(d *rule.Definition, p rule.Params, memory int64, own []rule.Parameter) *Rule {
	r := &Rule{def: d, params: p, memory: memory, own: own, enc: feed.NewEncoder()}
	r.change.L = &r.mu
	return r
}

// Select names what the rule looks at.
func (r *Rule) Select() []rule.Selector { return []rule.Selector{reads(r.params)} }

// Start starts the process. It does not wait for it; what keeps the process
// from starting comes by Take.
func (r *Rule) Start(h Host) {
	if err := r.start(h); err != nil {
		r.end(fmt.Errorf("start the rule: %w", err))
	}
}

func (r *Rule) start(h Host) error {
	python := r.params.String("python")
	if python == "" {
		python = h.Python
	}
	if python == "" {
		return errors.New("no Python interpreter was found; name one with python: in the rule's configuration")
	}
	others := []string{}
	for _, name := range r.params.List("other_trials") {
		if h.Other != nil {
			path, err := h.Other(name)
			if err != nil {
				return err
			}
			name = path
		}
		others = append(others, name)
	}
	own := map[string]string{}
	for _, p := range r.own {
		own[p.Name] = r.params.String(p.Name)
	}
	settings := map[string]string{} // for classes that have parameters of these names
	for _, p := range r.def.AllParameters() {
		if _, is := own[p.Name]; !is && p.Name != "other_trials" && (r.params.Given(p.Name) && r.params.Has(p.Name)) {
			settings[p.Name] = r.params.Texts()[p.Name]
		}
	}
	folder := ""
	if h.Folder != nil {
		folder = h.Folder(h.Configuration)
	}
	first, err := feed.JSON(feed.Config, map[string]any{
		"source": r.params.String(Key), "class": r.def.Class, "parameters": own, "settings": settings, "run": h.Run, "path": h.Path,
		"max_memory": r.memory, "other_trials": others, "folder": folder,
	})
	if err != nil {
		return err
	}
	r.process, err = startProcess(command{
		python: python, lib: h.Lib, binary: h.Binary, source: r.params.String(Key), seconds: seconds(r.params), raw: h.Raw, said: h.Said,
	}, r)
	if err != nil {
		return err
	}
	r.process.send(first, false)
	if h.Context != nil {
		context.AfterFunc(h.Context, r.Close)
	}
	return nil
}

// Announce reports what tensors are.
func (r *Rule) Announce(infos []record.TensorInfo) {
	if r.process == nil || len(infos) == 0 {
		return
	}
	if b, err := feed.JSON(feed.Names, infos); err == nil {
		r.process.send(b, false)
	}
}

// Step hands a step over, if there is anything in it that the rule looks at.
func (r *Rule) Step(v *rule.View, _ *rule.Report) {
	if r.process == nil || r.Over() {
		return
	}
	r.enc.Begin(v.Step, v.Mode, v.ModeStep, v.Time)
	for _, it := range v.Scalars(0) {
		r.enc.Scalar(it.Worker, it.Info, it.Value)
	}
	for _, it := range v.Tensors(0) {
		stats := it.Stats
		if n, is := it.Number(rule.StringCount); is && stats == nil {
			stats = feed.Strings(n)
		}
		if stats != nil {
			r.enc.Tensor(it.Worker, it.Info, stats, it.Stored)
			for i := range it.Derived {
				r.enc.Derived(it.Worker, it.Info, &it.Derived[i])
			}
		}
	}
	if r.enc.Empty() {
		return
	}
	b, err := r.enc.Frame()
	if err != nil {
		r.end(fmt.Errorf("hand over step %d: %w", v.Step, err))
		return
	}
	r.mu.Lock()
	r.ahead = append(r.ahead, point{rule.Point{Step: v.Step, Mode: v.Mode, ModeStep: v.ModeStep, Time: v.Time}, len(b)})
	r.mu.Unlock()
	r.process.send(b, true)
}

// How much may wait for the process.
const (
	maxAhead      = 256
	maxAheadBytes = 64 << 20
)

func (r *Rule) room() bool {
	n := 0
	for _, p := range r.ahead {
		n += p.bytes
	}
	return r.over || len(r.ahead) < maxAhead && n < maxAheadBytes
}

// Room reports whether another step can be handed over without letting too many
// wait.
func (r *Rule) Room() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.room()
}

// Wait returns when there is room.
func (r *Rule) Wait() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.room() {
		r.change.Wait()
	}
}

// Over reports whether the process has come to its end, good or bad.
func (r *Rule) Over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}

// Drain says that no step follows, and returns when all are judged.
func (r *Rule) Drain(status string) {
	if r.process == nil {
		return
	}
	if b, err := feed.JSON(feed.End, map[string]string{"status": status}); err == nil {
		r.process.send(b, true)
	}
	r.mu.Lock()
	for !r.over {
		r.change.Wait()
	}
	r.mu.Unlock()
	r.process.kill()
}

// Close ends the process at once, and waits a moment for what it has printed
// before.
func (r *Rule) Close() {
	r.end(nil)
	if r.process != nil {
		r.process.kill()
		select {
		case <-r.process.read:
		case <-time.After(2 * lastWords):
		}
	}
}

// Take gives the report of the oldest step that was judged and not taken; false
// when there is none.
func (r *Rule) Take(rep *rule.Report) bool {
	r.mu.Lock()
	if len(r.results) == 0 {
		r.mu.Unlock()
		return false
	}
	o := r.results[0]
	r.results = r.results[1:]
	r.mu.Unlock()
	if o.err != nil {
		rep.Fail(o.err)
		return true
	}
	r.report(o, rep)
	return true
}

// report turns what the process said into a report.
func (r *Rule) report(o outcome, rep *rule.Report) {
	m := o.said
	for _, note := range m.Notes {
		rep.Note(note)
	}
	if !o.last {
		rep.Inspect(int(m.Datapoints))
		if m.Skip != "" {
			rep.Skip(m.Skip)
			r.passed++
			r.missing = m.Why
		} else {
			r.judged++
		}
	}
	for i := range m.Findings {
		v := r.violation(&m.Findings[i], o.at)
		if !o.last {
			v.At = &o.at
		}
		rep.Violate(v)
	}
	if m.Over {
		rep.Close("")
	}
}

func (r *Rule) violation(f *found, at rule.Point) rule.Violation {
	v := rule.Violation{
		Check: f.Check, Subject: f.Subject, Worker: f.Worker, Comparator: f.Comparator, Message: f.Message,
		Severity: rule.Severity(f.Severity), CauseClass: f.CauseClass, Cause: f.Cause, Remedy: f.Remedy, Context: f.Context,
		// What the user calls an error is one, also when it shows at one step.
		Steps: 2,
	}
	if f.Observed != nil {
		v.Observed = float64(*f.Observed)
	}
	if f.Threshold != nil {
		v.Threshold = float64(*f.Threshold)
	}
	if v.Check == "" {
		v.Check = "finding"
	}
	if v.Message == "" {
		about := ""
		if v.Subject != "" {
			about = " on " + v.Subject
		}
		v.Message = fmt.Sprintf("The class %s fired%s at %s step %d.", r.def.Class, about, at.Mode, at.ModeStep)
	}
	return v
}

// Finish reports what the steps lacked that were passed over. A rule that could
// judge none of them has failed.
func (r *Rule) Finish(rep *rule.Report) {
	if r.passed == 0 {
		return
	}
	if r.judged == 0 {
		rep.Fail(fmt.Errorf("it could not judge any of %d steps: %s", r.passed, r.missing))
		return
	}
	rep.Note(fmt.Sprintf("skipped %d of %d steps, the last because %s", r.passed, r.passed+r.judged, r.missing))
}

// Save has nothing to save: what a rule in Python remembers is in its process.
// After a restart it is fed again from the beginning.
func (r *Rule) Save() ([]byte, error) { return []byte("null"), nil }

// Restore begins again.
func (r *Rule) Restore([]byte) error { return nil }

// done takes what the process said of the oldest step.
func (r *Rule) done(m *message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return nil
	}
	if len(r.ahead) == 0 || r.ahead[0].Step != m.Step {
		return fmt.Errorf("it reported on step %d, which was not being judged", m.Step)
	}
	o := outcome{at: r.ahead[0].Point, said: m}
	r.ahead, r.last = r.ahead[1:], o.at
	r.add(o)
	if m.Over {
		r.over, r.ahead = true, nil
	}
	return nil
}

// add keeps an outcome until it is taken.
func (r *Rule) add(o outcome) {
	r.results = append(r.results, o)
	r.change.Broadcast()
}

// bye takes the last word of the process.
func (r *Rule) bye(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.over, r.ahead = true, nil
	r.add(outcome{at: r.last, said: m, last: true})
}

// end says that nothing more comes, because of an error unless it is nil. The
// first end counts.
func (r *Rule) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.over, r.ahead = true, nil
	if err != nil {
		r.add(outcome{err: err})
	}
	r.change.Broadcast()
}

// failedAt makes a text the end. A rule that has been started was at the oldest
// step that is not judged.
func (r *Rule) failedAt(text string, started bool) {
	r.mu.Lock()
	where := ""
	if started && len(r.ahead) > 0 {
		where = fmt.Sprintf("at step %d: ", r.ahead[0].Step)
	}
	r.mu.Unlock()
	r.end(errors.New(where + strings.TrimSpace(text)))
}
