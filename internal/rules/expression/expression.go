package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// expression is a rule at work. Each worker is judged for itself.
type expression struct {
	name    string
	text    string
	prog    *program
	modes   [][4]bool // by source
	derived []string  // by source: the derived number that is read; "" for statistics
	stats   []func(*rule.Stats) float64
	steps   int64 // judged steps in a row that make a finding
	message string

	workers []*worker // in order of appearance
	other   []string  // by source: another mode in which it came; "" when in none
	judged  bool      // said true or false at least once
	frame   frame
}

// worker is what is remembered of one worker.
type worker struct {
	name    string
	streak  int64 // judged steps in a row that were true
	sources []members
	fresh   bool // something came at this step
}

// members are the series of one source, in order of appearance.
type members struct {
	list  []*series
	names map[string]int
}

func newExpression(name string, prog *program, p rule.Params) *expression {
	r := &expression{
		name: name, text: oneLine(p.String(Key)), prog: prog, steps: p.Int("for"), message: p.String("message"),
		frame: frame{vars: make([]*series, prog.vars)}, other: make([]string, len(prog.sources)),
	}
	for _, s := range prog.sources {
		r.modes = append(r.modes, s.modesOf(p.String("mode")))
		r.derived = append(r.derived, s.derived())
		r.stats = append(r.stats, statistics[s.stat])
	}
	return r
}

// Select gives one selector for each source.
func (r *expression) Select() []rule.Selector {
	var out []rule.Selector
	for _, s := range r.prog.sources {
		out = append(out, s.selector())
	}
	return out
}

// Step takes in what came, and judges each worker that something came of.
func (r *expression) Step(v *rule.View, rep *rule.Report) {
	for i := range r.prog.sources {
		switch {
		case r.modes[i][v.Mode]:
			r.take(i, v)
		case r.other[i] == "" && len(v.Scalars(i)) > 0:
			r.other[i] = v.Mode.String()
		}
	}
	for _, w := range r.workers {
		if w.fresh {
			w.fresh = false
			r.judge(w, v, rep)
		}
		if rep.Failed != nil {
			return
		}
	}
}

// take adds the points of one source.
func (r *expression) take(source int, v *rule.View) {
	s := &r.prog.sources[source]
	var items []rule.Item
	if s.stat == "" {
		items = v.Scalars(source)
	} else {
		items = v.Tensors(source)
	}
	var w *worker
	next := 0
	for n := range items {
		it := &items[n]
		x := it.Value
		switch {
		case s.stat == "":
		case r.derived[source] != "":
			var ok bool
			if x, ok = it.Number(r.derived[source]); !ok {
				continue
			}
		case it.Stats == nil:
			continue
		default:
			x = r.stats[source](it.Stats)
		}
		if w == nil || w.name != it.Worker {
			w, next = r.worker(it.Worker), 0
		}
		w.fresh = true
		m := &w.sources[source]
		// They come in the same order at every step, nearly always.
		if next >= len(m.list) || m.list[next].name != it.Info.Name {
			next = m.find(it.Info.Name, source, s.pattern != "")
		}
		if r.derived[source] == rule.MedianKey {
			_, m.list[next].approximate = it.Number(rule.MedianErrorKey)
		}
		m.list[next].add(x, v.ModeStep, v.Step, r.prog.window, r.prog.since)
		next++
	}
}

func (m *members) find(name string, source int, many bool) int {
	i, known := m.names[name]
	if !known {
		i = len(m.list)
		m.put(&series{name: name, source: source, many: many})
	}
	return i
}

func (m *members) put(s *series) {
	if m.names == nil {
		m.names = map[string]int{}
	}
	m.names[s.name] = len(m.list)
	m.list = append(m.list, s)
}

func (r *expression) worker(name string) *worker {
	for _, w := range r.workers {
		if w.name == name {
			return w
		}
	}
	w := &worker{name: name, sources: make([]members, len(r.prog.sources))}
	r.workers = append(r.workers, w)
	return w
}

// judge evaluates the expression for one worker. A finding comes when it has
// been true for as many steps as were asked for, and again only after it was
// false.
func (r *expression) judge(w *worker, v *rule.View, rep *rule.Report) {
	f := &r.frame
	*f = frame{worker: w, step: v.Step, modeStep: v.ModeStep, mode: v.Mode.String(), vars: f.vars, scratch: f.scratch}
	holds := r.prog.holds(f)
	if f.err != nil {
		r.unjudged(f, rep)
		return
	}
	r.judged = true
	rep.Inspect(1)
	if !holds {
		w.streak = 0
		return
	}
	if w.streak++; w.streak == r.steps {
		rep.Violate(r.violation(w, v))
	}
}

func (r *expression) unjudged(f *frame, rep *rule.Report) {
	var e *Error
	switch {
	case errors.Is(f.err, errNoData):
		rep.Skip("not_enough_points")
	case errors.Is(f.err, errZero):
		rep.Skip("ratio_to_zero")
	case errors.As(f.err, &e):
		rep.Fail(fmt.Errorf("evaluate expression at step %d of %s: %w; write ratio(a, b) to skip such steps", f.step, f.worker.name, e))
	default:
		rep.Fail(fmt.Errorf("evaluate expression at step %d of %s: %w", f.step, f.worker.name, f.err))
	}
}

func (r *expression) violation(w *worker, v *rule.View) rule.Violation {
	e := &r.frame.evidence
	out := rule.Violation{
		Check: "expression", Worker: w.name, Observed: e.observed, Threshold: e.threshold, Comparator: e.comparator,
		// What the user calls an error is one, also when it shows at one step.
		Steps:   int(max(2, r.steps)),
		Context: map[string]any{"expression": r.text, "steps_in_a_row": w.streak},
	}
	about := ""
	if s := e.subject; s != nil {
		out.Subject = s.name
		about = s.name
		if stat := r.prog.sources[s.source].stat; stat != "" {
			out.Context["statistic"] = stat
			about = stat + " of " + s.name
			if s.approximate {
				out.Context["approximate"] = true
				about = "approximate " + about
			}
		}
	}
	fill := strings.NewReplacer("{subject}", out.Subject, "{observed}", short(e.observed), "{threshold}", short(e.threshold),
		"{step}", strconv.FormatInt(v.ModeStep, 10), "{worker}", w.name)
	if out.Message = fill.Replace(r.message); out.Message == "" {
		out.Message = "It is true that " + r.text
		if e.made && about != "" {
			out.Message += fmt.Sprintf(" (%s: %s", about, short(e.observed))
			if e.comparator != "" {
				out.Message += " " + e.comparator + " " + short(e.threshold)
			}
			out.Message += ")"
		}
		out.Message += "."
	}
	return out
}

func short(x float64) string { return rule.Digits(x) }

// Finish reports what the expression names and never came. When it could not be
// judged at all because of that, the rule has failed.
func (r *expression) Finish(rep *rule.Report) {
	var missing []string
	for i, s := range r.prog.sources {
		if !slices.ContainsFunc(r.workers, func(w *worker) bool { return len(w.sources[i].list) > 0 }) {
			text := s.String()
			if m := r.other[i]; m != "" {
				text += fmt.Sprintf(" (it is there in %s: in_mode(%q))", m, strings.ToLower(m))
			}
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return
	}
	text := "never captured in this run: " + strings.Join(missing, ", ")
	if r.judged {
		rep.Note(text)
		return
	}
	if len(rep.Strings) > 0 {
		rep.NotJudged("strings: " + strings.Join(rep.Strings, ", "))
		return
	}
	rep.Fail(fmt.Errorf("evaluate expression: %s; `vigil show RUN` lists the names there are", text))
}

// savedExpression is the state of the rule.
type savedExpression struct {
	Judged  bool          `json:"judged"`
	Other   []string      `json:"other,omitempty"`
	Workers []savedWorker `json:"workers"`
}

type savedWorker struct {
	Name    string          `json:"name"`
	Streak  int64           `json:"streak"`
	Sources [][]savedSeries `json:"sources"`
}

// Save gives the series and how long the expression has been true.
func (r *expression) Save() ([]byte, error) {
	s := savedExpression{Judged: r.judged, Other: r.other}
	for _, w := range r.workers {
		sw := savedWorker{Name: w.name, Streak: w.streak}
		for i := range w.sources {
			list := []savedSeries{}
			for _, m := range w.sources[i].list {
				list = append(list, m.save(r.prog.window))
			}
			sw.Sources = append(sw.Sources, list)
		}
		s.Workers = append(s.Workers, sw)
	}
	return json.Marshal(s)
}

// Restore takes the state back.
func (r *expression) Restore(state []byte) error {
	var s savedExpression
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("restore expression: %w", err)
	}
	r.judged, r.workers = s.Judged, nil
	copy(r.other, s.Other)
	for _, sw := range s.Workers {
		if len(sw.Sources) != len(r.prog.sources) {
			return fmt.Errorf("restore expression: it reads %d sources, the state has %d", len(r.prog.sources), len(sw.Sources))
		}
		w := r.worker(sw.Name)
		w.streak = sw.Streak
		for i, list := range sw.Sources {
			for _, m := range list {
				if len(m.Values) == 0 || len(m.Values) != len(m.Steps) || len(m.Periods) != len(r.prog.since) {
					return fmt.Errorf("restore expression: the state of %q is not whole", m.Name)
				}
				w.sources[i].put(m.series(i, r.prog.sources[i].pattern != ""))
			}
		}
	}
	return nil
}
