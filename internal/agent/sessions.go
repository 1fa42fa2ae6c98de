package agent

import (
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
)

const (
	// oldConnection is how long a new connection of a session waits for the one
	// before it to end.
	oldConnection = 10 * time.Second
	// returnTime is how long the rules wait for a worker that has lost its
	// connection, or that an earlier agent had.
	returnTime = 10 * time.Second
	// maxTries is how many agents in a row may die over one record.
	maxTries = 5
)

// absence is a session without a connection, whose process may come back.
type absence struct {
	worker  string
	since   time.Time
	peer    capture.Peer // PID 0: not known
	partial int64        // values of steps that were not closed
}

// turn makes the connections of a session come one after another: after a late
// takeover several may wait, of which only the last one is alive.
func (j *job) turn(session string) (leave func(), err error) {
	j.mu.Lock()
	t := j.turns[session]
	if t == nil {
		t = make(chan struct{}, 1)
		j.turns[session] = t
	}
	j.mu.Unlock()
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-time.After(oldConnection):
		return nil, capture.ErrBusy
	}
}

// tried counts agents that took a session over where the one before them did.
// When too many have died there, something of the session kills them.
func (j *job) tried(s *capture.Session) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	st, known := j.sessions[s.Hello.Session]
	if !known || !s.Hello.Takeover || s.Unread() == 0 {
		return nil
	}
	if at := s.Acked(); st.At != at {
		st.At, st.Tries = at, 0
	}
	st.Tries++
	if n, ok := readNote(notePath(j.store.Path(), st.Worker)); ok {
		st.died(n)
		st.Tries = carefulFrom // and the next one, too: what is like it may follow
	}
	if len(st.Aside) > maxAside && st.Failed == "" {
		st.Failed = fmt.Sprintf("agents crashed on %d of the values that it captured", len(st.Aside))
		j.events.notice("error", st.Worker+" is no longer captured: "+st.Failed, "please report it; training continues")
	}
	if st.Tries > maxTries && st.Failed == "" {
		st.Failed = fmt.Sprintf("%d agents in a row crashed while reading the same values of this process", maxTries)
		j.events.notice("error", st.Worker+" is no longer captured: "+st.Failed, "please report it; training continues")
	}
	j.sessions[s.Hello.Session] = st
	j.saveSessions()
	return nil
}

// failed remembers that a session cannot go on, so that its hook, which comes
// again, is told so.
func (j *job) failed(w *worker, reason string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	st := j.sessions[w.session]
	st.Failed = "its capture failed: " + cut(reason, 300)
	j.sessions[w.session] = st
	j.saveSessions()
	j.events.notice("error", w.name+" is no longer captured: "+st.Failed, "training continues; what was captured before is stored")
}

// gone is told that a connection of a worker has ended. The worker itself has
// gone when it said so, when it failed, or when its process is dead; else it
// may come back, or has come back already.
func (j *job) gone(w *worker, partial int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.replaced(w) {
		j.absent[w.session] = absence{worker: w.name, since: time.Now(), peer: w.s.Peer, partial: partial}
		if w.bye || j.sessions[w.session].Failed != "" || !w.s.Peer.Alive() {
			j.depart(w.session)
		}
	}
	select {
	case j.left <- struct{}{}:
	default:
	}
}

// depart gives an absent session up; j.mu is held.
func (j *job) depart(session string) {
	a := j.absent[session]
	delete(j.absent, session)
	if st, ok := j.sessions[session]; ok {
		st.Gone = true
		j.sessions[session] = st
		j.saveSessions()
	}
	j.logs.say("%s has ended", a.worker)
	j.missing(a.worker, "the step was not finished when the process ended", a.partial)
	if j.plan != nil { // the rules have begun
		j.eval.gone(a.worker)
	}
}

// forgetAbsent lets the rules go on without workers that did not come back.
func (j *job) forgetAbsent(now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for session, a := range j.absent {
		if now.Sub(a.since) >= returnTime || a.peer.PID != 0 && !a.peer.Alive() {
			j.depart(session)
		}
	}
}

// forgetAll gives up whoever is absent, at the end of the job.
func (j *job) forgetAll() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for session := range j.absent {
		j.depart(session)
	}
}
