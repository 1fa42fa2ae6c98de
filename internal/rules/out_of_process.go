package rules

import (
	"errors"
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
	"github.com/vigil-ml/vigil/rule"
)

// apart is a rule that judges in its own time, in another process: Step hands a
// step over, and what comes of it is taken later. It places its findings itself.
// What it remembers cannot be saved; after a restart it is fed again.
type apart interface {
	rule.Rule
	Start(pyrule.Host)
	Announce([]record.TensorInfo)
	Take(*rule.Report) bool // the report of the oldest step that was judged and not taken
	Room() bool             // another step can be handed over
	Wait()                  // until there is room
	Drain(status string)    // until all are judged; nothing may be handed over afterwards
	Close()
}

// startApart lets a rule that judges in its own time begin.
func (e *Engine) startApart(in *instance) {
	a, is := in.rule.(apart)
	if !is {
		return
	}
	in.apart, in.fed = a, record.NewCursor()
	if !in.live() {
		return
	}
	if e.opts.Python == nil {
		in.fail(errors.New("start the rule: rules in Python cannot be run here"))
		return
	}
	h := *e.opts.Python
	h.Raw, h.Configuration = e.opts.Raw, in.name
	if e.opts.OnPrint != nil {
		h.Said = func(line string) { e.opts.OnPrint(in.name, line) }
	}
	a.Start(h)
}

// observeApart hands a step over, unless the rule is behind, and takes what
// came of earlier ones.
func (e *Engine) observeApart(in *instance, c *record.Complete) {
	if in.live() && !in.behind {
		if e.opts.Patient {
			in.apart.Wait()
		}
		if in.apart.Room() {
			e.feed(in, c)
		} else {
			in.behind = true
		}
	}
	e.collect(in)
	e.warnIdle(in)
}

// feed hands a step over. The frame holds it.
func (e *Engine) feed(in *instance, c *record.Complete) {
	if in.due(c.Step) {
		e.act(in, func(r *rule.Report) { in.rule.Step(e.view(in, c), r) })
		in.observed++
	}
	in.fed.Step = c.Step
	in.fed.ModeSteps[c.Mode] = max(c.ModeStep, in.fed.ModeSteps[c.Mode])
}

// collect takes what came of the steps that were handed over.
func (e *Engine) collect(in *instance) {
	if in.apart == nil {
		return
	}
	was := in.broken()
	for more := true; more && in.live(); {
		e.act(in, func(r *rule.Report) { more = in.apart.Take(r) })
	}
	if in.broken() && !was && e.opts.OnWarning != nil {
		e.opts.OnWarning(in.name, "the rule no longer runs: "+in.failure)
	}
	if !in.live() {
		in.behind = false
		in.apart.Close()
	}
}

// drain waits for all that was handed over, at the end of the job.
func (e *Engine) drain(in *instance, status string) {
	if in.apart == nil {
		return
	}
	if in.live() {
		in.apart.Drain(status)
	}
	e.collect(in)
}

// Behind reports whether there are rules that have not been given all the steps
// that were observed, because they begin again after a restart or are slow, and
// the place from which on they need them.
func (e *Engine) Behind() (from record.Cursor, behind bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, in := range e.runs {
		if in.behind && (!behind || in.fed.Step < from.Step) {
			from, behind = in.fed.Clone(), true
		}
	}
	return from, behind
}

// CatchUp gives a step that was observed before to the rules that are behind,
// and waits for those that are slow. Findings come with the next Observe, Tick
// or Finish. It may run next to these.
func (e *Engine) CatchUp(c *record.Complete) {
	for _, a := range e.slow() {
		a.Wait()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.Step > e.here.Step || e.over || len(c.Parts) == 0 {
		return
	}
	loaded := false
	for _, in := range e.runs {
		if in.apart == nil || !in.behind || c.Step <= in.fed.Step {
			continue
		}
		if !loaded {
			e.frame.load(c, e.tensors)
			loaded = true
		}
		e.feed(in, c)
		in.behind = in.fed.Step < e.here.Step
	}
}

func (e *Engine) slow() (list []apart) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, in := range e.runs {
		if in.apart != nil && in.behind {
			list = append(list, in.apart)
		}
	}
	return list
}

// GiveUp lets the rules that are behind go on without what they missed, and
// say so.
func (e *Engine) GiveUp(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, in := range e.runs {
		if in.behind {
			in.behind = false
			in.note(fmt.Sprintf("the steps after %d up to %d were not judged: %v", in.fed.Step, e.here.Step, why))
		}
	}
}
