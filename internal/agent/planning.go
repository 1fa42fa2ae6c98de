package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// begin makes the rules and the plan when the framework is known, which is
// when the first process says hello.
func (j *job) begin(f record.Framework) error {
	j.starting.Lock()
	defer j.starting.Unlock()
	if p, _ := j.currentPlan(); p != nil {
		return nil
	}
	cfgs, err := ruleConfigs(j.set.Config, f.Name)
	if err != nil {
		return err
	}
	cfgs = append(cfgs, j.restoreRules()...)
	if j.eval, err = newEvaluator(j, cfgs); err != nil {
		return err
	}
	p, err := plan.New(plan.Options{
		Every: j.set.Config.Every, Budget: j.set.Config.Budget, SaveAll: j.set.Config.SaveAll, Framework: f.Name,
	}, j.set.Config.Collect, append(j.eval.engine.Needs(), updateSizeNeed()))
	if err != nil {
		j.eval.endActions()
		j.eval.close()
		j.eval = nil
		return err
	}
	p = j.restoreChanges(p)
	j.mu.Lock()
	j.setPlan(p, "start")
	j.mu.Unlock()
	if err := j.store.UpdateRun(func(r *record.Run) { r.Framework = f }); err != nil {
		j.storeFailed(err)
	}
	return nil
}

// ruleConfigs are the rules of a run: the set, and those asked for by name.
func ruleConfigs(c config.Run, framework string) ([]rules.Config, error) {
	name := c.Rules
	if name == "" {
		name = "default"
	}
	set, err := rules.Set(name, framework)
	if err != nil {
		return nil, err
	}
	var user []rules.Config
	for _, r := range c.Rule {
		user = append(user, rules.Config{Rule: r.Rule, Configuration: r.Configuration, Params: r.Params})
	}
	return rules.Merge(set, user), nil
}

// setPlan puts a plan in force; j.mu is held.
func (j *job) setPlan(p *plan.Plan, why string) {
	j.plan = p
	j.gen++
	b, err := json.Marshal(p)
	if err != nil {
		b = []byte("null")
	}
	ch := record.PlanChange{Time: time.Now().UTC(), Why: why, Plan: b}
	ch.Step = j.lastStep()
	if err := j.store.UpdateRun(func(r *record.Run) {
		if n := len(r.Plan); n > 0 && why == "start" && string(r.Plan[n-1].Plan) == string(b) {
			return // an agent took over
		}
		r.Plan = append(r.Plan, ch)
	}); err != nil {
		j.storeFailed(err)
	}
	for _, w := range j.workers {
		if !w.isClosed() {
			w.s.Replan()
		}
	}
}

func (j *job) currentPlan() (*plan.Plan, int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.plan, j.gen
}

// maxExtra bounds the collections of scripts.
const maxExtra = 200

// addCollection widens the plan by a collection of the script. The same one
// from another worker, or after a takeover, changes nothing.
func (j *job) addCollection(c plan.Collection) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.Joins {
		return j.addMembers(c)
	}
	key, err := json.Marshal(c)
	if err != nil {
		return err
	}
	for _, o := range j.extra {
		if k, _ := json.Marshal(o); string(k) == string(key) {
			return nil
		}
	}
	if len(j.extra) >= maxExtra {
		return fmt.Errorf("there are %d collections already", maxExtra)
	}
	if slices.ContainsFunc(j.changes, func(asked plan.Change) bool { return asked.Replaces(c.Name) }) {
		return nil // who watches the job has decided otherwise
	}
	p, err := j.plan.With(c)
	if err != nil {
		return err
	}
	j.extra = append(j.extra, c)
	j.setPlan(p, "collection "+c.Name+" of the script")
	return nil
}

// addMembers takes tensors that the script saved into a collection. Many are
// kept as one; j.mu is held.
func (j *job) addMembers(c plan.Collection) error {
	i := slices.IndexFunc(j.extra, func(o plan.Collection) bool { return o.Joins && o.Name == c.Name })
	if i >= 0 {
		known := j.extra[i].Names
		c.Names = slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool { return slices.Contains(known, name) })
		if len(c.Names) == 0 {
			return nil
		}
	} else if len(j.extra) >= maxExtra {
		return fmt.Errorf("there are %d collections already", maxExtra)
	}
	p, err := j.plan.With(c)
	if err != nil {
		return err
	}
	if i < 0 {
		j.extra = append(j.extra, c)
	} else {
		j.extra[i].Names = slices.Concat(j.extra[i].Names, c.Names)
	}
	j.setPlan(p, "members of the collection "+c.Name)
	return nil
}

// collectionOf turns the message of a hook into a collection.
func collectionOf(c capture.Collection) (plan.Collection, error) {
	out := plan.Collection{Name: c.Name, Selector: plan.Selector{Regex: c.Regex, Names: c.Names}, Want: plan.Stats, By: []string{"script"}, Joins: c.Joins}
	if c.Name == "" {
		return out, fmt.Errorf("it has no name")
	}
	if c.Every < 0 || c.Start < 0 || c.End < 0 || slices.ContainsFunc(c.Steps, func(n int64) bool { return n < 0 }) {
		return out, fmt.Errorf("every, start, end and steps must not be negative")
	}
	if c.Raw {
		out.Want |= plan.Raw
	}
	if c.Hist {
		out.Want |= plan.Hist
	}
	if c.Median {
		out.Want |= plan.Median
	}
	if c.Prod {
		out.Want |= plan.Prod
	}
	modes := map[record.Mode]bool{}
	for _, name := range strings.FieldsFunc(c.Mode, func(r rune) bool { return r == ',' || r == '/' || r == ' ' }) {
		m, err := record.ParseMode(name)
		if err != nil {
			return out, err
		}
		modes[m] = true
	}
	for m := range out.Schedule {
		s := plan.ModeSchedule{Every: c.Every, Start: c.Start, End: c.End, Steps: c.Steps}
		// Steps alone mean those steps and no others.
		s.Off = c.Every == 0 && len(c.Steps) > 0
		if c.Off || len(modes) > 0 && !modes[record.Mode(m)] {
			s = plan.ModeSchedule{Off: true}
		}
		out.Schedule[m] = s
	}
	return out, nil
}

// Plan makes the plan's message for this worker. A worker that is not captured
// in full gives its losses only.
func (w *worker) Plan() capture.Plan {
	p, _ := w.job.currentPlan()
	w.collectAgain()
	out := capture.Plan{
		Budget: w.job.set.Config.Budget, Strict: w.job.set.Config.Strict,
		Schedules: []plan.Schedule{}, Tensors: [][2]int64{}, Modules: []capture.PlanModule{},
	}
	if !w.full {
		out.Losses = p.Wire(nil, nil).Losses
		for _, d := range w.defs {
			if d != nil && !scalar(d) {
				out.Tensors = append(out.Tensors, [2]int64{int64(d.ID), -1})
			}
		}
		out.Ring.Use = minUse / 8
		return out
	}
	var ts []plan.WireTensor
	for _, d := range w.defs {
		if d != nil {
			ts = append(ts, plan.WireTensor{ID: int64(d.ID), Info: d.TensorInfo})
		}
	}
	ms := make([]plan.WireModule, 0, len(w.modules))
	for _, m := range w.modules {
		ms = append(ms, plan.WireModule{Path: m.Path, Type: m.Type})
	}
	wire := p.Wire(ts, ms)
	out.Schedules, out.Tensors, out.Losses = wire.Schedules, wire.Tensors, wire.Losses
	if w.s.Hello.Reduces {
		out.Values = wire.Values
	}
	for _, m := range wire.Modules {
		out.Modules = append(out.Modules, capture.PlanModule{Path: m.Path, Side: m.Side, Schedule: m.Schedule})
	}
	out.Ring.Use = w.ringUse(out)
	return out
}

func scalar(d *capture.TensorDef) bool {
	return d.Kind == record.Metric || d.Kind == record.Loss || d.Kind == record.Samples || d.Kind == record.Training
}

// minUse is the least part of the ring that a hook may use.
const minUse = 32 << 20

// ringUse is how much of the ring suits a plan: room for two frames of all that
// can be due in one step, so that one is copied while the one before is read,
// and for three when frames may come at nearly every step. A hook keeps some
// of it for what fits no frame.
func (w *worker) ringUse(p capture.Plan) int64 {
	due := make(map[int64]bool, len(p.Tensors))
	total, dense := int64(0), false
	for _, t := range p.Tensors {
		d := w.defs[t[0]]
		if t[1] < 0 || scalar(d) {
			continue
		}
		for _, s := range p.Schedules[t[1]] {
			dense = dense || !s.Off && s.Every > 0 && s.Every < 10
		}
		if due[t[0]] {
			continue
		}
		due[t[0]] = true
		if n, err := tensor.Elements(d.Shape); err == nil && n < 1<<40 {
			total += (n*int64(d.DType.Size()) + 63) &^ 63
		}
	}
	if total > w.s.RingBytes()/4 {
		return w.s.RingBytes()
	}
	use := minUse + total*5/2
	if dense {
		use += total
	}
	return min(use, w.s.RingBytes())
}
