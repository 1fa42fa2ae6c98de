package slow

import (
	"encoding/json"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

// Compiler is how the compiler of the framework stood at a time: the facts of an
// event of it, sums since the process began.
type Compiler struct {
	Compiled
	File   string `json:"file"` // of what was compiled most often of late
	Line   int    `json:"line"`
	Reason string `json:"reason"` // why something was compiled again, the last time

	Course []Compiling `json:"course,omitempty"` // from event to event, of this one and those before
}

// Compiled is what a compiler did.
type Compiled struct {
	Updates      int64   `json:"steps"` // between the events that tell
	Compilations int64   `json:"compilations"`
	Seconds      float64 `json:"seconds"`
	GraphBreaks  int64   `json:"graph_breaks"`
	Early        float64 `json:"early,omitempty"` // seconds that it compiled in the first updates
}

// Compiling are the seconds of compilation up to a time of the training, in seconds.
type Compiling struct {
	Until   float64 `json:"until"`
	Seconds float64 `json:"seconds"`
}

// mostCompiling is how many of them are kept. When there are more, neighbours become one.
const mostCompiling = 64

func (c *Compiled) add(o Compiled) {
	c.Updates += o.Updates
	c.Compilations += o.Compilations
	c.Seconds += o.Seconds
	c.GraphBreaks += o.GraphBreaks
	c.Early += o.Early
}

// since is what was done since an earlier event. What the first one tells was done in
// the first updates; so was it where sums fall, since another process sent them.
func (c *Compiler) since(before *Compiler) Compiled {
	if before == nil && c.Updates > firstSteps {
		return Compiled{Early: c.Seconds * (1 - firstSteps/float64(c.Updates))} // some are not judged
	}
	if before == nil || c.Updates < before.Updates || c.Compilations < before.Compilations || c.Seconds < before.Seconds {
		return Compiled{Early: c.Seconds}
	}
	return Compiled{
		Updates: c.Updates - before.Updates, Compilations: c.Compilations - before.Compilations, Seconds: c.Seconds - before.Seconds,
		GraphBreaks: max(0, c.GraphBreaks-before.GraphBreaks),
	}
}

// later is the share of the time of compilations that is in the later half of a
// training, as long as it has gone on after the first event.
func (c *Compiler) later(trained float64) float64 {
	if len(c.Course) == 0 {
		return 0
	}
	half := (c.Course[0].Until + trained) / 2
	var all, later float64
	for _, x := range c.Course {
		all += x.Seconds
		if x.Until > half {
			later += x.Seconds
		}
	}
	if all <= 0 {
		return 0
	}
	return later / all
}

// compiler takes an event of the chief's compiler in a window.
func (r *slow) compiler(s *Span, w *rule.Window, e *rule.Event) {
	var c Compiler
	if e.Kind != rule.CompilerEvent || e.Worker != r.state.Chief || json.Unmarshal(e.Facts, &c) != nil {
		return
	}
	done := c.since(r.state.Compiler)
	s.Compiled.add(done)
	c.Course = nil
	if r.state.Compiler != nil {
		c.Course = r.state.Compiler.Course
	}
	c.Course = append(c.Course, Compiling{r.trained(w, e.End), done.Seconds})
	if len(c.Course) > mostCompiling {
		half := c.Course[:1] // the first is where it begins
		for i := 1; i+1 < len(c.Course); i += 2 {
			half = append(half, Compiling{c.Course[i+1].Until, c.Course[i].Seconds + c.Course[i+1].Seconds})
		}
		c.Course = half
	}
	r.state.Compiler = &c
}

// trained is how long the chief has trained by a time in a window, in seconds.
func (r *slow) trained(w *rule.Window, at time.Time) float64 {
	seconds := r.state.All.Seconds
	for i := range w.Times {
		if t := &w.Times[i]; t.Worker == r.state.Chief && !t.End.After(at) {
			seconds += time.Duration(t.Total()).Seconds()
		}
	}
	return seconds
}
