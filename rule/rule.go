// Package rule says what a rule is: a definition (name, parameters, what it
// needs, what it knows about causes) and a small state machine that is fed one
// complete step at a time. The built-in rules are written against this package
// and nothing else, and so can rules in other modules be.
//
// The same input gives the same findings, live or replayed, however often the
// evaluator is stopped and started again: a rule therefore keeps all that it
// remembers in a state that Save and Restore carry, reads no clock, and looks
// at nothing but the view it is given.
package rule

import "time"

// Family reports what a rule reads.
type Family string

// Families of rules.
const (
	Tensors Family = "tensors" // values captured in the training process
	Metrics Family = "metrics" // machine and framework metrics
)

// Definition is a rule as data: what "vigil rules describe", the documentation
// page and the messages are made of, and the two functions that bring it to
// life.
type Definition struct {
	Name    string   // snake_case, the spelling of files, events and reports
	Class   string   // class name, as SageMaker Debugger spells it where it has the rule
	Aliases []string // further spellings that are accepted
	// Notices say, of spellings that are another rule's elsewhere, what the rule is
	// here. They stand in the details of its status.
	Notices  map[string]string
	Family   Family
	Severity Severity // of its findings, unless a finding says otherwise
	Summary  string   // one sentence: what it detects
	Why      string   // one or two sentences: why that matters
	// Frameworks it applies to; empty means all. It is advice for the
	// default set and the documentation, never a block.
	Frameworks []string
	Parameters []Parameter

	Causes   []string // likely causes, likeliest first
	Remedies []string // what to try, first thing first
	Asks     []Advice // what Remedies ask for
	// CauseClass is the kind of the likeliest cause, of the closed list
	// that CauseClasses gives.
	CauseClass string
	// Checks are what it finds. A rule that names none, such as one of the
	// user's own, may call its findings anything.
	Checks []Check
	// Explains names rules, or single checks as "rule/check", whose later
	// findings are symptoms of this one's; ExplainsAlways those whose earlier
	// findings are, too.
	Explains       []string
	ExplainsAlways []string
	// ExplainsBy are further rules whose later findings are symptoms of one
	// check's, by the name of the check.
	ExplainsBy map[string][]string
	// ExplainsAlwaysBy are those whose earlier findings are symptoms of one
	// check's, too.
	ExplainsAlwaysBy map[string][]string

	// Lacks says of a training that gives the rule nothing to judge what it
	// does not have: "gradients are not clipped". It may be empty.
	Lacks string

	// Example is a configuration that does for a rule whose defaults say too
	// little to judge by (a limit, another run); nil when they suffice. Such a
	// rule runs only when it is asked for by name.
	Example map[string]string

	// Default is how the rule takes part in the default set; nil when it
	// does not. Its thresholds are explained in Default.Why.
	Default *Preset

	// Needs reports what has to be captured; the engine fills in By. A rule
	// that judges what is there anyway returns nothing.
	Needs func(Params) []Need
	// New makes one configuration of the rule. It checks what concerns
	// several parameters together; each alone was checked before.
	New func(Params) (Rule, error)
}

// Preset is a configuration under which a healthy training is silent.
type Preset struct {
	Params map[string]string
	Why    string // why these thresholds
}

// Rule is one running configuration.
type Rule interface {
	// Select names the tensors it looks at. It is asked once; View.Tensors
	// and View.Scalars take an index into the answer.
	Select() []Selector
	// Step judges one complete step. Steps come in increasing global
	// order, each once.
	Step(v *View, r *Report)
	// Finish is called at the end of the job, for rules that judge
	// partial windows.
	Finish(r *Report)
	// Save gives the state as JSON, Restore takes it back.
	Save() ([]byte, error)
	Restore(state []byte) error
}

// Ticker is a rule that looks at the clock. Tick comes between steps, live at
// least once a second, in a replay with the times that were recorded.
type Ticker interface {
	Tick(now time.Time, r *Report)
}

// WindowReader is a rule that judges time: machine metrics, where the time of
// steps went, and events. Windows come in their order, each once, between the
// steps, live and in a replay at the same places among them. A window belongs to
// the engine, as a view does.
type WindowReader interface {
	Window(w *Window, r *Report)
}

// Pauser is a rule that looks at the clock and is told when the job, which had
// ended, was started again: before that nothing could come.
type Pauser interface {
	Paused(until time.Time)
}

// Applies reports whether the rule is meant for a framework; an unknown ("")
// framework is every rule's.
func (d *Definition) Applies(framework string) bool {
	if len(d.Frameworks) == 0 || framework == "" {
		return true
	}
	for _, f := range d.Frameworks {
		if f == framework {
			return true
		}
	}
	return false
}

// Frameworks with layers and gradients.
var DeepLearning = []string{"pytorch", "tensorflow", "keras", "mxnet", "go"}
