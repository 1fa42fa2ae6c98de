package rules

import (
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Mute hides findings that the user knows of: they are kept, marked, and
// count for nothing.
type Mute struct {
	Rule    string // any spelling, or the name of a configuration; "" means every rule
	Subject string // Python regular expression searched in the subject; "" means every subject
	Reason  string
}

// Options of an engine.
type Options struct {
	Configs []Config
	// Definitions are rules besides the built-in ones.
	Definitions []*rule.Definition
	Mutes       []Mute
	// OnFinding is called for each new finding, in order, while Observe,
	// Tick or Finish runs. It must not call the engine.
	OnFinding func(record.Finding)
	// OnWarning is told what the user should know about a configuration,
	// such as a pattern that matches nothing; at most once an hour for each.
	OnWarning func(configuration, text string)
	// Stored are the findings that are on record already, from before a
	// restart: OnFinding is not called for them again.
	Stored []record.Finding
	// Now is the clock of findings that no step dates; time.Now when nil.
	Now func() time.Time
	// RunName is the job's name, Chief the worker that speaks for all
	// ("worker_0" when empty).
	RunName string
	Chief   string
	// Raw reads stored values; Trial opens other runs. Both may be nil.
	Raw   func(worker, tensor string, mode record.Mode, step int64) (rule.Values, error)
	Trial func(name string) (rule.Trial, error)
}

// Engine runs configurations of rules over complete steps. Its methods may be
// called by several goroutines.
type Engine struct {
	mu sync.Mutex
}

// NewEngine makes an engine. A configuration that is wrong gets the status
// Error and harms nobody; use Check to refuse it before anything starts. The
// error is for options that cannot be, such as a broken mute pattern.
func NewEngine(o Options) (*Engine, error) { return &Engine{}, nil }

// Needs gives what the configurations ask of capture.
func (e *Engine) Needs() []plan.Need { return nil }

// Announce tells what tensors are, before their first value.
func (e *Engine) Announce(worker string, infos []record.TensorInfo) {}

// Observe judges one complete step. A step that is not after the last one is
// ignored, so a run may be fed again from its beginning.
func (e *Engine) Observe(c *record.Complete) {}

// Tick lets the rules that look at the clock look at it.
func (e *Engine) Tick(now time.Time) {}

// Finish ends all rules; status is the run's (record.Completed, …). In a
// replay, call Tick with the recorded end of the run first.
func (e *Engine) Finish(status string) {}

// Statuses says where each configuration stands.
func (e *Engine) Statuses() []record.RuleStatus { return nil }

// Groups gives the findings by root cause, the most serious first.
func (e *Engine) Groups() []record.Group { return nil }

// Cursor is the global step that was observed last; -1 before the first.
func (e *Engine) Cursor() int64 { return -1 }

// Save gives the state of all rules, to be kept at least every 30 seconds and
// after each finding; Restore takes it back, before the first Observe.
func (e *Engine) Save() ([]byte, error) { return nil, nil }

// Restore takes back what Save gave. Configurations that have changed since
// begin anew.
func (e *Engine) Restore(state []byte) error { return nil }
