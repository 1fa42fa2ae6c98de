package slow

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// MemoryGrowth is the rule.
var MemoryGrowth = rule.Definition{
	Name: "memory_growth", Class: "MemoryGrowth", Family: rule.Metrics, Severity: rule.Warning,
	Summary: "The job's memory grows until it will not fit.",
	Why:     "The job ends with an error, or the system ends it, after hours.",
	Parameters: []rule.Parameter{
		{Name: "hours", Type: rule.Float, Default: "12", Range: rule.AtLeast(0), Unit: "hours", Meaning: "the time within which the memory must be full for a warning, where the length of the training is not known"},
		{Name: "trained", Type: rule.Float, Default: "10", Range: rule.AtLeast(0), Unit: "seconds", Meaning: "the time over which the memory must have grown"},
	},
	CauseClass: "memory-growth",
	Causes:     []string{"results are kept that hold the graph of their step: a list of losses that are tensors", "a cache without a bound"},
	Remedies:   []string{"keep numbers instead of tensors (loss.item(), .detach())", "bound what is cached"},
	Checks: []rule.Check{{
		ID: "memory_growth/will_not_fit", Files: []string{"slow/memory_growth.go"}, Severity: rule.Warning, OtherSeverities: []rule.Severity{rule.Info}, CauseClass: "memory-growth", Scope: rule.ScopeGeneral,
		When:     "The memory of the job's processes has grown steadily with its steps, and will be more than there is before the training ends.",
		Evidence: "memory {bytes:bytes}, limit {limit_bytes:bytes}; it grows by {bytes_per_second:bytes} a second and is full in {seconds_left:seconds}",
	}},
	Lacks:   "the memory of the job is not known",
	Default: &rule.Preset{Why: "only growth that goes on, and that would fill the memory, is reported"},
	Needs:   func(rule.Params) []rule.Need { return nil },
	New:     func(p rule.Params) (rule.Rule, error) { return &memory{p: p}, nil },
}

// memory follows the memory of a job's processes: one point for each second at
// first, and fewer as the training grows longer.
type memory struct {
	p     rule.Params
	facts *rule.Facts
	state struct {
		Points []point   `json:"points"`
		Every  float64   `json:"every"`
		Limit  float64   `json:"limit"` // bytes that there are for the job
		Steps  int64     `json:"steps"`
		Began  time.Time `json:"began"` // the first update had been made
		Grows  time.Time `json:"grows"` // since when it has grown; zero: it does not
		Told   bool      `json:"told"`
	}
}

type point struct {
	Seconds float64 `json:"s"` // since the first update
	Bytes   float64 `json:"b"`
	Steps   int64   `json:"n"` // updates until then
}

const mostPoints = 240

func (r *memory) Select() []rule.Selector             { return nil }
func (r *memory) Step(*rule.View, *rule.Report)       {}
func (r *memory) Save() ([]byte, error)               { return json.Marshal(&r.state) }
func (r *memory) Facts(f *rule.Facts, _ *rule.Report) { r.facts = f }

func (r *memory) Restore(b []byte) error {
	if err := json.Unmarshal(b, &r.state); err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	return nil
}

// Window implements rule.WindowReader.
func (r *memory) Window(w *rule.Window, rep *rule.Report) {
	times := w.Times
	for i := range w.Samples {
		x := &w.Samples[i]
		for len(times) > 0 && !times[0].End.After(x.Time) {
			r.updates(&times[0])
			times = times[1:]
		}
		if r.state.Steps > firstSteps {
			r.sample(x)
		}
	}
	for i := range times {
		r.updates(&times[i])
	}
	if len(r.state.Points) > 0 {
		rep.Inspect(1)
		if whole(w) {
			r.judge(rep, w)
		}
	}
}

// whole reports whether the job was there to the end of a window. The last one mostly
// breaks off: what is said of its memory then is said when it has ended.
func whole(w *rule.Window) bool {
	before, last := w.From, w.From
	for i := range w.Samples {
		if job, _ := jobMemory(&w.Samples[i]); job > 0 {
			before, last = last, w.Samples[i].Time
		}
	}
	return last.After(w.From) && w.To.Sub(last) <= max(2*last.Sub(before), time.Second)
}

// jobMemory is the memory of the processes of the job, and the values about what
// there is.
func jobMemory(x *rule.Sample) (job float64, of map[string]float64) {
	of = map[string]float64{}
	for _, v := range x.Values {
		switch {
		case strings.HasPrefix(v.Name, "process/") && strings.HasSuffix(v.Name, "/rss_bytes") && !strings.Contains(v.Name, "/child/"):
			job += v.Value
		case v.Name == "memory/used_bytes", v.Name == "memory/used_percent", v.Name == "cgroup/memory_limit_bytes":
			of[v.Name] = v.Value
		}
	}
	return job, of
}

func (r *memory) updates(t *rule.StepTime) {
	if t.Mode != rule.Train && t.Mode != rule.Global {
		return
	}
	r.state.Steps += t.Steps
	if r.state.Began.IsZero() && r.state.Steps > firstSteps {
		r.state.Began = t.End
	}
}

func (r *memory) sample(x *rule.Sample) {
	job, of := jobMemory(x)
	used, percent, limit := of["memory/used_bytes"], of["memory/used_percent"], of["cgroup/memory_limit_bytes"]
	if job == 0 {
		return
	}
	if percent > 0 { // what others use is not there for the job
		free := used/percent*100 - used
		r.state.Limit = job + free
	}
	if limit > 0 {
		r.state.Limit = min(r.state.Limit, limit)
	}
	at := x.Time.Sub(r.state.Began).Seconds()
	if n := len(r.state.Points); n > 0 && at-r.state.Points[n-1].Seconds < max(0.5, r.state.Every) {
		return
	}
	r.state.Points = append(r.state.Points, point{at, job, r.state.Steps})
	if n := len(r.state.Points); n >= mostPoints {
		half := r.state.Points[:0]
		for i := 0; i < n; i += 2 {
			half = append(half, r.state.Points[i])
		}
		r.state.Points, r.state.Every = half, 2*max(0.5, r.state.Every)
	}
}

// growth is the rate in bytes per second, when the memory grows in each quarter of
// what was seen, and in the last one not much slower than in all.
func (r *memory) growth() (rate float64, ok bool) {
	p := r.state.Points
	n := len(p)
	if n < 16 || p[n-1].Seconds-p[0].Seconds < r.p.Float("trained") {
		return 0, false
	}
	rate = slope(p)
	for q := range 4 {
		if slope(p[q*n/4:(q+1)*n/4]) < 0.5*rate {
			return 0, false
		}
	}
	grown := p[n-1].Bytes - p[0].Bytes
	return rate, rate > 0 && grown > 100e6 && grown > 0.1*p[0].Bytes
}

// slope is that of the line through points by least squares, in bytes per second.
func slope(p []point) float64 {
	var t, b float64
	for _, x := range p {
		t, b = t+x.Seconds, b+x.Bytes
	}
	n := float64(len(p))
	t, b = t/n, b/n
	var tb, tt float64
	for _, x := range p {
		tb, tt = tb+(x.Seconds-t)*(x.Bytes-b), tt+(x.Seconds-t)*(x.Seconds-t)
	}
	if tt == 0 {
		return 0
	}
	return tb / tt
}

// lasting reports whether the growth is more than a cache that is filled once: it
// went on in a third epoch, or, where epochs are not known, for a good part of the
// time until the memory is full.
func (r *memory) lasting(full float64) bool {
	p := r.state.Points
	last := p[len(p)-1]
	if r.facts != nil && r.facts.Epochs != nil {
		if e, ok := r.facts.Epochs.Of(last.Steps); ok {
			return e.Number >= 3
		}
	}
	return last.Seconds-p[0].Seconds > full/4
}

// left is how long the training goes on, as far as that is known.
func (r *memory) left() (seconds float64, known bool) {
	p := r.state.Points
	last := p[len(p)-1]
	if r.facts == nil || r.facts.Epochs == nil || r.facts.Epochs.Total == 0 || last.Steps == 0 {
		return r.p.Float("hours") * 3600, false
	}
	return float64(max(0, r.facts.Epochs.Total-last.Steps)) * last.Seconds / float64(last.Steps), true
}

// Finish implements rule.Rule.
func (r *memory) Finish(rep *rule.Report) {
	if len(r.state.Points) == 0 {
		return
	}
	// What the job does with its memory after its last step is no growth of a training.
	p := r.state.Points
	for len(p) > 1 && p[len(p)-2].Steps == p[len(p)-1].Steps {
		p = p[:len(p)-1]
	}
	r.state.Points = p
	r.judge(rep, nil)
}

// judge judges at the end of a window; nil: at that of the job.
func (r *memory) judge(rep *rule.Report, w *rule.Window) {
	ended := w == nil
	if r.state.Told {
		return
	}
	rate, ok := r.growth()
	if !ok || r.state.Limit == 0 {
		r.state.Grows = time.Time{}
		return
	}
	p := r.state.Points
	last := p[len(p)-1]
	full := (r.state.Limit - last.Bytes) / rate
	if left, _ := r.left(); full > left || !r.lasting(full) {
		r.state.Grows = time.Time{}
		return
	}
	if !ended {
		if r.state.Grows.IsZero() {
			r.state.Grows = w.From
		}
		if w.To.Sub(r.state.Grows) < 2*record.WindowLength {
			return
		}
	}
	r.state.Told = true
	each := rate * (last.Seconds - p[0].Seconds) / float64(max(1, last.Steps-p[0].Steps))
	message := fmt.Sprintf("The job's memory grows by %s a second, %s with each step; %s are left, and will be used up in about %s.", size(rate), size(each), size(r.state.Limit-last.Bytes), span(full))
	severity := rule.Warning
	if ended && !rep.Cut {
		severity = rule.Info
		message = fmt.Sprintf("The job's memory grew to the end, by %s with each step: it would not fit in a training of %.3g times as many steps.", size(each), (r.state.Limit-p[0].Bytes)/(last.Bytes-p[0].Bytes))
	}
	rep.Violate(rule.Violation{
		Severity: severity, Check: "will_not_fit", Subject: "memory", Observed: last.Bytes, Threshold: r.state.Limit, Comparator: "<", Steps: int(min(last.Steps, math.MaxInt32)),
		Message: message,
		Context: map[string]any{"bytes_per_second": rate, "bytes_per_step": each, "seconds_left": full, "bytes": last.Bytes, "limit_bytes": r.state.Limit},
	})
}

func size(b float64) string {
	for _, unit := range []string{"bytes", "KB", "MB", "GB"} {
		if b < 1000 || unit == "GB" {
			return fmt.Sprintf("%.3g %s", b, unit)
		}
		b /= 1000
	}
	return ""
}

func span(s float64) string {
	switch {
	case s < 120:
		return fmt.Sprintf("%.0f seconds", s)
	case s < 7200:
		return fmt.Sprintf("%.0f minutes", s/60)
	}
	return fmt.Sprintf("%.0f hours", s/3600)
}
