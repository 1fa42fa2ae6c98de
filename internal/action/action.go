// Package action does what the user wants done when a rule fires: stop the
// job, or run a command with the finding on its standard input.
//
// Each action runs once for each configuration that fires, at its first
// finding, and a restart neither repeats nor forgets it: the intent is written
// before the action begins and its end after it. Fire may therefore be called
// again with every stored finding after a restart. A command whose end is not
// known, because the agent died while it ran, is not run again, and the record
// says so; a stop is asked for again, which does no harm.
package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Command is a program that is run when a rule fires.
type Command struct {
	Argv    []string      `json:"argv"`
	On      string        `json:"on"` // a severity and rule and configuration names between commas; "" means warning
	Timeout time.Duration `json:"timeout"`
	Each    bool          `json:"each"` // for each finding, not only the first of each configuration
}

// DefaultTimeout is how long a command that names no timeout may run.
const DefaultTimeout = time.Minute

// State is where the runner keeps what it has begun and done; the store's
// SaveState and LoadState fit. LoadState gives nothing and no error when there
// is no state yet.
type State interface {
	SaveState(name string, data []byte) error
	LoadState(name string) ([]byte, error)
}

// Options of a runner.
type Options struct {
	// StopOn is a severity (that or a more serious one stops) and rule or
	// configuration names (they stop whatever their severity) between commas,
	// or "never" ("" is the same).
	StopOn   string
	Commands []Command
	// Stop asks for the job to be stopped. It must return at once.
	Stop func(record.Finding)
	// Record writes one attempt to the run. It is called by one goroutine
	// at a time.
	Record func(any) error
	State  State
	Run    string   // path of the run, VIGIL_RUN in the command's environment
	Env    []string // of the command; nil means this process's
	Now    func() time.Time
	// Configurations are names that StopOn and On may use besides rules'.
	Configurations []string
}

// States of an attempt.
const (
	Begun   = "begun"
	Done    = "done"
	Failed  = "failed"
	Unknown = "unknown" // begun before a restart; whether it ended is not known
)

// Attempt is the record of one action, written when it begins and when it
// ends.
type Attempt struct {
	Time     time.Time      `json:"time"`
	Action   string         `json:"action"` // "stop" or "command"
	Command  []string       `json:"command,omitempty"`
	Key      string         `json:"key"`
	Finding  record.Finding `json:"finding"`
	State    string         `json:"state"`
	ExitCode *int           `json:"exit_code,omitempty"`
	Seconds  float64        `json:"seconds,omitempty"`
	Output   string         `json:"output,omitempty"`
	Error    string         `json:"error,omitempty"`
}

// stateName is the runner's state in the store.
const stateName = "actions"

// Runner performs actions. Its methods may be called by several goroutines.
type Runner struct {
	opts     Options
	stopOn   condition
	commands []condition

	mu      sync.Mutex
	state   map[string]Attempt // last word on each key
	running sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc
	errs    []error
}

// NewRunner checks the options and takes up what was done before a restart.
func NewRunner(o Options) (*Runner, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Runner{opts: o, state: map[string]Attempt{}}
	var err error
	if r.stopOn, err = parseCondition(o.StopOn, "never", o.Configurations); err != nil {
		return nil, fmt.Errorf("stop the job: %w", err)
	}
	for _, c := range o.Commands {
		if len(c.Argv) == 0 || c.Argv[0] == "" {
			return nil, errors.New("run a command: the command is empty")
		}
		on, err := parseCondition(c.On, string(record.Warning), o.Configurations)
		if err != nil {
			return nil, fmt.Errorf("run command %q: %w", c.Argv[0], err)
		}
		r.commands = append(r.commands, on)
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	if o.State == nil {
		return r, nil
	}
	b, err := o.State.LoadState(stateName)
	if err != nil {
		return nil, fmt.Errorf("read state of actions: %w", err)
	}
	if len(b) > 0 {
		if err := json.Unmarshal(b, &r.state); err != nil {
			return nil, fmt.Errorf("read state of actions: %w", err)
		}
	}
	r.takeUp()
	return r, nil
}

// takeUp settles what was begun and not ended before a restart.
func (r *Runner) takeUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var keys []string
	for k, a := range r.state {
		if a.State == Begun {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	for _, k := range keys {
		a := r.state[k]
		if a.Action == "stop" {
			r.stop(a)
			continue
		}
		a.State, a.Time = Unknown, r.opts.Now().UTC()
		a.Error = "the agent died while the command ran; it is not run again"
		r.write(a)
	}
}

// Fire performs what the finding calls for. It returns once the intent is on
// record; commands run on.
func (r *Runner) Fire(f record.Finding) {
	if f.Muted {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if asked, _ := f.Context["stop_training"].(bool); asked || r.stopOn.holds(f) {
		if a, fresh := r.begin("stop", "stop", nil, f); fresh {
			r.stop(a)
		}
	}
	for i, c := range r.opts.Commands {
		if !r.commands[i].holds(f) {
			continue
		}
		key := fmt.Sprintf("command %s|%s", strings.Join(c.Argv, " "), f.Configuration)
		if c.Each {
			key += fmt.Sprintf("|%s|%s|%d", f.Check, f.Subject, f.Step)
		}
		if a, fresh := r.begin(key, "command", c.Argv, f); fresh {
			r.running.Add(1)
			go r.command(c, a)
		}
	}
}

// begin writes the intent, unless the action was begun before. Without the
// intent on record nothing is done: it might be done twice.
func (r *Runner) begin(key, action string, argv []string, f record.Finding) (Attempt, bool) {
	if _, known := r.state[key]; known {
		return Attempt{}, false
	}
	a := Attempt{Time: r.opts.Now().UTC(), Action: action, Command: argv, Key: key, Finding: f, State: Begun}
	return a, r.write(a)
}

func (r *Runner) stop(a Attempt) {
	if r.opts.Stop != nil {
		r.opts.Stop(a.Finding)
	}
	a.State, a.Time = Done, r.opts.Now().UTC()
	r.write(a)
}

// write puts an attempt into the state and on record.
func (r *Runner) write(a Attempt) bool {
	old, had := r.state[a.Key]
	r.state[a.Key] = a
	if r.opts.State != nil {
		b, err := json.Marshal(r.state)
		if err == nil {
			err = r.opts.State.SaveState(stateName, b)
		}
		if err != nil {
			r.errs = append(r.errs, fmt.Errorf("write state of action %q: %w", a.Key, err))
			if delete(r.state, a.Key); had {
				r.state[a.Key] = old
			}
			return false
		}
	}
	if r.opts.Record != nil {
		if err := r.opts.Record(a); err != nil {
			r.errs = append(r.errs, fmt.Errorf("record action %q: %w", a.Key, err))
		}
	}
	return true
}

// Close waits for running commands; when the context ends, they are killed.
// Its error tells what could not be written.
func (r *Runner) Close(ctx context.Context) error {
	done := make(chan struct{})
	go func() { r.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		r.cancel()
		<-done
	}
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}
