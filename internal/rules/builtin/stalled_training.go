package builtin

import (
	"fmt"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

// stalledTraining measures silence: the time since the newest step. It is not
// in the default set, because what silence is normal only the user knows (a
// notebook, a long evaluation, a download).
//
// A finding is dated to the moment at which the threshold was passed, not to
// the look at the clock that noticed it, so that live and replay agree.
var stalledTraining = rule.Definition{
	Name: "stalled_training_rule", Class: "StalledTrainingRule", Aliases: []string{"stalled_training", "StalledTraining"},
	Family: rule.Tensors, Severity: rule.Error,
	Checks:  stalledTrainingChecks,
	Summary: "The job has produced no new step for a while.",
	Why:     "Hangs (deadlocked collectives, starved loaders, dead mounts) silently cost money.",
	Parameters: []rule.Parameter{
		{Name: "threshold", Type: rule.Int, Default: "1800", Range: rule.AtLeast(1), Unit: "seconds", Meaning: "longest silence"},
		{Name: "stop_training_on_fire", Type: rule.Bool, Default: "False", Meaning: "whether to stop the job"},
		{Name: "training_job_name_prefix", Type: rule.String, Optional: true, Meaning: "stop only if the job's name begins with this; None: whatever its name"},
	},
	CauseClass: "hardware",
	Causes:     []string{"a deadlock in a collective operation, or a dead worker", "slow or dead storage", "data loading that starves", "an endless evaluation"},
	Remedies:   []string{"look where the processes stand (`vigil stacks`), and at CPU and network use", "set a timeout for collectives", "check the loader's workers"},
	Needs:      func(rule.Params) []rule.Need { return nil },
	New: func(p rule.Params) (rule.Rule, error) {
		if prefix := p.String("training_job_name_prefix"); strings.Trim(prefix, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return nil, &rule.ParamError{Rule: "stalled_training_rule", What: "training_job_name_prefix", Message: fmt.Sprintf("parameter %q: %q holds more than letters, digits and hyphens", "training_job_name_prefix", prefix), Hint: "give the beginning of the name of the job to stop"}
		}
		return &stalled{threshold: time.Duration(p.Int("threshold")) * time.Second, stop: p.Bool("stop_training_on_fire")}, nil
	},
}

type stalled struct {
	threshold time.Duration
	stop      bool
	state     struct {
		Last    rule.Point    `json:"last"`
		Steps   int64         `json:"steps"`
		Fired   bool          `json:"fired"` // in this silence
		Longest time.Duration `json:"longest"`
	}
}

func (r *stalled) Select() []rule.Selector { return nil }
func (r *stalled) Finish(*rule.Report)     {}
func (r *stalled) Save() ([]byte, error)   { return save(&r.state) }
func (r *stalled) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *stalled) Step(v *rule.View, rep *rule.Report) {
	r.Tick(v.Time, rep) // the silence that this step ends
	if !r.state.Last.Time.IsZero() && r.state.Steps > 0 && r.state.Steps <= 20 {
		r.state.Longest = max(r.state.Longest, v.Time.Sub(r.state.Last.Time))
		if r.state.Steps == 20 && r.state.Longest > r.threshold {
			rep.Note(fmt.Sprintf("steps are up to %s apart, more than the threshold of %s: raise the threshold", r.state.Longest.Round(time.Second), r.threshold))
		}
	}
	r.state.Last = rule.Point{Step: v.Step, Mode: v.Mode, ModeStep: v.ModeStep, Time: v.Time}
	r.state.Steps++
	r.state.Fired = false
	rep.Inspect(1)
}

// Paused implements rule.Pauser.
func (r *stalled) Paused(until time.Time) {
	if r.state.Last.Time.Before(until) {
		r.state.Last.Time, r.state.Fired = until, false
	}
}

// Tick implements rule.Ticker. The first look starts the clock.
func (r *stalled) Tick(now time.Time, rep *rule.Report) {
	if r.state.Last.Time.IsZero() {
		r.state.Last = rule.Point{Step: -1, ModeStep: -1, Time: now}
		return
	}
	if r.state.Fired || now.Sub(r.state.Last.Time) <= r.threshold {
		return
	}
	r.state.Fired = true
	at := r.state.Last
	at.Time = at.Time.Add(r.threshold)
	where := fmt.Sprintf("after %s step %d", at.Mode, at.ModeStep)
	if r.state.Steps == 0 {
		where = "since it was started"
	}
	rep.Violate(rule.Violation{
		Check: "silence", Subject: "training", Observed: r.threshold.Seconds(), Threshold: r.threshold.Seconds(), Comparator: ">", Steps: 2, StopTraining: r.stop, At: &at,
		Message: fmt.Sprintf("Training is stalled: no step for more than %s %s.", r.threshold, where),
		Context: map[string]any{"last_step": r.state.Last.Step, "last_time": r.state.Last.Time.UTC().Format(time.RFC3339Nano)},
	})
}
