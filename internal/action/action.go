// Package action does what the user wants done when a rule fires: stop the
// job, run a command with the finding on its standard input, or tell somebody
// by a notification.
//
// Each action runs once for each configuration that fires, at its first
// finding, and a restart neither repeats nor forgets it: the intent is written
// before the action begins and its end after it. Fire may therefore be called
// again with every stored finding after a restart.
//
// What follows when the agent died in between depends on the action. A command
// whose end is not known is not run again, and the record says so. A stop is
// asked for again, which does no harm. A notification is delivered again, under
// the same id, so that it arrives at least once and a receiver that looks at
// the id sees it once.
package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
)

// Attempt is the record of one action.
type Attempt = record.Attempt

// Command is a program that is run when a rule fires, or a status changes.
type Command struct {
	Argv    []string      `json:"argv"`
	On      string        `json:"on"` // a severity and rule and configuration names between commas; "" means warning; "status": not for findings, but changes of status
	Timeout time.Duration `json:"timeout"`
	Each    bool          `json:"each"` // for each finding, not only the first of each configuration
}

// DefaultTimeout is how long a command that names no timeout may run.
const DefaultTimeout = time.Minute

// Stop is a wish to stop the job, if the run's name begins so.
type Stop struct {
	On     string
	Prefix string
}

// Broken is an action that cannot be done. When it is called for, that is put
// on record.
type Broken struct {
	Name string
	On   string
	Why  string
}

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
	Stops    []Stop
	Commands []Command
	Notices  []Notice
	Broken   []Broken
	// Stop asks for the job to be stopped. It must return at once.
	Stop func(record.Finding)
	// Record writes one attempt to the run. It is called by one goroutine
	// at a time.
	Record func(any) error
	// Recorded is what Record wrote before a restart, in its order. What the
	// state knows beyond it, because the agent died between writing the one
	// and the other, is recorded then. Without it nothing is.
	Recorded func() []Attempt
	State    State
	Run      string   // path of the run, VIGIL_RUN in the command's environment
	Name     string   // of the run
	ID       string   // of the run, unlike that of any other; the ids of deliveries are made of it
	Env      []string // of the command; nil means this process's
	Now      func() time.Time
	// Configurations are names that StopOn and On may use besides rules', each
	// with its rule.
	Configurations map[string]string
	// Event makes the document that webhooks get. changed says when a
	// configuration fired last.
	Event func(id string, f record.Finding, changed map[string]time.Time) (json.RawMessage, error)
	// Follows is the root cause that a finding follows from, as far as it is
	// known when the finding comes; nil of a root. Without it all are roots.
	Follows func(record.Finding) *record.Follows
	// Tell says something to the user. It must not call the runner.
	Tell func(level, text, hint string)
	// Secrets are those of the notifications; nil makes them of Env.
	Secrets *notify.Secrets
	// Patience is how long Close lets deliveries go on; 0 means
	// DefaultPatience.
	Patience time.Duration
}

// stateName is the runner's state in the store.
const stateName = "actions"

// entry is the last word on a key, and what a delivery needs to go on after a
// restart.
type entry struct {
	record.Attempt
	Event   json.RawMessage `json:"event,omitempty"`
	Follows *record.Follows `json:"follows,omitempty"`
}

// Runner performs actions. Its methods may be called by several goroutines.
type Runner struct {
	opts       Options
	stopOn     condition
	stops      []condition
	commands   []condition
	broken     []condition
	deliveries []*delivery
	publishers []*publisher
	secrets    *notify.Secrets

	mu      sync.Mutex
	state   map[string]entry
	order   []string             // keys, as they came
	fired   map[string]time.Time // last finding of a configuration
	running sync.WaitGroup
	ctx     context.Context // of commands
	cancel  context.CancelFunc
	errs    []error

	ending    chan struct{}   // closed when the run ends
	delivered context.Context // of deliveries
	giveUp    context.CancelFunc
}

// NewRunner checks the options and takes up what was done before a restart.
func NewRunner(o Options) (*Runner, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.Secrets == nil {
		o.Secrets = notify.NewSecrets(lookupIn(o.Env))
	}
	if o.ID == "" {
		o.ID = o.Run
	}
	r := &Runner{
		opts: o, state: map[string]entry{}, fired: map[string]time.Time{}, secrets: o.Secrets,
		ending: make(chan struct{}),
	}
	if err := r.conditions(); err != nil {
		return nil, err
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.delivered, r.giveUp = context.WithCancel(context.Background())
	if err := r.load(); err != nil {
		return nil, err
	}
	for _, d := range r.deliveries {
		if err := r.secrets.Missing(d.spec); err != nil { // so that the rest of them is known, too, and hidden
			r.tell("warning", d.name()+" cannot be delivered: "+err.Error(), "it is tried again when a rule fires")
		}
	}
	for _, p := range r.publishers {
		p.start()
	}
	r.takeUp()
	return r, nil
}

// conditions reads on which findings each action runs.
func (r *Runner) conditions() (err error) {
	parse := func(what, on, otherwise string) condition {
		c, e := parseCondition(on, otherwise, r.opts.Configurations)
		if e != nil && err == nil {
			err = fmt.Errorf("%s: %w", what, e)
		}
		return c
	}
	const warning = string(record.Warning)
	r.stopOn = parse("stop the job", r.opts.StopOn, "never")
	for _, s := range r.opts.Stops {
		r.stops = append(r.stops, parse("stop the job", s.On, warning))
	}
	for _, c := range r.opts.Commands {
		if len(c.Argv) == 0 || c.Argv[0] == "" {
			return errors.New("run a command: the command is empty")
		}
		r.commands = append(r.commands, parse(fmt.Sprintf("run command %q", c.Argv[0]), c.On, warning))
	}
	for _, b := range r.opts.Broken {
		r.broken = append(r.broken, parse(b.Name, b.On, warning))
	}
	for i, n := range r.opts.Notices {
		if e := n.Spec.Check(); e != nil && err == nil {
			err = fmt.Errorf("%s: %w", n.Spec.Kind(), e)
		}
		r.prepare(i, n, parse(n.Spec.Kind(), n.On, warning))
	}
	return err
}

// load takes back the state of before a restart.
func (r *Runner) load() error {
	if r.opts.State == nil {
		return nil
	}
	b, err := r.opts.State.LoadState(stateName)
	if err != nil {
		return fmt.Errorf("read state of actions: %w", err)
	}
	if len(b) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, &r.state); err != nil {
		return fmt.Errorf("read state of actions: %w", err)
	}
	r.order = byTime(r.state)
	r.catchUp()
	return nil
}

// catchUp puts on record what only the state knows.
func (r *Runner) catchUp() {
	if r.opts.Record == nil || r.opts.Recorded == nil {
		return
	}
	recorded := map[string]time.Time{}
	for _, a := range r.opts.Recorded() {
		recorded[a.Key] = a.Time
	}
	for _, k := range r.order {
		a := r.state[k].Attempt
		if at, known := recorded[k]; known && !at.Before(a.Time) {
			continue
		}
		if err := r.opts.Record(a); err != nil {
			r.failed(fmt.Errorf("record action %q: %w", k, err))
		}
	}
}

// takeUp settles what was begun and not ended before a restart.
func (r *Runner) takeUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.order {
		e := r.state[k]
		if e.State != record.Begun && e.State != record.Waiting {
			continue
		}
		switch d := r.delivery(k); {
		case e.Action == "stop":
			r.stop(e)
		case d != nil:
			r.running.Add(1)
			go r.deliver(d, e)
		case e.Action == "command":
			e.State, e.Time = record.Unknown, r.opts.Now().UTC()
			e.Error = "the agent died while the command ran; the command is not run again"
			r.write(e)
		default:
			e.State, e.Time, e.Next = record.Undone, r.opts.Now().UTC(), nil
			e.Error = "the configuration no longer contains this action"
			r.write(e)
		}
	}
}

// Fire performs what the finding calls for. It returns once the intent is on
// record; commands and deliveries go on.
func (r *Runner) Fire(f record.Finding) {
	if f.Muted {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.ending:
		return // nobody would wait for it
	default:
	}
	if r.fired[f.Configuration].Before(f.Time) {
		r.fired[f.Configuration] = f.Time
	}
	// Those that tell come before those that stop: what a stop ends should be
	// on its way then.
	for _, d := range r.deliveries {
		if d.on.holds(f) {
			r.notify(d, f)
		}
	}
	for _, p := range r.publishers {
		if p.on.holds(f) {
			p.count(f)
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
		if e, fresh := r.begin(entry{Attempt: Attempt{Key: key, Action: "command", Command: c.Argv, Finding: f}}); fresh {
			r.running.Add(1)
			go r.command(c, e)
		}
	}
	for i, b := range r.opts.Broken {
		if r.broken[i].holds(f) {
			r.refuse(Attempt{Key: fmt.Sprintf("%s %d|%s", b.Name, i, f.Configuration), Action: b.Name, Finding: f}, b.Why)
		}
	}
	r.fireStops(f)
}

func (r *Runner) fireStops(f record.Finding) {
	asked, _ := f.Context["stop_training"].(bool)
	asked = asked || r.stopOn.holds(f)
	for i, s := range r.opts.Stops {
		switch {
		case !r.stops[i].holds(f):
		case strings.HasPrefix(r.opts.Name, s.Prefix):
			asked = true
		default:
			r.refuse(Attempt{Key: fmt.Sprintf("stop %d|%s", i, f.Configuration), Action: "stop", Finding: f},
				fmt.Sprintf("nothing was stopped: the name of this run, %q, does not begin with %q", r.opts.Name, s.Prefix))
		}
	}
	if !asked {
		return
	}
	if e, fresh := r.begin(entry{Attempt: Attempt{Key: "stop", Action: "stop", Finding: f}}); fresh {
		r.stop(e)
	}
}

// refuse puts on record that an action is not done.
func (r *Runner) refuse(a Attempt, why string) {
	if _, known := r.state[a.Key]; known {
		return
	}
	a.State, a.Error, a.Time = record.Undone, why, r.opts.Now().UTC()
	if r.write(entry{Attempt: a}) {
		r.tell("warning", fmt.Sprintf("%s was not carried out: %s", a.What(), why), "")
	}
}

// begin writes the intent, unless the action was begun before. Without the
// intent on record nothing is done: it might be done twice.
func (r *Runner) begin(e entry) (entry, bool) {
	if _, known := r.state[e.Key]; known {
		return e, false
	}
	e.Time, e.State = r.opts.Now().UTC(), record.Begun
	return e, r.write(e)
}

func (r *Runner) stop(e entry) {
	if r.opts.Stop != nil {
		r.opts.Stop(e.Finding)
	}
	e.State, e.Time = record.Done, r.opts.Now().UTC()
	r.write(e)
}

// write puts an attempt into the state and on record; r.mu is held.
func (r *Runner) write(e entry) bool {
	e.Error, e.Output = r.secrets.Hide(e.Error), r.secrets.Hide(e.Output)
	old, had := r.state[e.Key]
	r.state[e.Key] = e
	if r.opts.State != nil {
		b, err := json.Marshal(r.state)
		if err == nil {
			err = r.opts.State.SaveState(stateName, b)
		}
		if err != nil {
			r.failed(fmt.Errorf("write state of action %q: %w", e.Key, err))
			if delete(r.state, e.Key); had {
				r.state[e.Key] = old
			}
			return false
		}
	}
	if !had {
		r.order = append(r.order, e.Key)
	}
	if r.opts.Record != nil {
		if err := r.opts.Record(e.Attempt); err != nil {
			r.failed(fmt.Errorf("record action %q: %w", e.Key, err))
		}
	}
	return true
}

// failed keeps an error for the end; the first ones tell enough.
func (r *Runner) failed(err error) {
	if len(r.errs) < 10 {
		r.errs = append(r.errs, err)
	}
}

func (r *Runner) tell(level, text, hint string) {
	if r.opts.Tell != nil {
		r.opts.Tell(level, r.secrets.Hide(text), hint)
	}
}

// Attempts is how each action stands, in the order in which they came.
func (r *Runner) Attempts() []Attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Attempt
	for _, k := range r.order {
		list = append(list, r.state[k].Attempt)
	}
	return list
}

// Close tries what still waits for delivery once more, for the time of the
// patience at the most, and waits for running commands; when the context ends,
// all are cut off. What was not delivered is on record then. Its error tells
// what could not be written.
func (r *Runner) Close(ctx context.Context) error {
	r.mu.Lock()
	close(r.ending)
	r.mu.Unlock()
	bound := time.AfterFunc(r.opts.Patience, r.giveUp)
	defer bound.Stop()
	done := make(chan struct{})
	go func() { r.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		r.cancel()
		r.giveUp()
		<-done
	}
	r.cancel()
	r.giveUp()
	for _, p := range r.publishers {
		p.stop()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}
