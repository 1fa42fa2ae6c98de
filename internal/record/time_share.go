package record

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// TimeShare is a part of a training's time, in words.
type TimeShare struct {
	Name    string `json:"name"` // "optimiser", "evaluation"
	Span    Span   `json:"seconds"`
	Percent int    `json:"percent"` // whole points; those of a list add up to 100
}

var partWords = [StepParts]string{
	WaitForData: "data", CopyToDevice: "copy to device", Forward: "forward", Backward: "backward",
	WaitForRanks: "waiting for ranks", Optimizer: "optimiser", SaveCheckpoint: "checkpoints", Other: "other",
}

// Word is what people read for the part: "optimiser", "waiting for ranks".
func (p StepPart) Word() string {
	if p < StepParts {
		return partWords[p]
	}
	return p.String()
}

// trainingMode is the mode whose steps are the training: TRAIN, of a framework
// that knows no modes GLOBAL, else that which took longest.
func (t *RunTime) trainingMode() string {
	for _, mode := range []Mode{Train, Global} {
		if t.Modes[mode.String()].Seconds > 0 {
			return mode.String()
		}
	}
	best := ""
	for _, mode := range []Mode{Eval, Predict} {
		if t.Modes[mode.String()].Seconds > t.Modes[best].Seconds {
			best = mode.String()
		}
	}
	return best
}

// Shares divide the time of all steps: the parts of the training in their order,
// then evaluation and prediction, each as a whole, then what is left. A part
// below one in a hundred counts as other.
func (t *RunTime) Shares() []TimeShare {
	total := t.Total()
	if total <= 0 {
		return nil
	}
	training := t.trainingMode()
	var list []TimeShare
	other := Span(0)
	add := func(name string, took Span) {
		switch {
		case took*100 < total:
			other += took
		default:
			list = append(list, TimeShare{Name: name, Span: took})
		}
	}
	for p := range Other {
		add(p.Word(), t.Modes[training].Parts[p.String()])
	}
	for _, mode := range []Mode{Train, Eval, Predict, Global} {
		if mode.String() != training {
			add(mode.Activity(), t.Modes[mode.String()].Seconds)
		}
	}
	if other += t.Modes[training].Parts[Other.String()]; other > 0 {
		list = append(list, TimeShare{Name: Other.Word(), Span: other})
	}
	wholePoints(list, total)
	return slices.DeleteFunc(list, func(s TimeShare) bool { return s.Percent == 0 })
}

// wholePoints rounds shares so that they add up to 100: those that lost most by
// rounding down are rounded up.
func wholePoints(list []TimeShare, total Span) {
	left, rest := 100, make([]float64, len(list))
	order := make([]int, len(list))
	for i, s := range list {
		exact := 100 * float64(s.Span) / float64(total)
		list[i].Percent = int(math.Floor(exact))
		rest[i], order[i] = exact-math.Floor(exact), i
		left -= list[i].Percent
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, i := range order[:min(max(left, 0), len(order))] {
		list[i].Percent++
	}
}

// SharesText is "data 61 %, forward 22 %, other 17 %"; "" where nothing is known.
func (t *RunTime) SharesText() string {
	var parts []string
	for _, s := range t.Shares() {
		parts = append(parts, fmt.Sprintf("%s %d %%", s.Name, s.Percent))
	}
	return strings.Join(parts, ", ")
}

// Text is "CPU 51 % of 2 cores, peak memory 3.1 GB, no GPU"; "" where nothing is
// known.
func (u *MachineUse) Text() string {
	if u == nil {
		return ""
	}
	var parts []string
	if u.CPU != nil {
		cpu := fmt.Sprintf("CPU %.0f %%", *u.CPU)
		switch {
		case u.Cores == 1:
			cpu += " of 1 core"
		case u.Cores > 1:
			cpu += fmt.Sprintf(" of %d cores", u.Cores)
		}
		if u.JobCores > 0 && u.JobCores < float64(u.Cores) {
			cpu += " (the job may use " + Digits(u.JobCores) + ")"
		}
		parts = append(parts, cpu)
	}
	switch {
	case u.PeakJobMemory > 0:
		parts = append(parts, "peak memory "+Gigabytes(u.PeakJobMemory))
	case u.PeakMemory > 0:
		parts = append(parts, "peak memory of the machine "+Gigabytes(u.PeakMemory))
	}
	if len(parts) == 0 && len(u.GPUs) == 0 {
		return ""
	}
	return strings.Join(append(parts, u.gpuText()), ", ")
}

func (u *MachineUse) gpuText() string {
	switch len(u.GPUs) {
	case 0:
		return "no GPU"
	case 1:
		return fmt.Sprintf("GPU %.0f %%", u.GPUs[0].Percent)
	}
	low, high := math.Inf(1), 0.0
	for _, g := range u.GPUs {
		low, high = min(low, g.Percent), max(high, g.Percent)
	}
	if math.Round(low) == math.Round(high) {
		return fmt.Sprintf("%d GPUs %.0f %%", len(u.GPUs), low)
	}
	return fmt.Sprintf("%d GPUs %.0f to %.0f %%", len(u.GPUs), low, high)
}

// Gigabytes spells a number of bytes with two digits or more: "3.1 GB", "312 MB".
func Gigabytes(n int64) string {
	for _, u := range []struct {
		unit float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if v := float64(n) / u.unit; v >= 0.9995 || v >= 0.995 && u.unit > 1e9 {
			if v < 9.95 {
				return fmt.Sprintf("%.1f %s", v, u.name)
			}
			return fmt.Sprintf("%.0f %s", v, u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// Rate spells how often a second something happens: "81.3", "5,200", "0.25".
func Rate(perSecond float64) string {
	if perSecond < 0.995 {
		return fmt.Sprintf("%.2g", perSecond)
	}
	return Digits(perSecond)
}

// Activity is what a training does in the mode: "evaluation".
func (m Mode) Activity() string {
	switch m {
	case Train:
		return "training"
	case Eval:
		return "evaluation"
	case Predict:
		return "prediction"
	}
	return "steps without a mode"
}
