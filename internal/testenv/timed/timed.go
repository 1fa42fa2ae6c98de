// Package timed writes runs that tell where their time went, for tests and
// pictures: the same each time.
package timed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Options say what a run looks like. It trains ten updates in each second, with
// 600 ms of waiting for data unless Wait says otherwise, then evaluates.
type Options struct {
	Started time.Time     // of the run
	Seconds int           // of training
	Ranks   int           // 1 or more
	Wait    time.Duration // for data, of each step of 100 ms; 60 ms where it is 0
	Running bool          // it has not ended
	Detail  bool          // of the single steps of the last second
	GPU     bool          // one, or as many as GPUs says
	GPUs    int           // numbers of them that are busy by turns
	Cores   int           // 4 where it is 0; more of them are busy by turns
	Hosts   []string      // besides "workstation"
	Empty   bool          // no times, no machine
	Ended   bool          // an empty one has
}

// Host is the name of the run's host.
const Host = "workstation"

// Write writes a run below root, and gives its writer closed unless the run goes
// on.
func Write(t testing.TB, root, name string, o Options) *store.Writer {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o.Ranks = max(o.Ranks, 1)
	run := record.Run{
		Format: record.RunFormat, Name: name, Command: []string{"python", "train.py"}, Directory: "/home/ada/classifier", Host: Host,
		Framework: record.Framework{Name: "pytorch", Version: "2.15.0"}, Started: o.Started, Status: record.Running, Vigil: "0.1.0",
		Steps: map[string]int64{}, Dropped: map[string]int64{}, Plan: []record.PlanChange{},
		Facts: json.RawMessage(`{"v":1,"epochs":{"batches":100,"total":3000,"stretches":[{"at":0,"number":1,"updates":100}]}}`),
	}
	for rank := range o.Ranks {
		run.Workers = append(run.Workers, record.Worker{Name: fmt.Sprintf("worker_%d", rank), Rank: rank, World: o.Ranks, Host: Host, PID: 4711 + rank, Chief: rank == 0})
	}
	w, err := store.Create(vfs.OS, root, name, run)
	must(err)
	if o.Empty {
		if o.Ended {
			must(w.UpdateRun(func(r *record.Run) { r.Status, r.Ended = record.Completed, &o.Started }))
		}
		must(w.Close())
		return w
	}
	var sum record.RunTime
	for rank := range o.Ranks {
		writeSteps(t, w, o, rank, &sum)
	}
	use := record.MachineUse{}
	for _, host := range append([]string{Host}, o.Hosts...) {
		writeMachine(t, w, o, host, &use)
	}
	must(w.UpdateRun(func(r *record.Run) {
		sum.BatchSize, sum.SamplesPerSecond, sum.Machine = 64, 640, &use
		r.Time = &sum
		r.Steps["TRAIN"] = int64(10 * o.Seconds)
		if !o.Running {
			seconds := o.Seconds + 5
			if o.Cores > 0 {
				seconds += o.Seconds * 9 / 100
			}
			ended, code := o.Started.Add(time.Duration(seconds)*time.Second), 0
			r.Ended, r.Status, r.ExitCode = &ended, record.Completed, &code
		}
	}))
	if !o.Running {
		must(w.Close())
	}
	return w
}

// writeSteps writes the steps of a rank: ten a second after three seconds of
// start-up, two of them slow, and an evaluation of one second at the end.
func writeSteps(t testing.TB, w *store.Writer, o Options, rank int, sum *record.RunTime) {
	t.Helper()
	worker := fmt.Sprintf("worker_%d", rank)
	begins := o.Started.Add(3 * time.Second)
	var rows []record.StepTime
	var detail []record.Interval
	wait := float64(cmp.Or(o.Wait, 60*time.Millisecond))
	rest := int64(100e6-wait) / 40 // of the step, in fortieths
	at := begins
	for i := range 10 * o.Seconds {
		data := int64(wait + wait/30*math.Sin(float64(i)))
		if i%100 == 57 {
			data += int64(15 * wait)
		}
		row := record.StepTime{Worker: worker, Step: int64(i), Mode: record.Train, ModeStep: int64(i), Steps: 1, Start: at}
		row.Parts = [record.StepParts]int64{record.WaitForData: data, record.Forward: 20 * rest, record.Backward: 14 * rest, record.Optimizer: 3 * rest, record.Other: 3 * rest}
		if o.Ranks > 1 {
			row.Parts[record.WaitForRanks] = int64(rank) * 2e6
		}
		row.End = at.Add(time.Duration(row.Total()))
		row.Longest, row.LongestStep = row.Total(), int64(i)
		if rank == 0 {
			sum.Worker = worker
			sum.Count(&row)
		}
		rows = append(rows, row)
		if o.Detail && i >= 10*(o.Seconds-1) {
			from := at
			for p, ns := range row.Parts {
				if ns > 0 {
					to := from.Add(time.Duration(ns))
					detail = append(detail, record.Interval{Part: record.StepPart(p), Start: from, End: to, Step: int64(i), Mode: record.Train, ModeStep: int64(i)})
					from = to
				}
			}
		}
		at = row.End
	}
	eval := record.StepTime{Worker: worker, Step: int64(10 * o.Seconds), Mode: record.Eval, Steps: 10, Start: at, End: at.Add(time.Second)}
	eval.Parts[record.Forward], eval.Parts[record.Other] = 8e8, 2e8
	eval.Longest = 1e8
	events := []record.Event{
		{Kind: record.PhaseEvent, Name: record.StartUpPhase, Start: o.Started, End: begins},
		{Kind: record.LoaderEvent, Start: begins, End: begins.Add(20 * time.Millisecond), Facts: json.RawMessage(`{"batch_size":64,"workers":0}`)},
		{Kind: record.CheckpointEvent, Start: begins.Add(500 * time.Millisecond), End: begins.Add(700 * time.Millisecond)},
	}
	if !o.Running {
		rows = append(rows, eval)
		events = append(events, record.Event{Kind: record.EvaluationEvent, Start: eval.Start, End: eval.End},
			record.Event{Kind: record.PhaseEvent, Name: record.TrainingPhase, Start: begins, End: eval.End},
			record.Event{Kind: record.PhaseEvent, Name: record.FinishingPhase, Start: eval.End, End: eval.End.Add(500 * time.Millisecond)})
		if rank == 0 {
			sum.Count(&eval)
			sum.Phases = map[string]record.Span{record.StartUpPhase: 3e9, record.TrainingPhase: record.Span(eval.End.Sub(begins)), record.FinishingPhase: 5e8}
		}
	}
	for i := range events {
		events[i].Worker = worker
	}
	if err := w.Times(worker, "session"+worker, uint64(len(rows)), rows, events); err != nil {
		t.Fatal(err)
	}
	if len(detail) > 0 {
		if err := w.Trace(worker, detail); err != nil {
			t.Fatal(err)
		}
	}
}

// writeMachine writes samples of a host, two a second.
func writeMachine(t testing.TB, w *store.Writer, o Options, host string, use *record.MachineUse) {
	t.Helper()
	seconds := o.Seconds + 4
	if o.Cores > 0 { // as long as the steps took, of which one in a hundred is slow
		seconds += o.Seconds * 9 / 100
	}
	for i := range 2 * seconds {
		s := record.Sample{Host: host, Time: o.Started.Add(time.Duration(i) * 500 * time.Millisecond)}
		add := func(name string, v float64) { s.Values = append(s.Values, record.Scalar{Name: name, Value: v}) }
		wave := 10 * math.Sin(float64(i)/5)
		total := 51 + wave
		if o.Cores > 0 {
			total = 0
			for core := range o.Cores {
				total += byTurns(i, core, o.Cores) / float64(o.Cores)
			}
		}
		add("cpu/total", total)
		for core := range max(o.Cores, 4) {
			if o.Cores > 0 {
				add(fmt.Sprintf("cpu/%d", core), byTurns(i, core, o.Cores))
				continue
			}
			add(fmt.Sprintf("cpu/%d", core), 51+wave*float64(core%2))
		}
		add("iowait/total", 2)
		add("memory/used_bytes", 9e9)
		add("memory/total_bytes", 32e9)
		add("memory/used_percent", 100*9e9/32e9)
		add("swap/used_bytes", 0)
		add("disk/nvme0n1/read_per_s", 120e6+wave*1e6)
		add("disk/nvme0n1/write_per_s", 1e6)
		add("net/received_per_s", 2e3)
		add("net/sent_per_s", 1e3)
		add("job/rss_bytes", 3.1e9)
		add("job/cpu_percent", 180)
		for rank := range o.Ranks {
			add(fmt.Sprintf("process/%d/cpu_percent", rank), 90)
			add(fmt.Sprintf("process/%d/rss_bytes", rank), 1.5e9)
			add(fmt.Sprintf("process/%d/children", rank), 2)
		}
		for gpu := range o.GPUs {
			use := byTurns(i, gpu, o.GPUs)
			for name, v := range map[string]float64{"utilization": use, "memory_percent": 20 + use/2, "memory_bytes": (20 + use/2) * 8e8, "power_w": 60 + 3*use, "temperature_c": 30 + use/3} {
				add(fmt.Sprintf("gpu/%d/%s", gpu, name), v)
			}
		}
		if o.GPU && o.GPUs == 0 {
			add("gpu/0/utilization", 87)
			add("gpu/0/memory_bytes", 20e9)
			add("gpu/0/memory_percent", 25)
			add("gpu/0/power_w", 312)
			add("gpu/0/temperature_c", 64)
		}
		if host == Host {
			use.Count(&s)
		}
		if err := w.Samples(s); err != nil {
			t.Fatal(err)
		}
	}
}

// byTurns is how busy the k-th of n is at a sample, in percent: each for a while,
// and all at once every five minutes.
func byTurns(sample, k, n int) float64 {
	if sample%600 < 20 {
		return 100
	}
	all := 45 + 25*math.Sin(2*math.Pi*float64(sample)/2400)
	return max(all+25*math.Sin(2*math.Pi*(float64(sample)/240+float64(k)/float64(n))), 0)
}

// Path is where a run that Write wrote lies.
func Path(root, name string) string { return filepath.Join(root, name) }
