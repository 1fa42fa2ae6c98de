package record

import "time"

// StepPart is one of the parts that a step's time is divided into. At any moment
// a training is in exactly one of them.
type StepPart uint8

// Parts of a step.
const (
	WaitForData StepPart = iota // for the next batch
	CopyToDevice
	Forward // the models and their losses
	Backward
	WaitForRanks // for other processes of the training
	Optimizer
	SaveCheckpoint
	Other // all else
	// StepParts is their number, and stands for the whole step without its gap.
	StepParts
)

var stepParts = [StepParts]string{"data", "to_device", "forward", "backward", "ranks", "optimizer", "checkpoint", "other"}

// String is the part's name in the series: "data" of "time/data".
func (p StepPart) String() string {
	if p < StepParts {
		return stepParts[p]
	}
	if p == StepParts {
		return "step"
	}
	return "unknown"
}

// TimeSeries is the series of the length of steps; those of the parts are
// "time/" and the part's name.
const TimeSeries = "time/step"

// Series is the name of the part's series.
func (p StepPart) Series() string { return "time/" + p.String() }

// PartOf is the part that a series is of.
func PartOf(series string) (p StepPart, ok bool) {
	for p := range StepParts + 1 {
		if p.Series() == series {
			return p, true
		}
	}
	return 0, false
}

// StepTime is where the time of a step went, or that of a few short steps of one
// worker and mode that follow each other. Durations are sums over these steps,
// in nanoseconds.
type StepTime struct {
	Worker   string
	Step     int64 // global step of the first one
	Mode     Mode
	ModeStep int64
	Steps    int64 // how many there are
	// Start is where the gap before the first step began, End where the last one
	// closed. Nothing lies between two rows of a worker but what its process did
	// outside of all steps.
	Start, End time.Time
	Gap        int64 // of the whole: between the end of a step and the beginning of the next
	// Parts add up to End - Start. The gap is divided among them, too.
	Parts [StepParts]int64
	// Longest is the longest of these steps, without its gap, and LongestStep
	// its mode step.
	Longest     int64
	LongestStep int64
}

// Total is the time of the steps and of the gaps before them.
func (t *StepTime) Total() (ns int64) {
	for _, p := range t.Parts {
		ns += p
	}
	return ns
}

// Seconds is how long a part of one of these steps took.
func (t *StepTime) Seconds(p StepPart) float64 {
	ns := t.Total() - t.Gap
	if p < StepParts {
		ns = t.Parts[p]
	}
	return float64(ns) / 1e9 / float64(max(t.Steps, 1))
}
