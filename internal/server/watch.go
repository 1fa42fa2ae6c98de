package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// How often a run is looked at. A look that took long is followed by a longer rest,
// so that watching takes a small share of one core.
const (
	lookLive  = 250 * time.Millisecond
	lookEnded = time.Second
	lookShare = 20
	lookRest  = 2 * time.Second
	lookAlive = 3 * time.Second // whether the processes are still there, which no file tells
)

// live is what a run offers that may be written while it is read.
type live interface {
	source.Run
	source.Metrics
	TailNow() (source.Tail, error)
	SampleCount(host string) (int64, error)
	SamplesFrom(host string, n int64, fn func(i int64, s *record.Sample) error) error
}

// Events of a run's stream.
type (
	// StatusNews says how a run stands.
	StatusNews struct {
		Run    string `json:"run"`
		Status string `json:"status"`
		Live   bool   `json:"live"`
	}
	// StepNews says how far a run has come.
	StepNews struct {
		Run      string           `json:"run"`
		Steps    map[string]int64 `json:"steps"`
		Progress *Progress        `json:"progress"`
	}
	// Progress is how far a training has come.
	Progress struct {
		Step     int64    `json:"step"`
		Of       int64    `json:"of" doc:"0 where that is not known."`
		Fraction *float64 `json:"fraction"`
	}
	// MetricNews is a sample of a machine.
	MetricNews struct {
		Run    string   `json:"run"`
		Host   string   `json:"host"`
		Names  []string `json:"names"`
		Time   float64  `json:"time"`
		Values floats   `json:"values"`
	}
	// FindingNews are findings that were not there before.
	FindingNews struct {
		Run           string           `json:"run"`
		Findings      []record.Finding `json:"findings"`
		GroupsChanged bool             `json:"groups_changed"`
	}
	// RunNews says that something of a run changed.
	RunNews struct {
		Run string `json:"run"`
	}
)

// runWatch looks for what is new of a run.
type runWatch struct {
	t    *topic
	run  source.Run
	live live // nil: it is not of this format
	tail source.Tail

	status   StatusNews
	steps    map[string]int64
	told     StepNews
	plans    int
	findings map[string]bool
	samples  map[string]int64 // by host: those that were told
	times    map[string]time.Time
	facts    []byte // of the run, that epochs were read from
	epochs   *record.EpochFacts
	// evaluated are series of evaluations that are not over.
	evaluated map[string]bool
	started   bool
}

// watchRun says what is new of a run until ctx ends, the run is gone, or nobody has
// listened for a while.
func (s *Server) watchRun(ctx context.Context, t *topic) {
	path, err := s.runs.path(t.name)
	if err != nil {
		return
	}
	dir, err := os.Stat(path)
	if err != nil {
		return
	}
	run, err := s.runs.get(t.name)
	for ; err != nil; run, err = s.runs.get(t.name) { // its files may be half there
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEnded):
		}
		if t.idle() || errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	w := &runWatch{t: t, run: run, findings: map[string]bool{}, samples: map[string]int64{}, times: map[string]time.Time{}, evaluated: map[string]bool{}}
	w.live, _ = run.(live)
	defer func() {
		if w.tail != nil {
			w.tail.Close()
		}
	}()
	files := newStamp(path)
	alive := time.Time{}
	for !t.idle() {
		began := time.Now()
		if now, err := os.Stat(path); err != nil || !os.SameFile(now, dir) {
			t.say("reset", RunNews{t.name})
			return
		}
		c := files.look()
		if c.any && w.started && w.status.Status != record.Running {
			// What has ended is not read again. When its run was resumed, or its tags
			// changed, another reader may have opened it again.
			if now, err := s.runs.get(t.name); err != nil || now != run {
				t.say("reset", RunNews{t.name})
				return
			}
		}
		if c.any || w.status.Status == record.Running && time.Since(alive) > lookAlive {
			alive = began
			w.look(c)
		}
		rest := lookEnded
		if w.status.Status == record.Running {
			rest = lookLive
		}
		rest = max(rest, min(lookShare*time.Since(began), lookRest))
		select {
		case <-ctx.Done():
			return
		case <-time.After(rest):
		}
	}
}

// look reads what was stored and says what is new.
func (w *runWatch) look(c changed) {
	// What was stored before the run ended is there when it says so.
	run := w.run.Run()
	if !w.started {
		w.begin(&run)
	}
	w.progressed(&run, w.grown(&run))
	if c.findings {
		w.found()
	}
	if c.rules && w.started {
		w.t.say("rules", RunNews{w.t.name})
	}
	if n := len(run.Plan); n != w.plans {
		if w.started {
			w.t.say("plan", RunNews{w.t.name})
		}
		w.plans = n
	}
	w.sampled()
	if now := (StatusNews{w.t.name, run.Status, run.Status == record.Running}); now != w.status {
		w.status = now
		if w.started {
			w.t.say("status", now)
		}
	}
	w.started = true
	w.t.stand(w.status, w.told)
}

// begin notes where a run stands, so that only what comes after is told.
func (w *runWatch) begin(run *record.Run) {
	w.steps = maps.Clone(run.Steps)
	if w.steps == nil {
		w.steps = map[string]int64{}
	}
	w.plans = len(run.Plan)
	for _, f := range w.run.Findings() {
		w.findings[streamKey(&f)] = true
	}
	if w.live == nil || run.Over() {
		return
	}
	w.tail, _ = w.live.TailNow()
	for _, host := range w.live.Hosts() {
		if n, err := w.live.SampleCount(host); err == nil {
			w.samples[host] = n
		}
	}
}

// progressed says how far the run has come, and which series have grown.
func (w *runWatch) progressed(run *record.Run, grown map[string]bool) {
	for mode, n := range run.Steps {
		w.steps[mode] = max(w.steps[mode], n)
	}
	now := StepNews{Run: w.t.name, Steps: maps.Clone(w.steps), Progress: progressOf(run, w.steps)}
	if w.started && maps.Equal(now.Steps, w.told.Steps) && len(grown) == 0 {
		return
	}
	w.told = now
	if !w.started {
		return
	}
	if b, err := json.Marshal(now); err == nil {
		w.t.publish(event{name: "steps", data: b, grown: grown})
	}
}

// progressOf is how many updates were made, of how many.
func progressOf(run *record.Run, steps map[string]int64) *Progress {
	step := steps[record.Train.String()] + steps[record.Global.String()]
	if step == 0 {
		return nil
	}
	p := &Progress{Step: step}
	if e := run.Clock().Epochs; e != nil && e.Total > 0 {
		p.Of = e.Total
		fraction := min(float64(step)/float64(e.Total), 1)
		p.Fraction = &fraction
	}
	return p
}

// found says which findings are new, and that groups may have changed.
func (w *runWatch) found() {
	news := FindingNews{w.t.name, []record.Finding{}, true}
	for _, f := range w.run.Findings() {
		if k := streamKey(&f); !w.findings[k] {
			w.findings[k] = true
			news.Findings = append(news.Findings, f)
		}
	}
	if w.started {
		w.t.say("findings", news)
	}
}

// streamKey tells findings apart.
func streamKey(f *record.Finding) string {
	b, err := json.Marshal([]any{f.Rule, f.Configuration, f.Check, f.Step, f.Mode, f.Subject, f.Time, f.Worker})
	if err != nil {
		return f.Rule + f.Check + strconv.FormatInt(f.Step, 10)
	}
	return string(b)
}

// sampled says what the machines' metrics are, if anybody wants to know.
func (w *runWatch) sampled() {
	if w.live == nil || w.tail == nil {
		return
	}
	for _, host := range w.live.Hosts() {
		if !w.t.wantsMetrics() { // nobody looks: go on from what is there when somebody does
			if n, err := w.live.SampleCount(host); err == nil {
				w.samples[host] = n
			}
			continue
		}
		_ = w.live.SamplesFrom(host, w.samples[host], func(i int64, s *record.Sample) error {
			w.samples[host] = i + 1
			m := MetricNews{Run: w.t.name, Host: host, Time: unix(s.Time)}
			for _, v := range s.Values {
				m.Names, m.Values = append(m.Names, v.Name), append(m.Values, v.Value)
			}
			if b, err := json.Marshal(m); err == nil {
				w.t.publish(event{name: "metrics", data: b, metric: true})
			}
			return nil
		})
	}
}
