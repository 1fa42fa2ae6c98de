package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// job is a run in memory, as far as its time goes.
type job struct {
	unused
	run     record.Run
	rows    map[string][]record.StepTime
	events  []record.Event
	samples []record.Sample
}

// unused are the methods of a run that are not called.
type unused interface{ source.Run }

func (j *job) Run() record.Run             { return j.run }
func (j *job) Findings() []record.Finding  { return nil }
func (j *job) MetricNames(string) []string { return nil }

func (j *job) Workers() (list []string) {
	for _, w := range j.run.Workers {
		list = append(list, w.Name)
	}
	return list
}

func (j *job) Series(source.Query) ([]int64, []float64, error) { return nil, nil, nil }

func (j *job) Hosts() []string {
	if len(j.samples) == 0 {
		return nil
	}
	return []string{j.run.Host}
}

func (j *job) Metric(string, string, time.Time, time.Time) ([]time.Time, []float64, error) {
	return nil, nil, nil
}

func (j *job) Samples(_ string, from, to time.Time, fn func(*record.Sample) error) error {
	for i := range j.samples {
		if s := &j.samples[i]; !s.Time.Before(from) && (to.IsZero() || s.Time.Before(to)) {
			if err := fn(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *job) Times(worker string, from, _ time.Time, fn func(*record.StepTime) error) error {
	for i := range j.rows[worker] {
		if row := &j.rows[worker][i]; from.IsZero() || row.End.After(from) {
			if err := fn(row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *job) Events(time.Time, time.Time) ([]record.Event, error) { return j.events, nil }

func (j *job) SpanOf(string, record.Mode, int64, int64) (from, to time.Time, ok bool) {
	return from, to, false
}

func TestPhaseOfTheJob(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * 1e9)) }
	row := func(mode record.Mode, from, to float64, step int64) record.StepTime {
		r := record.StepTime{Worker: "worker_0", Mode: mode, ModeStep: step, Steps: 1, Start: at(from), End: at(to)}
		r.Parts[record.Forward] = int64((to - from) * 1e9)
		return r
	}
	startUp := record.Event{Worker: "worker_0", Kind: record.PhaseEvent, Name: record.StartUpPhase, Start: start, End: at(3)}
	training := record.Event{Worker: "worker_0", Kind: record.PhaseEvent, Name: record.TrainingPhase, Start: at(3), End: at(9)}
	evaluated := record.Event{Worker: "worker_0", Kind: record.EvaluationEvent, Start: at(5), End: at(6)}
	for _, tt := range []struct {
		name   string
		job    job
		now    float64
		status string
		want   string // phase, its seconds, seconds since the last step, all phases
		rate   float64
	}{
		{"it begins", job{}, 2, record.Running, "start-up 2 -1: start-up 2", 0},
		{"it trains", job{events: []record.Event{startUp}, rows: map[string][]record.StepTime{"worker_0": {row(record.Train, 3, 3.5, 0), row(record.Train, 3.5, 4, 1)}}}, 5, record.Running, "training 2 1: start-up 3, training 2", 2},
		{"nothing is told of phases", job{rows: map[string][]record.StepTime{"worker_0": {row(record.Train, 3, 4, 0)}}}, 5, record.Running, "training 5 1: training 5", 1},
		{"it evaluates", job{events: []record.Event{startUp}, rows: map[string][]record.StepTime{"worker_0": {row(record.Train, 3, 4, 0), row(record.Eval, 4, 5, 0), row(record.Eval, 5, 6, 1)}}}, 7, record.Running, "evaluation 3 1: start-up 3, training 1, evaluation 3", 1},
		{"it has evaluated", job{events: []record.Event{startUp, evaluated}, rows: map[string][]record.StepTime{"worker_0": {row(record.Eval, 5, 6, 0), row(record.Train, 6, 7, 1)}}}, 7, record.Running, "training 4 0: start-up 3, training 4, evaluation 1", 1},
		{"it ends", job{events: []record.Event{startUp, training}, rows: map[string][]record.StepTime{"worker_0": {row(record.Train, 8, 9, 0)}}}, 10, record.Running, "finishing 1 1: start-up 3, training 6, finishing 1", 1},
		{"it hangs", job{events: []record.Event{startUp}, rows: map[string][]record.StepTime{"worker_0": {row(record.Train, 3, 4, 0)}}}, 5000, record.Running, "training 4997 4996: start-up 3, training 4997", 1},
		{"it has ended", job{events: []record.Event{startUp, training}, rows: map[string][]record.StepTime{"worker_0": {row(record.Train, 8, 9, 0)}}}, 5000, record.Failed, " 0 0: start-up 3, training 6", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.job.run = record.Run{Name: "r", Started: start, Status: tt.status, Workers: []record.Worker{{Name: "worker_0", Chief: true}}}
			top, _, err := TopOf(&tt.job, at(tt.now))
			if err != nil {
				t.Fatal(err)
			}
			var phases []string
			for _, p := range top.Phases {
				phases = append(phases, fmt.Sprintf("%s %v", p.Name, p.Seconds))
			}
			if got := fmt.Sprintf("%s %v %v: %s", top.Phase, top.PhaseSeconds, top.SinceStep, strings.Join(phases, ", ")); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if top.StepRate != tt.rate {
				t.Errorf("%v steps a second, want %v", top.StepRate, tt.rate)
			}
		})
	}
}
