package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
)

// job is one run while its training goes on. It is the capture.Handler of the
// socket, and holds what the workers share.
type job struct {
	set    Settings
	store  *store.Writer
	events *events
	logs   *logs
	eval   *evaluator // nil until the framework is known
	stop   func(rule, configuration, message string)

	starting mutex // in the order of lock.go, as all that follow
	asking   mutex

	mu       mutex
	plan     *plan.Plan // nil until the framework is known
	gen      int        // counts plans
	extra    []plan.Collection
	changes  []plan.Change         // asked for while the job runs
	joined   []capture.RuleRequest // rules added while the job runs
	workers  []*worker
	sessions map[string]sessionState  // by session id, also of earlier agents
	turns    map[string]chan struct{} // by session id: held by who opens it
	absent   map[string]absence       // sessions without a connection that may be back
	ending   bool
	left     chan struct{} // a worker has gone
	stopped  *stopCause    // why the agent itself stopped the workers

	rows    mutex      // held while samples are stored and given to the rules
	judging *evaluator // takes samples; nil before it has read what is stored
	stood   stoodAsks
	windows windows
	looked  lookedBack

	placing   mutex
	noting    mutex
	writing   mutex
	cmu       mutex
	counts    counts
	progress  progress
	spent     spent
	rawOff    string // why raw tensors are not stored any more
	rawSince  int64  // raw bytes since the last look at the limit
	changed   bool   // run.json is behind
	untrained untrained
	exception string // last line of the first traceback; under cmu
	sampling  sampling
	looking   sync.WaitGroup // for what the run is made of
}

// sessionState is what a later agent has to know of a session.
type sessionState struct {
	Worker string `json:"worker"`
	Full   bool   `json:"full"`
	Chief  bool   `json:"chief"`
	Gone   bool   `json:"gone,omitempty"`
	// Failed says why the session is not taken any more.
	Failed string `json:"failed,omitempty"`
	// Tries counts the agents in a row that began to read at the record At and
	// stored nothing more.
	Tries int    `json:"tries,omitempty"`
	At    uint64 `json:"at,omitempty"`
	suspicion
}

// stopCause is the rule that stopped the job; empty when a person did.
type stopCause struct{ rule string }

func (j *job) stoppedBy() *stopCause {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stopped
}

const sessionsState = "sessions"

func newJob(set Settings, w *store.Writer, ev *events) *job {
	j := &job{set: set, store: w, events: ev, logs: ev.logs, sessions: map[string]sessionState{}, left: make(chan struct{}, 1),
		turns: map[string]chan struct{}{}, absent: map[string]absence{}}
	j.placing.order, j.starting.order, j.asking.order, j.mu.order = lockPlacing, lockStarting, lockAsking, lockJob
	j.noting.order, j.writing.order, j.cmu.order, j.rows.order = lockNoting, lockWriting, lockCounts, lockRows
	j.counts.init()
	if c := &set.Config; c.Every == plan.Auto {
		j.counts.budget = c.Budget
	}
	j.sampling.change = make(chan int, 1)
	j.restoreDrops()
	if b, err := w.LoadState(sessionsState); err == nil {
		if err := json.Unmarshal(b, &j.sessions); err != nil {
			ev.notice("warning", fmt.Sprintf("the list of sessions of this run cannot be read: %v", err), "")
		}
	}
	for id, st := range j.sessions {
		if !st.Gone { // an earlier agent had it
			j.absent[id] = absence{worker: st.Worker, since: time.Now()}
		}
	}
	return j
}

// Open takes a process in, or turns it down.
func (j *job) Open(s *capture.Session) (capture.Accepted, error) {
	leave, err := j.turn(s.Hello.Session)
	if err != nil {
		return capture.Accepted{}, err
	}
	defer leave()
	w := j.earlier(s.Hello.Session)
	if w != nil {
		// The same process on a new connection: its old one ends first.
		select {
		case <-w.closed:
		case <-time.After(oldConnection):
			return capture.Accepted{}, capture.ErrBusy
		}
	} else if err := j.tried(s); err != nil {
		return capture.Accepted{}, err
	}
	for _, w := range j.openOf(s.Peer, max(s.Hello.Rank, 0)) {
		// An earlier session of this process has said its last word and is on
		// its way out; it must not be taken for a second process of the rank.
		select {
		case <-w.closed:
		case <-time.After(2 * time.Second):
		}
	}
	place, err := j.goesOn(&s.Hello)
	if err != nil {
		return capture.Accepted{}, err
	}
	if err := j.begin(s.Hello.Framework); err != nil {
		return capture.Accepted{}, err
	}
	if w, err = j.takeIn(s); err != nil {
		return capture.Accepted{}, err
	}
	return capture.Accepted{Sink: w, Run: j.store.Path(), Worker: w.name, Place: place, Windows: j.windows.due(j, w, s.Hello.Language.Name)}, nil
}

// takeIn makes the process one of the workers.
func (j *job) takeIn(s *capture.Session) (*worker, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ending {
		return nil, &capture.Refused{Reason: "the run has ended"}
	}
	st, known := j.sessions[s.Hello.Session]
	if !known {
		st = j.place(s)
	}
	if st.Failed != "" {
		return nil, &capture.Refused{Reason: st.Failed, Hint: "training continues; what was captured before is stored"}
	}
	if !known || st.Gone {
		st.Gone = false
		j.sessions[s.Hello.Session] = st
		j.saveSessions()
	}
	w, err := newWorker(j, s, st)
	if err != nil {
		return nil, err
	}
	delete(j.absent, s.Hello.Session)
	j.logs.say("%s is process %d, rank %d of %d, %s %s", w.name, s.Peer.PID, s.Hello.Rank, s.Hello.World, s.Hello.Framework.Name, s.Hello.Framework.Version)
	j.workers = append(j.workers, w)
	j.eval.worker(w.name)
	if !known {
		if err := j.store.UpdateRun(func(r *record.Run) {
			r.Workers = append(r.Workers, record.Worker{
				Name: w.name, Rank: s.Hello.Rank, World: s.Hello.World, Host: j.set.Host, PID: s.Peer.PID, Chief: st.Chief,
			})
		}); err != nil {
			j.storeFailed(err)
		}
	}
	return w, nil
}

// openOf are the workers of a process that are connected under a rank.
func (j *job) openOf(p capture.Peer, rank int) []*worker {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []*worker
	for _, w := range j.workers {
		if w.rank == rank && w.s.Peer.PID == p.PID && w.s.Peer.Start == p.Start && !w.isClosed() {
			list = append(list, w)
		}
	}
	return list
}

// known are the sessions that this run has had, also of earlier agents.
func (j *job) known() map[string]sessionState {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.sessions)
}

func (j *job) earlier(session string) *worker {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, w := range slices.Backward(j.workers) {
		if w.session == session {
			return w
		}
	}
	return nil
}

// place names a new process and decides how much of it is captured. The first
// of rank 0 is the chief. A further process of a rank gets a letter; while the
// one before it lives, only its losses are taken, since nobody could tell
// their tensors apart.
func (j *job) place(s *capture.Session) sessionState {
	rank := max(s.Hello.Rank, 0)
	base := fmt.Sprintf("worker_%d", rank)
	name, others, alive := base, 0, false
	chief := rank == 0
	for id, st := range j.sessions {
		if id == s.Hello.Session {
			continue
		}
		chief = chief && !st.Chief
		if st.Worker == base || len(st.Worker) > len(base) && st.Worker[:len(base)] == base && (st.Worker[len(base)] > '9') {
			others++
		}
	}
	for _, w := range j.workers {
		if w.rank == rank && !w.isClosed() {
			alive = true
		}
	}
	if others > 0 {
		name = base + suffix(others)
		text := fmt.Sprintf("process %d is a further training of rank %d and is stored as %s", s.Peer.PID, rank, name)
		hint := "rules judge a second training only beyond the last step of the first; start each training with its own vigil run"
		switch {
		case alive && s.Hello.Shares:
			text = fmt.Sprintf("process %d trains weights in shared memory and is stored as %s, losses only", s.Peer.PID, name)
			hint = "all processes share the weights of the first one; rules judge its losses"
		case alive:
			text = fmt.Sprintf("process %d also trains as rank %d and is stored as %s, losses only", s.Peer.PID, rank, name)
			hint = "start each training with its own vigil run; processes of one training need RANK, as torchrun sets it"
		}
		j.events.notice("info", text, hint)
	}
	full := (rank == 0 || j.set.Config.AllWorkers) && !alive
	return sessionState{Worker: name, Full: full, Chief: chief}
}

// suffix counts b, c, …, z, aa, ab.
func suffix(n int) string {
	var b []byte
	for n++; n > 0; n /= 26 {
		n--
		b = append(b, byte('a'+n%26))
	}
	slices.Reverse(b)
	return string(b)
}

// saveSessions keeps the names of sessions for the next agent; j.mu is held.
func (j *job) saveSessions() {
	b, err := json.Marshal(j.sessions)
	if err == nil {
		err = j.store.SaveState(sessionsState, b)
	}
	if err != nil {
		j.events.notice("warning", fmt.Sprintf("the list of sessions could not be stored: %v", err), "")
	}
}

// live counts the workers that are connected, and reports whether all that went
// said bye.
func (j *job) live() (n, seen int, bye bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	bye = true
	for _, w := range j.workers {
		switch {
		case !w.isClosed():
			n++
		case !w.bye && !j.replaced(w):
			bye = false
		}
	}
	return n, len(j.workers), bye
}

// awaited tells that a worker without a connection may come back: it has not
// said bye, was not turned down, and its process lives.
func (j *job) awaited() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, w := range j.workers {
		if w.isClosed() && !w.bye && !j.replaced(w) && j.sessions[w.session].Failed == "" && w.s.Peer.Alive() {
			return true
		}
	}
	return false
}

// replaced reports that a later connection of the same session exists; j.mu is
// held.
func (j *job) replaced(w *worker) bool {
	for _, o := range slices.Backward(j.workers) {
		if o.session == w.session {
			return o != w
		}
	}
	return false
}

// TurnedAway tells the user of a connection that was no hook's.
func (j *job) TurnedAway(reason string) {
	j.noticeOnce("warning", "a connection to the agent was closed: "+cut(reason, 500), "")
}

// Control answers `vigil stop` and its like.
func (j *job) Control(c capture.Control, p capture.Peer) any {
	switch c.Cmd {
	case "stop":
		j.stop("", "", fmt.Sprintf("requested by process %d", p.PID))
		return map[string]any{"ok": true}
	case "plan":
		return j.replan(c.Plan)
	case "idle":
		j.setUntrained(c.Reason, c.Error, c.Lacks)
		j.keepTraceback(fmt.Sprintf("process %d", p.PID), c.Traceback)
		return map[string]any{"ok": true}
	case "stacks":
		return map[string]any{"ok": true, "time": time.Now().UTC(), "processes": j.standing()}
	case "stood":
		return map[string]any{"ok": j.stood.take(c.Stood, p)}
	case "profile":
		return j.askWindow(c.Window)
	case "window":
		return j.windowState(c.Number)
	case "samples":
		return j.samples(c.Samples)
	case "status":
		n, _, _ := j.live()
		r := j.store.Run()
		return map[string]any{"ok": true, "run": j.store.Path(), "name": r.Name, "status": r.Status, "workers": n, "steps": j.stepCounts()}
	}
	return map[string]any{"ok": false, "error": fmt.Sprintf("unknown command %q; known: stop, status, plan, idle, stacks, profile", c.Cmd)}
}

// sendStop asks the launcher to end the job.
func (j *job) sendStop(rule, configuration, message string) {
	j.events.send(live.Event{Stop: &live.Stop{Rule: rule, Configuration: configuration, Message: message}})
}
