package agent

import (
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// changes is what was told of the statuses of a run and its rules. The file of
// events is its memory: what is there was told, or will be after a restart.
type changes struct {
	number int64                // of the last one
	run    string               // status of the run
	rules  map[string]string    // statuses, by configuration
	at     map[string]time.Time // when they changed
}

func newChanges() changes {
	return changes{rules: map[string]string{}, at: map[string]time.Time{}}
}

// took takes a change in.
func (c *changes) took(n *record.Change) {
	c.number = max(c.number, n.Number)
	if n.Run != "" {
		c.run = n.Run
	}
	for _, r := range n.Rules {
		c.rules[r.Configuration], c.at[r.Configuration] = r.Status, n.Time
	}
}

// tellAgain takes in the changes of before a restart. The agent may have died
// between a change and its actions; those that were begun are not begun again.
func (e *evaluator) tellAgain(t *trial.Trial) {
	for _, doc := range t.StatusEvents() {
		id, c, err := notify.ReadChange(doc)
		if err != nil || c == nil || len(id) < 8 {
			e.job.events.notice("warning", "an event of this run cannot be read; it may be reported again", "")
			continue
		}
		e.changes.took(c)
		e.runner.Change(id, *c, doc)
	}
}

// changed tells of statuses that have changed since it last did; run is the
// run's status. What cannot be stored is told all the same.
func (e *evaluator) changed(run string) {
	turned := e.engine.Turned(e.changes.rules)
	if len(turned) == 0 && run == e.changes.run {
		return
	}
	c := record.Change{Number: e.changes.number + 1, Time: time.Now().UTC(), Step: e.engine.Cursor()}
	if run != e.changes.run {
		c.Run = run
	}
	for _, s := range turned {
		from := e.changes.rules[s.Configuration]
		if from == "" {
			from = "InProgress"
		}
		c.Rules = append(c.Rules, record.RuleChange{Rule: s.Rule, Configuration: s.Configuration, From: from, Status: s.Status, Details: s.Details})
	}
	e.changes.took(&c)
	stored := e.job.store.Run()
	if stored.Status = run; run != record.Running {
		stored.Ended = &c.Time
	}
	m := &notify.Message{ID: action.ChangeID(e.runID(), c), Run: stored.Name, Path: e.job.store.Path(), Change: &c}
	doc, err := notify.Event(m, stored, e.states(e.changes.at))
	if err != nil {
		e.job.events.notice("warning", "the change of a status cannot be reported: "+err.Error(), "")
		return
	}
	if err := e.job.store.Event(doc); err != nil {
		e.job.storeFailed(err)
	}
	e.runner.Change(m.ID, c, doc)
}

// states are the statuses of the rules, with the times at which they changed.
func (e *evaluator) states(changed map[string]time.Time) []notify.RuleState {
	var states []notify.RuleState
	for _, s := range e.engine.Statuses() {
		states = append(states, notify.RuleState{RuleStatus: s, Changed: changed[s.Configuration]})
	}
	return states
}

// runID tells the run from one of the same name at the same place, by its
// beginning, and what is told again after it was resumed from what was told
// before.
func (e *evaluator) runID() string {
	r := e.job.store.Run()
	id := fmt.Sprintf("%s|%s|%d", r.Host, e.job.store.Path(), r.Started.UnixNano())
	if n := len(r.Resumptions); n > 0 {
		id += fmt.Sprintf("|%d", n)
	}
	return id
}
