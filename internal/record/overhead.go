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
	// SinceSeconds are those of the steps after the first ones, without capture.
	SinceSeconds float64 `json:"since_seconds,omitempty"`
	SincePercent float64 `json:"since_percent,omitempty"`
}

// FewSeconds is the training time after the first steps below which a share of
// it says nothing.
const FewSeconds = 2

// Text says what capture cost: once, at the start, in the first steps and at
// the end, and for each step since.
func (o Overhead) Text() string {
	once := Seconds(o.OnceSeconds) + " once"
	switch {
	case o.OnceSeconds == 0: // a run of a version that did not tell them apart
		return percent(o.Percent) + " of the step time"
	case o.SinceSeconds <= 0:
		return once
	case o.SinceSeconds < FewSeconds:
		return fmt.Sprintf("%s, %s in the %s of training since", once, Seconds(o.SinceSeconds*o.SincePercent/100), Seconds(o.SinceSeconds))
	}
	return once + ", " + percent(o.SincePercent) + " of each step since"
}

func percent(p float64) string {
	if p < 1 {
		return strconv.FormatFloat(p, 'g', 1, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}
