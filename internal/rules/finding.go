package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Key identifies a finding, as record.Finding.Key does.
func Key(f record.Finding) string { return f.Key() }

// take turns a report into counters, notes and findings.
func (e *Engine) take(in *instance, r *rule.Report) {
	in.counters.Datapoints += r.Datapoints
	for why, n := range r.Skipped {
		if in.counters.Skipped == nil {
			in.counters.Skipped = map[string]int64{}
		}
		in.counters.Skipped[why] += n
	}
	for _, n := range r.Notes {
		in.note(n)
	}
	if e.opts.OnDetail != nil {
		for _, kind := range r.Details {
			e.opts.OnDetail(kind)
		}
	}
	if r.Unjudged != "" {
		in.unjudged = r.Unjudged
	}
	fired := false
	for _, v := range collapse(r.Violations) {
		if !in.counts(v) {
			continue
		}
		f := e.finding(in, v)
		f.Muted = e.muted(&f)
		if e.cover(&f); !f.Muted {
			fired = true
			in.counters.Violations += int64(max(1, len(f.Workers)))
			if in.first == "" {
				in.first = fmt.Sprintf("RuleEvaluationConditionMet: Evaluation of the rule %s at step %d resulted in the condition being met\n%s", in.def.Class, f.Step, f.Message)
			}
		}
		e.keep(in, f)
	}
	if fired {
		in.counters.RuleTriggered++
		in.status = IssuesFound
	}
	if r.Closed || (fired && in.params.String("on_fire") == "stop") {
		in.close("")
	}
}

// keep stores a finding as long as there is room, and tells of it unless it
// was told before a restart.
func (e *Engine) keep(in *instance, f record.Finding) {
	if int64(len(in.findings)) >= in.params.Int("max_findings") {
		in.note(fmt.Sprintf("more than %s findings: only the first are stored", in.params.Texts()["max_findings"]))
		return
	}
	f.OutweighedBy = e.outweigher(&f)
	in.findings = append(in.findings, f)
	if !f.Muted {
		in.counters.Findings++
	}
	if k := Key(f); e.stored[k] > 0 {
		e.stored[k]-- // two of one step may have one key
	} else if e.opts.OnFinding != nil {
		e.opts.OnFinding(f)
	}
}

// collapse makes one violation of those that say the same of several workers.
func collapse(vs []rule.Violation) []rule.Violation {
	if len(vs) < 2 {
		return vs
	}
	type key struct {
		check, subject string
		at             int64
	}
	at := map[key]int{}
	out := make([]rule.Violation, 0, len(vs))
	for _, v := range vs {
		k := key{v.Check, v.Subject, -1}
		if v.At != nil {
			k.at = v.At.Step
		}
		i, known := at[k]
		if !known || v.Worker == "" {
			at[k] = len(out)
			out = append(out, v)
			continue
		}
		if o := &out[i]; len(o.Workers) == 0 {
			o.Workers = []string{o.Worker, v.Worker}
		} else if !slices.Contains(o.Workers, v.Worker) {
			o.Workers = append(o.Workers, v.Worker)
		}
	}
	return out
}

func (e *Engine) finding(in *instance, v rule.Violation) record.Finding {
	d, at := in.def, e.here
	if !e.when.IsZero() {
		at.Time = e.when
	}
	if v.At != nil {
		if at = *v.At; at.Time.IsZero() {
			at.Time = e.here.Time // a rule that looks at facts knows no time
		}
	}
	if at.Time.IsZero() {
		at.Time = e.opts.Now()
	}
	c := &rule.Check{} // of a rule that names none
	if known, ok := d.Check(v.Check); ok {
		c = known
	}
	f := record.Finding{
		Rule: d.Name, RuleClass: d.Class, Configuration: in.name, Severity: v.Severity,
		Step: at.Step, Mode: at.Mode, ModeStep: at.ModeStep, Worker: v.Worker, Workers: v.Workers, Time: at.Time.UTC(),
		Check: v.Check, Subject: v.Subject,
		Observed: record.Number(v.Observed), Threshold: record.Number(v.Threshold), Comparator: v.Comparator,
		Message: e.inWords(in, v.Message), CauseClass: cmp.Or(v.CauseClass, c.CauseClass, d.CauseClass),
		Cause:        cmp.Or(v.Cause, c.Cause, strings.Join(d.Causes[:min(1, len(d.Causes))], "")),
		Remedy:       cmp.Or(v.Remedy, c.Remedy, strings.Join(d.Remedies, "; ")),
		Experimental: c.IsExperimental(),
	}
	switch f.Asks = v.Asks; { // of the place that the remedy is from, if the violation names nothing
	case f.Asks != nil || v.Remedy != "":
	case c.Remedy != "":
		f.Asks = c.Asks
	default:
		f.Asks = d.Asks
	}
	if f.Severity == "" {
		f.Severity = cmp.Or(c.Severity, d.Severity)
	}
	if f.Severity == record.Error && v.Steps < 2 && f.CauseClass != "non-finite" && !e.telling {
		f.Severity = record.Warning
	}
	f.Context = make(map[string]any, len(v.Context)+1) // rules share theirs between violations
	for k, x := range v.Context {
		f.Context[k] = plain(x)
	}
	f.Share, f.Gain = v.Share, v.Gain
	if v.Where != nil {
		f.Where = e.at(v.Where.File, v.Where.Line)
	} else {
		f.Where = e.where(&f)
	}
	if e.opts.Suggest != nil && e.facts != nil {
		f.Suggestion = e.opts.Suggest(&f, e.known(&f))
	}
	if v.StopTraining {
		e.askStop(in, &f)
	}
	return f
}

// askStop marks the finding as one that stops the job, if the job is the one
// that the configuration names.
func (e *Engine) askStop(in *instance, f *record.Finding) {
	if prefix := in.params.String("training_job_name_prefix"); prefix != "" && !strings.HasPrefix(e.opts.RunName, prefix) {
		in.note(fmt.Sprintf("the job is not stopped: its name %q does not begin with %q", e.opts.RunName, prefix))
		return
	}
	f.Context["stop_training"] = true
}

// plain makes numbers that JSON cannot spell into ones that it can.
func plain(x any) any {
	switch v := x.(type) {
	case float64:
		return record.Number(v)
	case []float64:
		out := make([]record.Number, len(v))
		for i := range v {
			out[i] = record.Number(v[i])
		}
		return out
	}
	return x
}

// idleAfter is the number of steps after which a pattern that selects nothing
// is worth a word.
const idleAfter = 50

func (e *Engine) warnIdle(in *instance) {
	if in.observed < idleAfter || in.quiet || (!in.warned.IsZero() && e.here.Time.Sub(in.warned) < time.Hour) {
		return
	}
	var idle []string
	for _, s := range in.sels {
		idle = append(idle, s.idle(e.tensors)...)
	}
	in.warned = e.here.Time
	if len(idle) > 0 {
		text := strings.Join(idle, ", ") + " matches no tensor"
		in.note(text)
		if e.opts.OnWarning != nil {
			e.opts.OnWarning(in.name, text)
		}
	}
}
