package agent

import (
	"cmp"
	"encoding/json"
	"errors"
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
	j.asking.Lock()
	defer j.asking.Unlock()
	if r.Monitor != nil && r.Every == nil && len(r.Collect)+len(r.Rules) == 0 {
		if err := j.remonitor(*r.Monitor, r.Why); err != nil {
			return refuse(err)
		}
		return map[string]any{"ok": true, "windows": []window{}, "rules": []capture.RuleRequest{}}
	}
	next, ahead := j.pace()
	c, windows, err := j.possible(r, next, ahead)
	if err != nil {
		return refuse(err)
	}
	var joined []capture.RuleRequest
	if len(r.Rules) > 0 { // which needs the rules, so j.mu is not held
		if joined, c.Needs, err = j.join(r.Rules); err != nil {
			return refuse(err)
		}
	}
	p, err := j.change(c, joined, r.Why)
	if err != nil {
		j.leave(joined)
		return refuse(err)
	}
	if r.Monitor != nil {
		if err := j.remonitor(*r.Monitor, ""); err != nil {
			return refuse(err)
		}
	}
	return map[string]any{"ok": true, "step": next, "windows": windows, "rules": joined, "collections": p.Effective()}
}

// possible makes a change of what was asked for, unless it cannot be made.
func (j *job) possible(r *capture.PlanRequest, next map[string]int64, ahead [record.Global + 1]int64) (c plan.Change, windows []window, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.ending:
		return c, nil, fmt.Errorf("the run has ended")
	case j.plan == nil:
		return c, nil, fmt.Errorf("no process of the job has started to train, so there is no plan yet; try again later")
	}
	if c, windows, err = j.changeOf(r, next, ahead); err == nil {
		_, err = j.plan.Changed(c)
	}
	return c, windows, err
}

// change puts a change in force that the next agent will know: one that it
// would not know is none.
func (j *job) change(c plan.Change, joined []capture.RuleRequest, why string) (*plan.Plan, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ending {
		return nil, fmt.Errorf("the run has ended")
	}
	p, err := j.plan.Changed(c)
	if err != nil {
		return nil, err
	}
	changes, all := append(slices.Clone(j.changes), c), append(slices.Clone(j.joined), joined...)
	if len(joined) > 0 {
		if err := j.keepState(rulesState, all); err != nil {
			return nil, err
		}
	}
	if err := j.keepState(planState, changes); err != nil {
		if len(joined) > 0 {
			err = errors.Join(err, j.keepState(rulesState, j.joined))
		}
		return nil, err
	}
	j.changes, j.joined = changes, all
	j.setPlan(p, why)
	return p, nil
}

func (j *job) keepState(name string, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		err = j.store.SaveState(name, b)
	}
	if err != nil {
		return fmt.Errorf("store the change: %w", err)
	}
	return nil
}

// pace is the next step of each mode, as far as the agent has seen, and how
// many steps of it the training does within lead. A mode that has not had a
// step is taken to be as fast as training.
func (j *job) pace() (next map[string]int64, ahead [record.Global + 1]int64) {
	next = j.stepCounts()
	j.cmu.Lock()
	defer j.cmu.Unlock()
	for m := range ahead {
		length := cmp.Or(j.progress.typical(record.Mode(m)), j.progress.training())
		ahead[m] = 1
		if length > 0 {
			ahead[m] += int64(math.Ceil(lead.Seconds() / length))
		}
	}
	return next, ahead
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
func (j *job) changeOf(r *capture.PlanRequest, next map[string]int64, ahead [record.Global + 1]int64) (plan.Change, []window, error) {
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
			s.Start = max(s.Start, next[mode]+ahead[m])
			s.End = s.Start + r.For
			windows = append(windows, window{name, mode, s.Start, s.End})
		}
		col.Name = fmt.Sprintf("%s@%d", name, next[record.Train.String()]+ahead[record.Train])
		for n := 2; j.plan.Has(col.Name); n++ {
			col.Name = fmt.Sprintf("%s@%d_%d", name, next[record.Train.String()]+ahead[record.Train], n)
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
		j.events.notice("warning", fmt.Sprintf("changes of the plan made while the job ran cannot be read: %v", err), "repeat them with `vigil plan`")
		return p
	}
	for _, c := range changes {
		changed, err := p.Changed(c)
		if err != nil {
			j.events.notice("warning", fmt.Sprintf("a change of the plan cannot be applied again: %v", err), "repeat them with `vigil plan`")
			continue
		}
		p = changed
		j.changes = append(j.changes, c)
	}
	return p
}
