package action

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
)

// Notice is a notification and the findings that call for it.
type Notice struct {
	Spec    notify.Spec
	On      string        // as that of Command
	Timeout time.Duration // of one try; 0 means DefaultTry
}

// How deliveries are tried.
const (
	// DefaultTry is how long one try may take.
	DefaultTry = 20 * time.Second
	// DefaultPatience is how long the end of a run waits for deliveries.
	DefaultPatience = 15 * time.Second

	firstWait = time.Second     // after the first try that failed; then twice as long each time
	mostWait  = 5 * time.Minute // between two tries
	giveUpAt  = 24 * time.Hour  // after the firing
	toldAt    = 4               // the failed try at which the user is told

	triesAtATime = 2 // at one place, so that a silent one holds up nobody else
)

// delivery is one place that firings are told to.
type delivery struct {
	prefix  string // of its keys
	kind    string
	spec    notify.Spec
	target  notify.Target
	on      condition
	timeout time.Duration
	slots   chan struct{} // bounds the tries at a time
}

func (d *delivery) name() string { return d.target.String() }

// prepare makes the deliveries of a notification.
func (r *Runner) prepare(i int, n Notice, on condition) {
	timeout := n.Timeout
	if timeout <= 0 {
		timeout = DefaultTry
	}
	targets := n.Spec.Targets(r.secrets)
	if n.Spec.Metric != nil {
		p := newPublisher(r, *n.Spec.Metric, on)
		r.publishers = append(r.publishers, p)
		targets = []notify.Target{p}
	}
	for j, t := range targets {
		kind := n.Spec.Kind()
		r.deliveries = append(r.deliveries, &delivery{
			prefix: fmt.Sprintf("%s %d.%d|", kind, i+1, j+1), kind: kind, spec: n.Spec, target: t, on: on, timeout: timeout, slots: make(chan struct{}, triesAtATime),
		})
	}
}

// delivery is the one that a key belongs to, nil when there is none.
func (r *Runner) delivery(key string) *delivery {
	for _, d := range r.deliveries {
		if strings.HasPrefix(key, d.prefix) {
			return d
		}
	}
	return nil
}

// notify begins a delivery, unless that was done before. One whose intent
// cannot be put on record is made all the same: arriving twice is better than
// not at all, and its id tells.
func (r *Runner) notify(d *delivery, f record.Finding) {
	key := d.prefix + f.Configuration
	if _, known := r.state[key]; known {
		return
	}
	e := entry{Attempt: Attempt{Key: key, ID: deliveryID(r.opts.ID, key), Finding: f}}
	if r.opts.Follows != nil {
		e.Follows = r.opts.Follows(f)
	}
	if r.opts.Event != nil {
		var err error
		if e.Event, err = r.opts.Event(e.ID, f, r.fired); err != nil {
			r.failed(err)
		}
	}
	r.begun(d, e)
}

// begun begins a delivery, unless that was done before.
func (r *Runner) begun(d *delivery, e entry) {
	if _, known := r.state[e.Key]; known {
		return
	}
	e.Action, e.Target, e.State, e.Time = d.kind, r.secrets.Hide(d.name()), record.Begun, r.opts.Now().UTC()
	if !r.write(e) {
		r.state[e.Key] = e
		r.order = append(r.order, e.Key)
	}
	r.running.Add(1)
	go r.deliver(d, e)
}

// deliveryID is the same for the same firing of a run, whoever computes it.
func deliveryID(run, key string) string {
	sum := sha256.Sum256([]byte(run + "\x00" + key))
	return hex.EncodeToString(sum[:16])
}

// deliver tries until it is delivered, or makes no sense any more, or the run
// has ended and the last try failed.
func (r *Runner) deliver(d *delivery, e entry) {
	defer r.running.Done()
	wait, last := firstWait, false
	for {
		began := r.opts.Now()
		err := r.try(d, e)
		e.Tries++
		e.Time, e.Seconds, e.Next, e.Error = r.opts.Now().UTC(), r.opts.Now().Sub(began).Seconds(), nil, ""
		if !last {
			select {
			case <-r.ending:
				last = true
			default:
			}
		}
		switch {
		case err == nil:
			e.State = record.Done
		case notify.Permanent(err):
			e.State, e.Error = record.Undone, err.Error()
		case last:
			e.State, e.Error = record.Undone, "not delivered before the end of the run: "+err.Error()
		case e.Time.Sub(e.Called()) > giveUpAt && !e.Called().IsZero():
			e.State, e.Error = record.Undone, fmt.Sprintf("gave up after %s: %s", giveUpAt, err.Error())
		default:
			pause := max(wait+rand.N(wait/4+1), notify.After(err))
			next := e.Time.Add(pause)
			e.State, e.Error, e.Next = record.Waiting, err.Error(), &next
			r.settle(d, e)
			select {
			case <-time.After(pause):
			case <-r.ending:
				last = true
			}
			wait = min(2*wait, mostWait)
			continue
		}
		r.settle(d, e)
		return
	}
}

// try delivers once, when there is room for another try.
func (r *Runner) try(d *delivery, e entry) error {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-r.delivered.Done():
		return &notify.Error{Message: "there was no time left"}
	}
	ctx, cancel := context.WithTimeout(r.delivered, d.timeout)
	defer cancel()
	return d.target.Send(ctx, &notify.Message{ID: e.ID, Run: r.opts.Name, Path: r.opts.Run, Finding: e.Finding, Follows: e.Follows, Change: e.Change, Event: e.Event})
}

// settle puts the outcome of a try on record, and tells the user what matters
// to him.
func (r *Runner) settle(d *delivery, e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.State == record.Done || e.State == record.Undone {
		e.Event = nil // it is not needed any more
	}
	if !r.write(e) {
		r.state[e.Key] = e
	}
	what := fmt.Sprintf("%s about %s", d.name(), e.About())
	switch {
	case e.State == record.Undone:
		r.tell("warning", fmt.Sprintf("%s was not delivered: %s", what, e.Error), "")
	case e.State == record.Waiting && e.Tries == toldAt:
		r.tell("warning", fmt.Sprintf("%s could not be delivered in %d tries: %s", what, e.Tries, e.Error), "it is retried while the run lasts")
	case e.State == record.Done && e.Tries > toldAt:
		r.tell("info", fmt.Sprintf("%s was delivered at try %d", what, e.Tries), "")
	}
}

// Pending names the deliveries that are under way.
func (r *Runner) Pending() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, k := range r.order {
		e := r.state[k]
		if (e.State == record.Begun || e.State == record.Waiting) && e.Action != "stop" && !slices.Contains(list, e.What()) {
			list = append(list, e.What())
		}
	}
	return list
}

// byTime are the keys of a state, the oldest finding first.
func byTime(state map[string]entry) []string {
	var keys []string
	for k := range state {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		x, y := state[keys[i]], state[keys[j]]
		a, b := x.Called(), y.Called()
		return a.Before(b) || a.Equal(b) && keys[i] < keys[j]
	})
	return keys
}

// lookupIn looks variables up in an environment; nil is this process's.
func lookupIn(env []string) func(string) (string, bool) {
	if env == nil {
		return os.LookupEnv
	}
	return func(name string) (string, bool) {
		for _, kv := range slices.Backward(env) {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v, true
			}
		}
		return "", false
	}
}

// publisher keeps a metric up to date. As a target of deliveries it answers
// for the first finding of each configuration; later ones follow unrecorded.
type publisher struct {
	r    *Runner
	spec notify.Metric
	on   condition
	p    *notify.Publisher

	dirty chan struct{}
	done  chan struct{}
}

func newPublisher(r *Runner, spec notify.Metric, on condition) *publisher {
	counted := map[string]string{}
	for configuration, rule := range r.opts.Configurations {
		if on.severity > 0 || slices.Contains(on.names, rule) || slices.Contains(on.names, configuration) {
			counted[configuration] = rule
		}
	}
	return &publisher{r: r, spec: spec, on: on, p: notify.NewPublisher(spec, r.opts.Name, counted), dirty: make(chan struct{}, 1), done: make(chan struct{})}
}

func (p *publisher) String() string { return p.spec.String() }

// Send publishes what was counted.
func (p *publisher) Send(context.Context, *notify.Message) error { return p.p.Publish() }

// start publishes the metric at zero, and from then on what is counted.
func (p *publisher) start() {
	p.report(p.p.Publish())
	go func() {
		defer close(p.done)
		told := false
		for range p.dirty {
			if err := p.p.Publish(); err != nil && !told {
				told = true
				p.report(err)
			}
		}
	}()
}

func (p *publisher) report(err error) {
	if err != nil {
		p.r.tell("warning", fmt.Sprintf("%s is not published: %v", p, err), "")
	}
}

func (p *publisher) count(f record.Finding) {
	p.p.Count(f)
	select {
	case p.dirty <- struct{}{}:
	default:
	}
}

// stop publishes what is left and closes the endpoint; nothing counts any more.
func (p *publisher) stop() {
	close(p.dirty)
	<-p.done
	if err := errors.Join(p.p.Publish(), p.p.Close()); err != nil {
		p.report(err)
	}
}
