package slow_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// training is one that is made up: the seconds of each part of a step, and what the
// machine shows meanwhile.
type training struct {
	parts   map[rule.StepPart]float64 // seconds of a step
	grows   map[rule.StepPart]float64 // seconds that each step adds to the next one
	eval    float64                   // seconds of an evaluation step after each ten updates
	saves   float64                   // seconds of what the script does before it
	seconds float64
	cores   int
	used    float64 // cores, by the training process
	others  float64 // cores, by what does not belong to the job
	psi     float64 // % of the time in which some thread waits for a core
	passes  float64 // seconds after which the loader begins again, and takes a second for the first batch
	rss     func(second float64) float64
	loader  *slow.Loader
	stacks  *rule.StackDetail
	facts   *rule.Facts
	before  *slow.Before
	after   float64           // seconds that the job is there after its last step
	params  map[string]string // of the rule
	gpu     float64           // % of the time in which a GPU computes
	peculiar

	compiled func(second float64) slow.Compiled // by then, without updates

	series func(second float64) map[string]float64 // further ones of the machine
	events []rule.Event                            // further ones, at the beginning
	cut    bool                                    // it does not come to its own end
	early  bool                                    // its windows are short, as at the beginning of a run
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// windows are what the rules get of it.
func (tr training) windows() (out []*rule.Window) {
	now, step, evals := 0.0, int64(0), int64(0)
	first := int64(record.FirstWindows / record.FirstWindowLength) // the long ones begin
	if tr.early {
		first = 0
	}
	since := record.WindowBegins(first)
	end := func(n int) time.Time { return start.Add(record.WindowBegins(first+int64(n)+1) - since) }
	w := &rule.Window{From: start, To: end(0)}
	row := func(mode rule.Mode, n int64, gap float64, parts map[rule.StepPart]float64) {
		t := rule.StepTime{Gap: int64(gap * 1e9), Worker: "worker_0", Step: step + evals, Mode: mode, ModeStep: n, Steps: 1, Start: at(now)}
		for p, s := range parts {
			s += tr.grows[p] * float64(step)
			t.Parts[p] = int64(s * 1e9)
			now += s
		}
		t.End = at(now)
		w.Times = tr.add(w.Times, t)
	}
	if tr.loader != nil {
		b, _ := json.Marshal(tr.loader)
		w.Events = append(w.Events, rule.Event{Worker: "worker_0", Kind: rule.LoaderEvent, Start: start, End: start, Facts: b})
	}
	if tr.before != nil {
		b, _ := json.Marshal(tr.before)
		w.Events = append(w.Events, rule.Event{Worker: "worker_0", Kind: "earlier-runs", Start: start, End: start, Facts: b})
	}
	if tr.stacks != nil {
		b, _ := json.Marshal(tr.stacks)
		w.Events = append(w.Events, rule.Event{Worker: "worker_0", Kind: rule.DetailEvent, Name: rule.StackSamples, Start: start, End: start, Facts: b})
	}
	for sampled, pass, told := 0.0, 0.0, 2.0; now < tr.seconds; {
		if tr.compiled != nil && now >= told {
			c := slow.Compiler{Compiled: tr.compiled(now), File: user, Line: 7, Reason: "size mismatch"}
			c.Updates = step
			b, _ := json.Marshal(c)
			w.Events = append(w.Events, rule.Event{Worker: "worker_0", Kind: rule.CompilerEvent, Start: at(now), End: at(now), Facts: b})
			told = now + 5
		}
		w.Events = append(w.Events, tr.events...)
		if tr.passes > 0 && now >= pass {
			b, _ := json.Marshal(tr.loader)
			w.Events = append(w.Events, rule.Event{Worker: "worker_0", Kind: rule.LoaderEvent, Start: at(now), End: at(now + 1), Facts: b})
			row(rule.Train, step, 1, map[rule.StepPart]float64{rule.WaitForData: 1})
			step++
			pass = now + tr.passes
		}
		row(rule.Train, step, 0, tr.step(step, now))
		step++
		if tr.eval > 0 && step%10 == 0 {
			row(rule.Eval, evals, tr.saves, map[rule.StepPart]float64{rule.Forward: tr.eval, rule.OtherPart: tr.saves})
			evals++
		}
		for ; sampled <= now; sampled += 0.5 {
			w.Samples = append(w.Samples, tr.sample(sampled))
		}
		if now >= w.To.Sub(start).Seconds() {
			out = append(out, w)
			w = &rule.Window{Index: int64(len(out)), From: w.To, To: end(len(out))}
		}
	}
	for second := now; second < now+tr.after; second += 0.5 {
		w.Samples = append(w.Samples, tr.sample(second))
	}
	return append(out, w)
}

func (tr training) sample(second float64) rule.Sample {
	s := rule.Sample{Host: "h", Time: at(second), Values: []rule.Scalar{
		{Name: "cpu/total", Value: 100 * min(1, (tr.used+tr.others+tr.burst(second))/float64(tr.cores))},
		{Name: "psi/cpu", Value: tr.psi}, {Name: "process/0/preempted_per_s", Value: 10 * tr.psi},
		{Name: "job/cpu_percent", Value: 100 * tr.used}, {Name: "process/0/children_cpu_percent", Value: 100 * tr.preparing},
		{Name: "memory/used_bytes", Value: 8e9}, {Name: "memory/used_percent", Value: 50},
	}}
	for i := range tr.cores {
		s.Values = append(s.Values, rule.Scalar{Name: fmt.Sprintf("cpu/%d", i), Value: 100 * tr.used / float64(tr.cores)})
	}
	if tr.gpu > 0 {
		s.Values = append(s.Values, rule.Scalar{Name: "gpu/0/utilization", Value: tr.gpu}, rule.Scalar{Name: "gpu/0/memory_utilization", Value: 100})
	}
	if tr.series != nil {
		for name, v := range tr.series(second) {
			s.Values = append(s.Values, rule.Scalar{Name: name, Value: v})
		}
	}
	if tr.rss != nil {
		s.Values = append(s.Values, rule.Scalar{Name: "process/0/rss_bytes", Value: tr.rss(second)})
	}
	return s
}

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * 1e9)) }

// sayEvidence fills the words of a check with what a violation of it has.
func sayEvidence(t *testing.T, d *rule.Definition, v rule.Violation) {
	t.Helper()
	c, ok := d.Check(v.Check)
	if !ok {
		t.Errorf("%s has no check %q", d.Name, v.Check)
		return
	}
	f := record.Finding{Rule: d.Name, Check: v.Check, Subject: v.Subject, Observed: record.Number(v.Observed), Threshold: record.Number(v.Threshold), Context: v.Context}
	if _, err := f.Evidence(c.Evidence, func(name string) string { return name }); err != nil {
		t.Error(err)
	}
}

// judge feeds a training to a rule, with a restart of the evaluator before each
// window, and gives what it objects to.
func judge(t *testing.T, d *rule.Definition, tr training) (found []rule.Violation, wants []string) {
	t.Helper()
	p, err := d.Parse(tr.params)
	if err != nil {
		t.Fatal(err)
	}
	rep := rule.Report{Cut: tr.cut}
	r, err := d.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tr.windows() {
		state, err := r.Save()
		if err != nil {
			t.Fatal(err)
		}
		if r, err = d.New(p); err == nil {
			err = r.Restore(state)
		}
		if err != nil {
			t.Fatal(err)
		}
		if tr.facts != nil {
			r.(rule.FactReader).Facts(tr.facts, &rep)
		}
		r.(rule.WindowReader).Window(w, &rep)
	}
	r.Finish(&rep)
	for _, v := range rep.Violations {
		sayEvidence(t, d, v)
	}
	slices.Sort(rep.Details)
	return rep.Violations, slices.Compact(rep.Details)
}

func stacks(list ...rule.StackShare) *rule.StackDetail {
	d := &rule.StackDetail{Samples: 400, Stacks: list}
	for _, s := range list {
		d.Seconds += s.Seconds
	}
	return d
}

// workerStacks are those of a loader's workers.
func workerStacks(list ...rule.StackShare) *rule.StackDetail {
	for i := range list {
		list[i].Thread, list[i].Part = "worker", ""
	}
	return stacks(list...)
}

func stack(part rule.StepPart, seconds, python float64, frames ...string) rule.StackShare {
	s := rule.StackShare{Thread: "main", Part: part.String(), Seconds: seconds, Python: python, Samples: 100}
	for _, f := range frames { // "file:function"
		line := 10 // "@line" after it says another one
		file, function, _ := strings.Cut(f, ":")
		function, at, ok := strings.Cut(function, "@")
		if ok {
			line, _ = strconv.Atoi(at)
		}
		s.Frames = append(s.Frames, rule.Frame{File: file, Line: line, Function: function})
	}
	return s
}

// threads are facts of a network that calls some operations in each forward pass.
func threads(n, operations int64) *rule.Facts {
	return &rule.Facts{Threads: &rule.ThreadFacts{Operation: n}, Graph: &record.GraphFacts{Nodes: operations}}
}

const (
	dataloader = "/venv/lib/python3.12/site-packages/torch/utils/data/dataloader.py:__next__"
	user       = "/home/me/train.py"
	fetch      = "/venv/lib/python3.12/site-packages/torch/utils/data/_utils/fetch.py:fetch"
)

func TestSlowTraining(t *testing.T) {
	compute := func(more map[rule.StepPart]float64) map[rule.StepPart]float64 {
		parts := map[rule.StepPart]float64{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005}
		for p, s := range more {
			parts[p] = s
		}
		return parts
	}
	for _, c := range []struct {
		name string
		training
		want  string // "check severity share gain line"; "" nothing
		wants string
	}{
		{"computes", training{parts: compute(nil), used: 2}, "", ""},
		{"waits for data while a core is idle", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.05}), used: 1, loader: &slow.Loader{}}, "data_wait warning 0.48 1.9", "stacks"},
		{"waits for data, and no core is idle", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.05}), used: 1.95, loader: &slow.Loader{Workers: 2}}, "", "stacks"},
		{"waits for data while other jobs use the cores", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.05}), used: 1, others: 1, loader: &slow.Loader{}}, "", "stacks"},
		{"waits for data while its GPU is idle", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.05}), used: 1, gpu: 30, loader: &slow.Loader{}}, "data_wait warning 0.48 1.9", "stacks"},
		{"the GPU is busy for most of the time", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.05}), used: 1, gpu: 80, loader: &slow.Loader{}}, "data_wait info 0.48 1.2", "stacks"},
		{"the GPU is the limit", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.05, rule.SaveCheckpoint: 0.05}), used: 1, gpu: 96, loader: &slow.Loader{}}, "", "stacks"},
		{"the GPU is the limit, in evaluation", training{parts: compute(nil), used: 1, eval: 1.0, gpu: 96}, "evaluation_share warning 0.64 2.8", ""},
		{"workers cannot keep up", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.05}), used: 1, loader: &slow.Loader{Workers: 1}}, "data_wait:loader-workers warning 0.48 1.9", "stacks"},
		{"workers are started anew", training{parts: compute(nil), passes: 3, used: 1, loader: &slow.Loader{Workers: 2}}, "loader_respawn info 0.24 1.3; data_wait:loader-workers info 0.24 1.3", "stacks"},
		{"little is to be had", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.004}), used: 1}, "", ""},
		{"a hint", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.01}), used: 1}, "data_wait info 0.15 1.2", "stacks"},
		{"too short", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.1}), used: 1, seconds: 9}, "", "stacks"},
		{"checkpoints", training{parts: compute(map[rule.StepPart]float64{rule.SaveCheckpoint: 0.08}), used: 1}, "checkpoint warning 0.59 2.5", "stacks"},
		{"evaluates most of the time", training{parts: compute(nil), used: 2, eval: 1.0}, "evaluation_share warning 0.64 2.8", ""},
		{"evaluates a usual share", training{parts: compute(nil), used: 2, eval: 0.3}, "", ""},
		{"evaluates two fifths of the time", training{parts: compute(nil), used: 2, eval: 0.4}, "evaluation_share warning 0.42 1.7", ""},
		{"does something long before each evaluation", training{parts: compute(nil), used: 2, eval: 0.1, saves: 1.0}, "", "stacks"},
		{"items in C, and no core is idle", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.1}), used: 1.95, loader: &slow.Loader{}, stacks: stacks(
			stack(rule.WaitForData, 3, 0.1, user+":Images.__getitem__", fetch, dataloader, "loop.py:train@33"))}, "transforms info 0.65 2.8 10", ""},
		{"items of workers that keep all cores busy", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.1}), used: 1.95, loader: &slow.Loader{Workers: 2}, stacks: workerStacks(
			stack(rule.OtherPart, 3, 2.5, user+":blur", user+":Images.__getitem__", fetch))}, "transforms warning 0.65 0.0 10", ""},
		{"a loop over samples", training{parts: compute(nil), used: 2, facts: threads(2, 2000)}, "python_loop warning 0.91 0.0", "stacks"},
		{"many operations that are long", training{parts: compute(nil), used: 2, facts: threads(2, 900)}, "", ""},
		{"small batches", training{parts: compute(map[rule.StepPart]float64{rule.Forward: 0.0003, rule.Backward: 0.0003, rule.Optimizer: 0.0003}), used: 2, loader: &slow.Loader{Batch: 8}, facts: threads(2, 20)}, "small_batch info 1.00 0.0", ""},
		{"short steps with large batches", training{parts: compute(map[rule.StepPart]float64{rule.Forward: 0.0003, rule.Backward: 0.0003, rule.Optimizer: 0.0003}), used: 2, loader: &slow.Loader{Batch: 512}, facts: threads(2, 20)}, "", ""},
		{"items in Python", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.1}), used: 1, loader: &slow.Loader{}, stacks: stacks(
			stack(rule.WaitForData, 3, 2.5, user+":blur", user+":Images.__getitem__", fetch),
			stack(rule.Forward, 1, 0, user+":train"))}, "transforms warning 0.65 2.8 10", ""},
		{"batches that nobody looked into, and no core to spare for the rest", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.2}), used: 1.6, loader: &slow.Loader{}}, "data_wait warning 0.78 4.6", "stacks"},
		{"items in C", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.1}), used: 1, loader: &slow.Loader{}, stacks: stacks(
			stack(rule.WaitForData, 3, 0.1, user+":Images.__getitem__", fetch, dataloader, "loop.py:train@33"))}, "data_wait warning 0.65 2.0 33", ""},
		{"collate", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.1}), used: 1, loader: &slow.Loader{}, stacks: stacks(
			stack(rule.WaitForData, 3, 2.5, user+":pad", fetch))}, "collate warning 0.65 2.8 10", ""},
		{"logs in every step", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.05}), used: 1, stacks: stacks(
			stack(rule.OtherPart, 3, 0, "/usr/lib/python3.12/json/encoder.py:encode", user+":log"))}, "other_work warning 0.48 1.9 10", ""},
		{"sleeps in every step", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.5}), used: 0.15, stacks: stacks(
			stack(rule.OtherPart, 3, 0, user+":main"))}, "", ""},
		{"does something of its own in every step", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.05}), used: 1, stacks: stacks(
			stack(rule.OtherPart, 3, 0, user+":Environment.step"))}, "other_work info 0.48 1.9 10", ""},
		{"removes old checkpoints", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.03, rule.SaveCheckpoint: 0.03}), used: 1, stacks: stacks(
			stack(rule.SaveCheckpoint, 2, 0, "/venv/lib/python3.12/site-packages/torch/serialization.py:save", user+":save@8"), stack(rule.OtherPart, 2, 0, user+":save@9"))}, "checkpoint warning 0.52 2.1 8", ""},
		{"batches are made by PyTorch", training{parts: compute(map[rule.StepPart]float64{rule.WaitForData: 0.1}), used: 1, loader: &slow.Loader{}, stacks: stacks(
			stack(rule.WaitForData, 3, 2.5, "/venv/lib/python3.12/site-packages/torch/utils/data/_utils/collate.py:default_collate", fetch, user+":train"))}, "data_wait warning 0.65 2.0", ""},
		{"computes the loss by a function", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.05}), used: 1, stacks: stacks(
			stack(rule.OtherPart, 3, 0, "/venv/lib/python3.12/site-packages/torch/nn/functional.py:cross_entropy", user+":train"))}, "", ""},
		{"logs in every step, and computes the loss by a function", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.05}), used: 1, stacks: stacks(
			stack(rule.OtherPart, 2, 0, user+":log"), stack(rule.OtherPart, 2, 0, "/venv/lib/python3.12/site-packages/torch/nn/functional.py:cross_entropy", user+":train"))}, "other_work info 0.24 1.3 10", ""},
		{"lets go of a graph", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.05}), used: 1, stacks: stacks(
			stack(rule.OtherPart, 3, 0, user+":train"), stack(rule.Forward, 3, 0, "/venv/lib/python3.12/site-packages/torch/nn/modules/module.py:_call_impl", user+":train"))}, "", ""},
		{"what explains most comes first", training{parts: compute(map[rule.StepPart]float64{rule.SaveCheckpoint: 0.03, rule.OtherPart: 0.05}), used: 1, stacks: stacks(
			stack(rule.OtherPart, 3, 0, user+":log"))}, "other_work info 0.37 1.6 10; checkpoint info 0.22 1.3", ""},
		{"one thread while a core is idle", training{parts: compute(nil), used: 1, facts: threads(1, 20)}, "idle_cores warning 0.50 2.0", ""},
		{"one thread, and others use the cores", training{parts: compute(nil), used: 1, others: 1, facts: threads(1, 20)}, "", ""},
		{"one thread for small operations", training{parts: compute(nil), used: 1, facts: threads(1, 290)}, "", ""},
		{"threads that wait for each other", training{parts: compute(nil), used: 2, psi: 60, facts: threads(16, 20)}, "oversubscription warning 0.60 0.0", ""},
		{"many threads that do not wait", training{parts: compute(nil), used: 2, psi: 5, facts: threads(16, 20)}, "", ""},
		{"many threads, and others use the cores", training{parts: compute(nil), used: 1, others: 1, psi: 60, facts: threads(16, 20)}, "", ""},
		{"slower than before", training{parts: compute(nil), used: 2, before: &slow.Before{Runs: 3, PerStep: 0.03, Most: 0.032, Parts: map[string]float64{"forward": 0.02, "backward": 0.008}}}, "slower_than_before warning 0.45 1.8", ""},
		{"about as fast as before", training{parts: compute(nil), used: 2, before: &slow.Before{Runs: 3, PerStep: 0.05, Most: 0.052}}, "", ""},
		{"a limit that somebody asked for", training{parts: compute(nil), used: 2, params: map[string]string{"max_slower": "5", "slower_fails": "True"}, before: &slow.Before{Runs: 1, PerStep: 0.05, Most: 0.051}}, "slower_than_before warning 0.09 1.1", ""},
		{"within such a limit", training{parts: compute(nil), used: 2, params: map[string]string{"max_slower": "9", "slower_fails": "True"}, before: &slow.Before{Runs: 1, PerStep: 0.05, Most: 0.051}}, "", ""},
		{"steps grow", training{parts: compute(map[rule.StepPart]float64{rule.OtherPart: 0.001}), grows: map[rule.StepPart]float64{rule.OtherPart: 0.0005}, used: 1}, "growing_steps warning 0.68 3.4", "stacks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cores = 2
			if c.seconds == 0 {
				c.seconds = 95
			}
			found, wants := judge(t, &slow.Training, c.training)
			var got []string
			for _, v := range found {
				check := v.Check
				if v.CauseClass != "" {
					check += ":" + v.CauseClass
				}
				text := fmt.Sprintf("%s %s %.2f %.1f", check, v.Severity, v.Share, v.Gain)
				if v.Where != nil {
					text += fmt.Sprintf(" %d", v.Where.Line)
				}
				got = append(got, text)
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("found %q, want %q", s, c.want)
			}
			if s := strings.Join(wants, " "); s != c.wants {
				t.Errorf("asked for %q, want %q", s, c.wants)
			}
		})
	}
}
