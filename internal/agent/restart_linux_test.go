package agent

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// event is something that happens in a job: a part is stored, or what was given
// after it; the worker begins its next step; facts come; the machine is sampled; or
// the times of steps come. Without any of it a worker goes.
type event struct {
	worker string
	part   *record.Step
	free   bool // the part is what was given after its step had closed
	begins bool
	facts  string
	sample *record.Sample
	times  []record.StepTime
	about  []record.Event // that come with times
}

// sections of facts that are worth a finding each.
var sections = []string{
	`"updates":{"at":%d,"steps":4,"kept":4}`,
	`"labels":{"at":%d,"dtype":"I64","range":null,"ignored":8}`,
	`"network":{"at":%d,"modules":[{"path":"fc","type":"Linear","kind":"linear","input":{"dtype":"F32","shape":[9,4],"values":{"elements":36,"min":0,"max":255,"mean":90,"std":70}}}]}`,
	`"inputs":{"at":%d,"steps":3,"distinct":3,"tensors":[]}`,
	`"trainings":[{"at":%d}]`,
}

// drawFacts puts facts between the events of a job: each time with all that is
// known, in time for the step that a new section names, or late.
func drawFacts(t *rapid.T, events []event) []event {
	known := []string{`"framework":"pytorch"`}
	for _, s := range rapid.Permutation(sections).Draw(t, "sections")[:rapid.IntRange(0, len(sections)).Draw(t, "known")] {
		known = append(known, fmt.Sprintf(s, rapid.Int64Range(0, 20).Draw(t, "at")))
	}
	if len(known) == 1 || len(events) == 0 {
		return events
	}
	place := 0
	for n := 2; n <= len(known); n++ {
		place = rapid.IntRange(place, len(events)).Draw(t, "place")
		said := event{worker: "worker_0", facts: "{" + strings.Join(known[:n], ",") + "}"}
		events = slices.Insert(events, place, said)
		place++
	}
	return events
}

// drawRows puts samples and step times between the events of a job. Each host and
// worker has a clock of its own, which runs ahead or behind, by more than anybody
// waits at times.
func drawRows(t *rapid.T, workers []string, events []event) (out []event) {
	at, goes := map[string]float64{}, map[string]bool{}
	for i := range len(events) + 1 {
		for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "rows") {
			who := rapid.SampledFrom(append([]string{"here", "there"}, workers...)).Draw(t, "who")
			from := at[who]
			at[who] = from + rapid.SampledFrom([]float64{0, 1, 4, 7, 7, 12, 45}).Draw(t, "seconds")
			time := func(seconds float64) time.Time { return time.UnixMilli(1e12 + int64(1000*seconds)).UTC() }
			if who == "here" || who == "there" {
				out = append(out, event{sample: &record.Sample{Host: who, Time: time(at[who]), Values: []record.Scalar{{Name: "cpu/total", Value: rapid.SampledFrom([]float64{5, 50.3, 100}).Draw(t, "cpu")}}}})
				continue
			}
			if goes[who] {
				continue
			}
			row := record.StepTime{Worker: who, Steps: 1, Start: time(from), End: time(at[who]), Longest: 7}
			row.Parts[record.Other] = int64(row.End.Sub(row.Start))
			ev := event{worker: who, times: []record.StepTime{row}}
			if rapid.IntRange(0, 3).Draw(t, "about") == 0 {
				ev.about = []record.Event{{Worker: who, Kind: record.CheckpointEvent, Start: time(from), End: time(from)}}
			}
			out = append(out, ev)
		}
		if i == len(events) {
			break
		}
		ev := events[i]
		goes[ev.worker] = goes[ev.worker] || ev.part == nil && !ev.begins && ev.facts == ""
		out = append(out, ev)
	}
	return out
}

// drawJob makes up a job of up to three workers. All make the same updates;
// those that evaluate do so at the same places. The parts of the workers come
// in any order among each other. Where the hook says when steps begin, values are
// given to steps that have closed, some too late.
func drawJob(t *rapid.T) (workers []string, says bool, events []event) {
	workers = []string{"worker_0", "worker_1", "worker_2"}[:rapid.IntRange(1, 3).Draw(t, "workers")]
	value := rapid.SampledFrom([]float64{0.5, 1, 1.01, 2, 0, math.NaN()})
	evaluates := map[string]bool{}
	for _, w := range workers {
		evaluates[w] = rapid.Bool().Draw(t, "evaluates")
	}
	says = rapid.Bool().Draw(t, "says")
	left := map[string][]event{}
	var evals int64
	steps := map[string]int64{}
	for i := range rapid.Int64Range(1, 12).Draw(t, "updates") {
		k := int64(0)
		if rapid.IntRange(0, 3).Draw(t, "evaluation") == 0 {
			k = rapid.Int64Range(1, 3).Draw(t, "batches")
		}
		for _, w := range workers {
			add := func(mode record.Mode, n int64) {
				at := steps[w]
				steps[w]++
				s := &record.Step{Worker: w, Step: at, Mode: mode, ModeStep: n, Time: time.Unix(1e9+at, 0).UTC(), Seconds: 1,
					Scalars: []record.Scalar{{Name: "loss", Value: value.Draw(t, "loss")}}}
				g := value.Draw(t, "gradient")
				s.Stats = []record.TensorStats{{Tensor: "gradient/a", Stats: tensor.Stats{Count: 4, Min: g, Max: g, Mean: g, L1: 4 * g}}}
				left[w] = append(left[w], event{worker: w, part: s})
				if !says {
					return
				}
				for range rapid.IntRange(0, 3).Draw(t, "after") {
					if rapid.IntRange(0, 2).Draw(t, "begins") == 0 {
						left[w] = append(left[w], event{worker: w, begins: true})
						continue
					}
					name := rapid.SampledFrom([]string{"loss", "acc"}).Draw(t, "name")
					free := &record.Step{Worker: w, Step: at, Mode: mode, ModeStep: n, Time: s.Time, Scalars: []record.Scalar{{Name: name, Value: value.Draw(t, name)}}}
					left[w] = append(left[w], event{worker: w, part: free, free: true})
				}
			}
			if evaluates[w] {
				for b := range k {
					add(record.Eval, evals+b)
				}
			}
			add(record.Train, i)
		}
		evals += k
	}
	goes := rapid.SampledFrom(append([]string{""}, workers...)).Draw(t, "goes")
	if goes != "" {
		left[goes] = left[goes][:rapid.IntRange(0, len(left[goes])).Draw(t, "parts")]
	}
	for len(left) > 0 {
		w := rapid.SampledFrom(slices.Sorted(maps.Keys(left))).Draw(t, "next")
		if len(left[w]) == 0 {
			delete(left, w)
			if w == goes {
				events = append(events, event{worker: w})
			}
			continue
		}
		events = append(events, left[w][0])
		left[w] = left[w][1:]
	}
	return workers, says, drawRows(t, workers, drawFacts(t, events))
}

// evaluation is a run that is evaluated, by one agent after another.
type evaluation struct {
	t       *rapid.T
	disk    *vfs.Crash
	job     *job
	workers []string
	says    bool            // when its steps begin
	begun   map[string]bool // by worker: after its last part
	seq     uint64
	said    string // the facts that the hook said last
}

func (e *evaluation) take(w *store.Writer) {
	w.SealAt(60)
	set := Settings{Name: "run", Dir: "/runs", Config: config.Run{Rules: "none", StopOn: config.When{}, Rule: []config.RuleConfig{
		{Rule: "loss_not_decreasing", Configuration: "update", Params: map[string]string{"mode": "TRAIN", "every": "1", "num_steps": "2"}},
		{Rule: "loss_not_decreasing", Configuration: "evaluation", Params: map[string]string{"mode": "EVAL", "every": "1", "num_steps": "1"}},
		{Rule: "vanishing_gradient", Configuration: "vanishing", Params: map[string]string{}},
		{Rule: "not_finite", Configuration: "not_finite", Params: map[string]string{}},
		{Rule: "zero_grad", Configuration: "zero_grad", Params: map[string]string{}},
		{Rule: "labels_fit", Configuration: "labels_fit", Params: map[string]string{}},
		{Rule: "data_scaling", Configuration: "data_scaling", Params: map[string]string{}},
		{Rule: "hardware_utilization", Configuration: "idle", Params: map[string]string{"threshold": "50", "window": "3", "patience": "1"}},
		{Rule: "hardware_utilization", Configuration: "busy", Params: map[string]string{"threshold": "50", "window": "2", "patience": "2", "direction": "above"}},
	}}}
	e.job = newJob(set, w, newEvents(io.Discard, openLogs(w.Path())))
	e.job.counts.restore(w.Run())
	if err := e.job.begin(record.Framework{Name: "pytorch"}); err != nil {
		e.t.Fatal(err)
	}
	for _, name := range e.workers {
		if st := e.job.sessions[name]; !st.Gone {
			e.job.sessions[name] = sessionState{Worker: name, Chief: name == "worker_0"}
			e.job.eval.worker(name)
		}
	}
	e.job.saveSessions()
}

// restart kills the agent and starts the next one. What was handed to the
// rules they have judged; a checkpoint may be long ago.
func (e *evaluation) restart() {
	e.job.eval.close()
	e.job.events.close()
	e.disk = e.disk.KillClone()
	w, err := store.Resume(e.disk, "/runs/run")
	if err != nil {
		e.t.Fatal(err)
	}
	e.take(w)
	if e.said != "" { // the hook says it again
		e.facts(e.said)
	}
	for _, w := range e.workers { // their hooks are there again
		if !e.says || e.begun[w] {
			e.job.eval.next(w)
		}
	}
}

func (e *evaluation) facts(text string) {
	e.said = text
	e.job.takeFacts(&worker{job: e.job, name: "worker_0", chief: true}, capture.Facts{Facts: []byte(text), Said: "a net"})
}

// rows stores what goes by time and gives it to the rules, unless the agent dies in
// between.
func (e *evaluation) rows(ev event, dies bool) {
	if dies {
		e.job.eval.leaveRows()
	}
	var err error
	e.seq++
	if ev.sample != nil {
		err = e.job.storeSamples([]record.Sample{*ev.sample})
	} else {
		err = e.job.store.Times(ev.worker, ev.worker, e.seq, ev.times, ev.about)
	}
	if err != nil {
		e.t.Fatal(err)
	}
	switch {
	case dies:
		e.restart()
	case ev.sample == nil:
		e.job.eval.times(ev.worker, ev.times, ev.about)
	}
}

func (e *evaluation) append(ev event) {
	e.seq++
	if err := e.job.store.Append(ev.worker, ev.worker, e.seq, ev.part); err != nil {
		e.t.Fatal(err)
	}
}

// outcome is what an evaluation leaves.
type outcome struct {
	Facts     string
	Decisions []string // on steps and windows
	Findings  []string
	Statuses  []record.RuleStatus
	Changes   []string // of status, as they were told
	Undecided int
}

// evaluate takes a job through the rules. restart tells before each event
// whether the agent dies: 1 before the event, 2 after it is stored, before the
// rules see it; 3 asks for a checkpoint.
func evaluate(t *rapid.T, workers []string, says bool, events []event, restart func() int) outcome {
	e := &evaluation{t: t, disk: vfs.NewCrash(1), workers: workers, says: says, begun: map[string]bool{}}
	w, err := store.Create(e.disk, "/runs", "run", record.Run{Format: record.RunFormat, Name: "run", Status: record.Running})
	if err != nil {
		t.Fatal(err)
	}
	e.take(w)
	infos := []record.TensorInfo{{Name: "loss", Kind: record.Loss, Collections: []string{"losses"}}, {Name: "gradient/a", Kind: record.Gradient, Collections: []string{"gradients"}}}
	for _, name := range workers {
		if err := w.Announce(name, infos); err != nil {
			t.Fatal(err)
		}
		e.job.eval.announce(name, infos)
	}
	for _, ev := range events {
		how := restart()
		if how == 1 {
			e.restart()
		}
		if how == 3 {
			e.job.eval.in.put(e.job.eval.save)
		}
		if ev.facts != "" {
			e.facts(ev.facts)
			if how == 2 {
				e.restart()
			}
			continue
		}
		if ev.sample != nil || ev.times != nil {
			e.rows(ev, how == 2)
			continue
		}
		if ev.begins {
			e.begun[ev.worker] = true
			e.job.eval.next(ev.worker)
			continue
		}
		if ev.part == nil {
			st := e.job.sessions[ev.worker]
			st.Gone = true
			e.job.sessions[ev.worker] = st
			e.job.saveSessions()
			e.job.eval.gone(ev.worker)
			continue
		}
		e.append(ev)
		e.begun[ev.worker] = e.begun[ev.worker] && ev.free
		if how == 2 {
			e.restart()
			continue
		}
		e.job.eval.steps([]readyStep{{Step: ev.part, free: ev.free}}, says)
	}
	e.job.eval.finish(record.Completed)
	e.job.events.close()
	statuses := e.job.eval.engine.Statuses()
	if err := e.job.store.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := trial.OpenFS(e.disk, filepath.Join("/runs", "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	out := outcome{Statuses: statuses, Facts: string(tr.Run().Facts)}
	for _, f := range tr.Findings() {
		out.Findings = append(out.Findings, rules.Key(f)+" "+f.Message)
	}
	slices.Sort(out.Findings)
	for i, doc := range tr.StatusEvents() {
		_, c, err := notify.ReadChange(doc)
		if err != nil || c.Number != int64(i+1) {
			t.Fatalf("event %d is %+v, %v", i+1, c, err)
		}
		if c.Run != "" {
			out.Changes = append(out.Changes, "the run is "+c.Run)
		}
		for _, r := range c.Rules {
			out.Changes = append(out.Changes, fmt.Sprintf("%s from %s to %s: %s", r.Configuration, r.From, r.Status, r.Details))
		}
	}
	slices.Sort(out.Changes) // an agent that takes over tells of several at once
	again := rejudge(t, tr, e.job.eval.engine)
	if d := cmp.Diff(out.Findings, again); d != "" {
		t.Fatalf("judged again the run gives others: %s", d)
	}
	if err := tr.Decisions(func(c *record.Complete) error {
		text := fmt.Sprint(c.Step, " ", c.Mode, " ", c.ModeStep)
		for _, p := range c.Parts {
			text += fmt.Sprint(" ", p.Worker, p.Scalars, p.Joined)
		}
		out.Decisions = append(out.Decisions, text)
		return nil
	}, func(w *record.Window) error {
		out.Decisions = append(out.Decisions, fmt.Sprint("window ", w.Index, w.From, w.To, w.Late, w.Samples, w.Times, w.Events))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := tr.Undecided(func(*record.Step) error { out.Undecided++; return nil }); err != nil {
		t.Fatal(err)
	}
	if d := tr.Damage(); len(d) > 0 {
		t.Fatalf("damage: %+v", d)
	}
	return out
}

// rejudge judges the stored run, as a check does.
func rejudge(t *rapid.T, tr *trial.Trial, live *rules.Engine) []string {
	var cfgs []rules.Config
	for _, s := range live.Statuses() {
		cfgs = append(cfgs, rules.Config{Rule: s.Rule, Configuration: s.Configuration, Params: s.Parameters, Checks: s.Checks})
	}
	engine, err := rules.NewEngine(rules.Options{Configs: cfgs})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := tr.Run().KnownFacts()
	if err != nil {
		t.Fatal(err)
	}
	engine.Facts(facts)
	if err := tr.Decisions(func(c *record.Complete) error { engine.Observe(c); return nil }, func(w *record.Window) error { engine.Window(w); return nil }); err != nil {
		t.Fatal(err)
	}
	engine.Finish(record.Completed)
	var out []string
	for _, f := range engine.Findings() {
		out = append(out, rules.Key(f)+" "+f.Message)
	}
	slices.Sort(out)
	return out
}

// However often the agent dies, and wherever, what is found and decided is what
// an agent that lived throughout finds and decides.
func TestRestartsChangeNothing(t *testing.T) {
	if testenv.Raced {
		checks := flag.Lookup("rapid.checks").Value
		was := checks.String()
		defer func() { _ = checks.Set(was) }()
		if err := checks.Set("20"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		workers, says, events := drawJob(t)
		whole := evaluate(t, workers, says, events, func() int { return 0 })
		how := rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 1, 2, 3})
		pieces := evaluate(t, workers, says, events, func() int { return how.Draw(t, "restart") })
		if d := cmp.Diff(whole, pieces); d != "" {
			t.Fatalf("the agent that died differs: %s", d)
		}
	})
}
