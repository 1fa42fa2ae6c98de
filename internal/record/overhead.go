package record

import (
	"fmt"
	"strconv"
)

// Overhead is what capture took, measured by Vigil itself. Percent and
// SincePercent are shares of the time that the steps would have taken without
// it; StepSeconds is with it.
type Overhead struct {
	CapturedSeconds float64 `json:"captured_seconds"`
	StepSeconds     float64 `json:"step_seconds"`
	Percent         float64 `json:"percent"`
	// OnceSeconds came once: the start of the launcher and of the hook, the
	// first steps, in which it finds out what there is, and the end.
	OnceSeconds float64 `json:"once_seconds,omitempty"`
	// SinceSeconds are those of the steps after the first ones, without capture;
	// SinceSteps are these steps.
	SinceSeconds float64 `json:"since_seconds,omitempty"`
	SincePercent float64 `json:"since_percent,omitempty"`
	SinceSteps   int64   `json:"since_steps,omitempty"`
	// BudgetPercent is what capture may add; 0 where the intervals were given.
	BudgetPercent float64 `json:"budget_percent,omitempty"`
}

// FewSeconds is the training time after the first steps below which a share of
// it says nothing, FewSteps the number of steps.
const (
	FewSeconds = 2
	FewSteps   = 20
)

// Steady is the share that capture added to the steps after the first ones, in
// percent. It is false where they were too few, or too short together: how a step
// went by chance, and whether it was captured, would say more than what capture costs.
func (o Overhead) Steady() (percent float64, ok bool) {
	if o.OnceSeconds == 0 { // a run of a version that did not tell the first steps apart
		return o.Percent, o.StepSeconds >= FewSeconds
	}
	return o.SincePercent, o.SinceSeconds >= FewSeconds && (o.SinceSteps >= FewSteps || o.SinceSteps == 0)
}

// Seconds is all that capture took.
func (o Overhead) Seconds() float64 {
	if o.OnceSeconds == 0 {
		return o.CapturedSeconds
	}
	return o.OnceSeconds + o.SinceSeconds*o.SincePercent/100
}

// Cost says in a line what capture cost: of how long the run took, and what it adds
// to each step, next to what it may add. "" where nothing is known of it.
func (r *Run) Cost() string {
	o := r.Overhead
	if o.StepSeconds <= 0 {
		return ""
	}
	text := Seconds(o.Seconds()) + " so far"
	if r.Ended != nil {
		text = Seconds(o.Seconds())
		if whole := r.Ended.Sub(r.Started).Seconds(); whole >= o.Seconds() {
			text += " of " + Seconds(whole)
		}
	}
	if o.OnceSeconds > o.Seconds()/2 {
		text += ", most of it at the start and the end"
	}
	share, steady := o.Steady()
	if !steady {
		return text + "; too short for a share"
	}
	text += ", " + percent(share) + " in steady state"
	if o.BudgetPercent > 0 {
		text += ", budget " + strconv.FormatFloat(o.BudgetPercent, 'g', 3, 64) + " %"
	}
	return text
}

// percent has a digit of what is below 1, and no more than a figure can hold.
func percent(p float64) string {
	switch {
	case p < 1:
		return strconv.FormatFloat(p, 'g', 1, 64) + " %"
	case p < 100:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return fmt.Sprintf("%.0f %%", p)
}
