package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Top is how a job is at one moment: where it is, how fast it goes, where
// the time of each worker goes, and what the machines do.
type Top struct {
	Run     string    `json:"run"`
	Status  string    `json:"status"`
	Time    time.Time `json:"time"`
	Seconds float64   `json:"seconds"` // since the run began
	Phase   string    `json:"phase"`   // of the job, "" once it has ended
	// PhaseSeconds is how long that has gone on; SinceStep how long ago the chief
	// closed its last step, -1 where there was none.
	PhaseSeconds float64            `json:"phase_seconds"`
	SinceStep    float64            `json:"since_step_seconds"`
	Phases       []PhaseTime        `json:"phases"` // those that are over, and the one that goes on
	Update       *int64             `json:"step,omitempty"`
	Total        int64              `json:"total_steps,omitempty"`
	Epoch        int64              `json:"epoch,omitempty"`
	StepRate     float64            `json:"steps_per_second,omitempty"`
	SampleRate   float64            `json:"samples_per_second,omitempty"` // of one worker
	Loss         *record.Number     `json:"loss,omitempty"`
	Window       float64            `json:"window_seconds"` // over which rates and parts are taken
	Shares       []record.TimeShare `json:"parts"`          // of the chief
	Ranks        []TopRank          `json:"ranks"`
	Hosts        []TopHost          `json:"hosts"`
	Findings     map[string]int     `json:"findings"`

	ended bool
}

// PhaseTime is how long a phase of the job took in all.
type PhaseTime struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// TopRank is one worker.
type TopRank struct {
	Worker    string             `json:"worker"`
	Rank      int                `json:"rank"`
	Host      string             `json:"host"`
	PID       int                `json:"pid"`
	Mode      string             `json:"mode,omitempty"`
	Step      *int64             `json:"step,omitempty"` // of its mode
	StepRate  float64            `json:"steps_per_second"`
	SinceStep float64            `json:"since_step_seconds"` // -1: none yet
	Parts     map[string]float64 `json:"parts"`              // shares of its time, 0 to 1
	CPU       *float64           `json:"cpu_percent,omitempty"`
	Memory    *float64           `json:"memory_bytes,omitempty"`
	Children  *float64           `json:"children,omitempty"`
}

// TopHost is one machine.
type TopHost struct {
	Host    string             `json:"host"`
	Time    time.Time          `json:"time"` // of its last sample
	Cores   []float64          `json:"cores"`
	GPUs    []TopGPU           `json:"gpus"`
	Metrics map[string]float64 `json:"metrics"` // all of the last sample
}

// TopGPU is one GPU; what is not known is nil.
type TopGPU struct {
	Number      int      `json:"number"`
	Utilization *float64 `json:"utilization,omitempty"`
	Memory      *float64 `json:"memory_bytes,omitempty"`
	MemoryShare *float64 `json:"memory_percent,omitempty"`
	Power       *float64 `json:"power_w,omitempty"`
	Temperature *float64 `json:"temperature_c,omitempty"`
}

// topWindow is the time over which rates and parts are taken; sampled is how old
// a sample may be that is shown.
const (
	topWindow = 30 * time.Second
	sampled   = 5 * time.Minute
)

// TopOf is how a job stands now; of one that has ended, how it stood last. ok is
// false where nothing is known of its time or its machines.
func TopOf(t source.Run, now time.Time) (top Top, ok bool, err error) {
	run := t.Run()
	top = Top{Run: run.Name, Status: run.Status, Time: now.UTC(), SinceStep: -1, Window: topWindow.Seconds(),
		Phases: []PhaseTime{}, Shares: []record.TimeShare{}, Ranks: []TopRank{}, Hosts: []TopHost{}, Findings: map[string]int{}}
	m, known := t.(source.Metrics)
	if !known {
		return top, false, nil
	}
	top.ended = run.Status != record.Running
	if run.Ended != nil {
		now = *run.Ended
	}
	rows, err := lastRows(t, m, now)
	if err != nil {
		return top, false, err
	}
	if top.ended { // how it stood when its last step was made
		if run.Ended == nil {
			now = lastStep(rows, now)
		}
	}
	top.Seconds = max(now.Sub(run.Started).Seconds(), 0)
	chief := run.ChiefName()
	if err := top.phases(m, &run, now, chief, rows[chief]); err != nil {
		return top, false, err
	}
	at := now
	if top.ended { // while it trained: its processes are gone since
		at = lastStep(rows, now)
	}
	top.hosts(m, at)
	for _, w := range run.Workers {
		top.Ranks = append(top.Ranks, top.rank(w, rows[w.Name], now))
	}
	slices.SortStableFunc(top.Ranks, func(a, b TopRank) int { return cmp.Compare(a.Rank, b.Rank) })
	top.training(t, &run, rows[chief])
	for _, f := range t.Findings() {
		if !f.Muted {
			top.Findings[string(f.Severity)]++
		}
	}
	something := len(top.Hosts) > 0
	for _, list := range rows {
		something = something || len(list) > 0
	}
	return top, something, nil
}

// lastStep is when the last step closed; otherwise where there is none.
func lastStep(rows map[string][]record.StepTime, otherwise time.Time) time.Time {
	last := time.Time{}
	for _, list := range rows {
		if n := len(list); n > 0 && list[n-1].End.After(last) {
			last = list[n-1].End
		}
	}
	if last.IsZero() {
		return otherwise
	}
	return last
}

// Ended tells that the job has.
func (t *Top) Ended() bool { return t.ended }

// lastRows are the step times of the last seconds by worker; where there are none
// so late, those before the last one.
func lastRows(t source.Run, m source.Metrics, now time.Time) (map[string][]record.StepTime, error) {
	rows := map[string][]record.StepTime{}
	for _, worker := range t.Workers() {
		for _, from := range []time.Time{now.Add(-topWindow), now.Add(-time.Hour), {}} {
			var list []record.StepTime
			err := m.Times(worker, from, time.Time{}, func(row *record.StepTime) error {
				if list = append(list, *row); len(list) > 1<<16 {
					list = slices.Delete(list, 0, len(list)/2)
				}
				return nil
			})
			if err != nil {
				return nil, fmt.Errorf("read step times of %q: %w", worker, err)
			}
			if n := len(list); n > 0 {
				first := list[n-1].End.Add(-topWindow)
				rows[worker] = slices.DeleteFunc(list, func(row record.StepTime) bool { return !row.End.After(first) })
				break
			}
		}
	}
	return rows, nil
}

// phases says what the job is doing.
func (t *Top) phases(m source.Metrics, run *record.Run, now time.Time, chief string, rows []record.StepTime) error {
	events, err := m.Events(time.Time{}, time.Time{})
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	var over []record.Event
	evaluated := 0.0
	for _, e := range events {
		switch {
		case e.Worker != chief && e.Worker != "" || e.Host != "":
		case e.Kind == record.PhaseEvent:
			over = append(over, e)
		case e.Kind == record.EvaluationEvent:
			evaluated += e.End.Sub(e.Start).Seconds()
		}
	}
	begun := run.Started
	for _, e := range over {
		t.Phases = append(t.Phases, PhaseTime{e.Name, e.End.Sub(e.Start).Seconds()})
		begun = e.End
	}
	if n := len(rows); n > 0 {
		t.SinceStep = max(now.Sub(rows[n-1].End).Seconds(), 0)
	}
	if !t.ended {
		switch n := len(rows); {
		case len(over) > 0 && over[len(over)-1].Name != record.StartUpPhase:
			t.Phase = record.FinishingPhase
		case n == 0:
			t.Phase = record.StartUpPhase
		case rows[n-1].Mode == record.Eval || rows[n-1].Mode == record.Predict:
			t.Phase = record.EvaluationPhase
		default:
			t.Phase = record.TrainingPhase
		}
		t.PhaseSeconds = max(now.Sub(begun).Seconds(), 0)
		if t.Phase == record.EvaluationPhase {
			from := rows[len(rows)-1].Start
			for i := len(rows) - 1; i >= 0 && rows[i].Mode == rows[len(rows)-1].Mode; i-- {
				from = rows[i].Start
			}
			t.PhaseSeconds = max(now.Sub(from).Seconds(), 0)
			t.Phases = append(t.Phases, PhaseTime{record.TrainingPhase, max(from.Sub(begun).Seconds(), 0)})
		}
		t.Phases = append(t.Phases, PhaseTime{t.Phase, t.PhaseSeconds})
	}
	if evaluated > 0 && t.Phase != record.EvaluationPhase {
		t.Phases = append(t.Phases, PhaseTime{record.EvaluationPhase, evaluated})
	}
	order := []string{record.StartUpPhase, record.TrainingPhase, record.EvaluationPhase, record.FinishingPhase}
	slices.SortStableFunc(t.Phases, func(a, b PhaseTime) int { return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name)) })
	return nil
}

// training says where the training is and how fast it goes, as the chief does.
func (t *Top) training(r source.Run, run *record.Run, rows []record.StepTime) {
	var sum record.RunTime
	for i := range rows {
		sum.Count(&rows[i])
	}
	if shares := sum.Shares(); shares != nil {
		t.Shares = shares
	}
	if n := len(rows); n > 0 {
		t.Window = min(rows[n-1].End.Sub(rows[0].Start), topWindow).Seconds()
	}
	clock := run.Clock()
	for _, rank := range t.Ranks {
		if rank.Worker != run.ChiefName() {
			continue
		}
		t.StepRate = rank.StepRate
		t.SampleRate = run.Time.SamplesPerStep() * t.StepRate
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if row := &rows[i]; row.Mode == record.Train {
			step := row.ModeStep + max(row.Steps, 1) - 1
			t.Update = &step
			if e, ok := clock.Epoch(step); ok {
				t.Epoch = e.Number
			}
			break
		}
	}
	if t.Update == nil && run.Steps[record.Train.String()] > 0 {
		step := run.Steps[record.Train.String()] - 1
		t.Update = &step
	}
	if clock.Epochs != nil {
		t.Total = clock.Epochs.Total
	}
	if t.Update == nil {
		return
	}
	if _, values, err := r.Series(source.Query{Tensor: "loss", Mode: record.Train, From: max(*t.Update-1000, 0)}); err == nil && len(values) > 0 {
		loss := record.Number(values[len(values)-1])
		t.Loss = &loss
	}
}

// rank is how one worker stands.
func (t *Top) rank(w record.Worker, rows []record.StepTime, now time.Time) TopRank {
	r := TopRank{Worker: w.Name, Rank: w.Rank, Host: w.Host, PID: w.PID, SinceStep: -1, Parts: map[string]float64{}}
	var total, trained, steps int64
	var parts [record.StepParts]int64
	for i := range rows {
		row := &rows[i]
		for p, ns := range row.Parts {
			parts[p] += ns
			total += ns
		}
		if row.Mode == record.Train || row.Mode == record.Global {
			steps += row.Steps
			trained += row.Total()
		}
	}
	for p, ns := range parts {
		if ns > 0 {
			r.Parts[record.StepPart(p).String()] = float64(ns) / float64(total)
		}
	}
	if trained > 0 {
		r.StepRate = float64(steps) / (float64(trained) / 1e9)
	}
	if n := len(rows); n > 0 {
		last := &rows[n-1]
		step := last.ModeStep + max(last.Steps, 1) - 1
		r.Mode, r.Step, r.SinceStep = last.Mode.String(), &step, max(now.Sub(last.End).Seconds(), 0)
	}
	for _, h := range t.Hosts {
		if h.Host == w.Host {
			begin := fmt.Sprintf("process/%d/", w.Rank)
			r.CPU, r.Memory, r.Children = h.metric(begin+"cpu_percent"), h.metric(begin+"rss_bytes"), h.metric(begin+"children")
		}
	}
	return r
}

func (h *TopHost) metric(name string) *float64 {
	if v, there := h.Metrics[name]; there {
		return &v
	}
	return nil
}

// hosts are the machines, by their last samples.
func (t *Top) hosts(m source.Metrics, now time.Time) {
	until := time.Time{}
	if t.ended {
		until = now
	}
	for _, name := range m.Hosts() {
		h := TopHost{Host: name, Cores: []float64{}, GPUs: []TopGPU{}, Metrics: map[string]float64{}}
		last := func(s *record.Sample) error {
			h.Time = s.Time
			clear(h.Metrics)
			for _, v := range s.Values {
				h.Metrics[v.Name] = v.Value
			}
			return nil
		}
		for _, from := range []time.Time{now.Add(-10 * time.Second), now.Add(-sampled), {}} {
			if err := m.Samples(name, from, until, last); err != nil || !h.Time.IsZero() {
				break // one that cannot be read is among what is damaged
			}
		}
		if h.Time.IsZero() {
			continue
		}
		for core := 0; ; core++ {
			v, there := h.Metrics["cpu/"+strconv.Itoa(core)]
			if !there {
				break
			}
			h.Cores = append(h.Cores, v)
		}
		h.gpus()
		t.Hosts = append(t.Hosts, h)
	}
}

func (h *TopHost) gpus() {
	numbers := map[int]bool{}
	for name := range h.Metrics {
		if rest, ok := strings.CutPrefix(name, "gpu/"); ok {
			number, _, _ := strings.Cut(rest, "/")
			if n, err := strconv.Atoi(number); err == nil {
				numbers[n] = true
			}
		}
	}
	for n := range numbers {
		begin := fmt.Sprintf("gpu/%d/", n)
		h.GPUs = append(h.GPUs, TopGPU{Number: n, Utilization: h.metric(begin + "utilization"), Memory: h.metric(begin + "memory_bytes"),
			MemoryShare: h.metric(begin + "memory_percent"), Power: h.metric(begin + "power_w"), Temperature: h.metric(begin + "temperature_c")})
	}
	slices.SortFunc(h.GPUs, func(a, b TopGPU) int { return cmp.Compare(a.Number, b.Number) })
}
