package agent

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// planState keeps what was asked for while the job runs for the next agent.
const planState = "plan"

// lead is how far ahead of what the agent has seen a bounded capture begins: in
// that time the training goes on and the plan reaches it, so that the steps
// asked for are captured from the first to the last.
const lead = time.Second / 2

// replan answers `vigil plan`.
func (j *job) replan(r *capture.PlanRequest) any {
	refuse := func(err error) any { return map[string]any{"ok": false, "error": err.Error()} }
	if r == nil {
		return refuse(fmt.Errorf("the request names no change"))
	}
	next, pace := j.pace()
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.ending:
		return refuse(fmt.Errorf("the run has ended"))
	case j.plan == nil:
		return refuse(fmt.Errorf("no process of the job has begun to train, so there is no plan yet; ask again when it has"))
	}
	c, windows, err := j.changeOf(r, next, pace)
	if err != nil {
		return refuse(err)
	}
	p, err := j.plan.Changed(c)
	if err != nil {
		return refuse(err)
	}
	changes := append(slices.Clone(j.changes), c)
	b, err := json.Marshal(changes)
	if err == nil {
		err = j.store.SaveState(planState, b)
	}
	if err != nil { // a change that the next agent would not know is none
		return refuse(fmt.Errorf("store the change: %w", err))
	}
	j.changes = changes
	j.setPlan(p, r.Why)
	return map[string]any{"ok": true, "step": next, "windows": windows, "collections": p.Effective()}
}

// pace is the next step of each mode, as far as the agent has seen, and how
// many steps the training does within lead.
func (j *job) pace() (next map[string]int64, pace int64) {
	next = j.stepCounts()
	j.cmu.Lock()
	defer j.cmu.Unlock()
	if n := len(j.progress.seconds); n > 0 {
		s := slices.Sorted(slices.Values(j.progress.seconds))
		if median := s[n/2]; median > 0 {
			pace = int64(math.Ceil(lead.Seconds() / median))
		}
	}
	return next, pace + 1
}

// window is the steps of one mode that a bounded capture takes.
type window struct {
	Collection string `json:"collection"`
	Mode       string `json:"mode"`
	Start      int64  `json:"start"`
	End        int64  `json:"end"` // exclusive
}

// changeOf turns a request into a change of the plan in force; j.mu is held.
// What is bounded comes besides what there is, under a name of its own, so that
// the collection goes on as before when its steps are over.
func (j *job) changeOf(r *capture.PlanRequest, next map[string]int64, pace int64) (plan.Change, []window, error) {
	c := plan.Change{Every: r.Every}
	windows := []window{}
	if r.For < 0 || r.Every != nil && *r.Every < 0 {
		return c, nil, fmt.Errorf("every and for must not be negative")
	}
	for _, col := range r.Collect {
		col.By = []string{"vigil plan"}
		if r.For == 0 {
			c.Replace = append(c.Replace, col)
			continue
		}
		name := col.Name
		if empty := len(col.Regex) == 0 && len(col.Names) == 0; empty {
			if !j.plan.Has(name) {
				return c, nil, fmt.Errorf("there is no collection %q; give a pattern (regex=...), or one of %s", name, strings.Join(plan.Names(), ", "))
			}
			col.Selector = plan.Selector{Collections: []string{name}}
		}
		for m := range col.Schedule {
			s, mode := &col.Schedule[m], record.Mode(m).String()
			if s.Off {
				continue
			}
			s.Start = max(s.Start, next[mode]+pace)
			s.End = s.Start + r.For
			windows = append(windows, window{name, mode, s.Start, s.End})
		}
		col.Name = fmt.Sprintf("%s@%d", name, next[record.Train.String()]+pace)
		for n := 2; j.plan.Has(col.Name); n++ {
			col.Name = fmt.Sprintf("%s@%d_%d", name, next[record.Train.String()]+pace, n)
		}
		c.Add = append(c.Add, col)
	}
	return c, windows, nil
}

// restoreChanges applies what an earlier agent was asked for.
func (j *job) restoreChanges(p *plan.Plan) *plan.Plan {
	b, err := j.store.LoadState(planState)
	if err != nil {
		return p // nobody asked for anything
	}
	var changes []plan.Change
	if err := json.Unmarshal(b, &changes); err != nil {
		j.events.notice("warning", fmt.Sprintf("what was asked of the plan while the job ran cannot be read: %v", err), "ask again with `vigil plan`")
		return p
	}
	for _, c := range changes {
		changed, err := p.Changed(c)
		if err != nil {
			j.events.notice("warning", fmt.Sprintf("a change of the plan cannot be made again: %v", err), "ask again with `vigil plan`")
			continue
		}
		p = changed
		j.changes = append(j.changes, c)
	}
	return p
}
