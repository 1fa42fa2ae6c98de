package view

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Size is how much curves and heat maps may hold.
type Size struct {
	Points  int // of one curve; spikes are kept
	Curves  int
	Marks   int // findings on the curves
	Cells   int // of all heat maps together
	Rows    int // of one heat map
	Columns int
}

// Curve is one line of a chart over updates. A value that is not finite is a
// gap.
type Curve struct {
	Name   string
	Steps  []int64
	Values []float64
	Gaps   []Gap // also those that thinning out left no trace of
}

// Gap are the steps, both ends included, in which no value is finite.
type Gap [2]int64

// mostGaps bounds the gaps of a curve; what lies between the last ones is one with them.
const mostGaps = 40

func gapsOf(steps []int64, values []float64) []Gap {
	var gaps []Gap
	open := false
	for i, v := range values {
		finite := !math.IsNaN(v) && !math.IsInf(v, 0)
		switch n := len(gaps); {
		case finite:
			open = false
		case open || n == mostGaps:
			gaps[n-1][1] = steps[i]
		default:
			gaps, open = append(gaps, Gap{steps[i], steps[i]}), true
		}
	}
	return gaps
}

// Mark is a finding as curves show it.
type Mark struct {
	Step     int64           `json:"step"`
	Rule     string          `json:"rule"`
	Severity record.Severity `json:"severity"`
	Subject  string          `json:"subject"`
}

// together makes one point of those that are at one place, their mean.
func together(steps []int64, values []float64) (places []int64, means []float64) {
	for i := 0; i < len(steps); {
		n, sum := 0, 0.0
		for j := i; j < len(steps) && steps[j] == steps[i]; j++ {
			n, sum = n+1, sum+values[j]
		}
		places, means = append(places, steps[i]), append(means, sum/float64(n))
		i += n
	}
	return places, means
}

// Curves are the loss in every mode, then further losses and logged numbers.
func Curves(t source.Run, size Size) ([]Curve, error) {
	infos, clock := t.Tensors(), newClock(t)
	passes := newPassReader(t, clock)
	var curves []Curve
	names := []string{"loss"}
	for _, kind := range []record.Kind{record.Loss, record.Metric} {
		for _, info := range infos {
			if info.Kind == kind && info.AliasOf == "" && !slices.Contains(names, info.Name) && !ofBoosting(info) {
				names = append(names, info.Name)
			}
		}
	}
	for _, name := range names {
		for _, mode := range t.Modes() {
			if len(curves) == size.Curves {
				return curves, nil
			}
			steps, values, err := curveOf(t, passes, source.Query{Tensor: name, Mode: mode})
			if errors.Is(err, fs.ErrNotExist) || (err == nil && len(steps) == 0) {
				continue // announced, but without a value in this mode
			}
			if err != nil {
				return nil, fmt.Errorf("read series %q: %w", name, err)
			}
			gaps := gapsOf(steps, values)
			steps, values = thin(steps, values, size.Points)
			label := name
			if mode != record.Global {
				label += " (" + mode.String() + ")"
			}
			curves = append(curves, Curve{Name: label, Steps: steps, Values: values, Gaps: gaps})
		}
	}
	return curves, nil
}

// curveOf reads a series over updates. An evaluation is one point.
func curveOf(t source.Run, r *passReader, q source.Query) (steps []int64, values []float64, err error) {
	if !q.Mode.Evaluates() {
		steps, values, err = t.Series(q)
		steps, values = together(r.clock.updates(q.Mode, steps), values)
		return steps, values, err
	}
	list, err := r.over(q)
	for i, x := range updatesOf(list) {
		steps, values = append(steps, x), append(values, list[i].value)
	}
	return steps, values, err
}

// ofBoosting tells the many numbers of a boosting that are no course of a
// training: settings, and shares of features.
func ofBoosting(info record.TensorInfo) bool {
	return slices.ContainsFunc(info.Collections, func(c string) bool {
		return c == plan.Hyperparameters || c == plan.FeatureImportance || c == plan.AverageShap
	})
}

// Rates is the learning rate over updates, of a training whose only optimiser
// was followed; false where that is not known.
func Rates(f *record.Facts) (Curve, bool) {
	if f == nil || f.Schedule == nil || len(f.Schedule.Steps) < 2 || len(f.Schedule.Steps) != len(f.Schedule.Rates) {
		return Curve{}, false
	}
	return Curve{Name: "learning rate", Steps: f.Schedule.Steps, Values: f.Schedule.Rates, Gaps: gapsOf(f.Schedule.Steps, f.Schedule.Rates)}, true
}

// Marks are the first findings that count, at the updates that curves show.
func Marks(t source.Run, findings []record.Finding, size Size) []Mark {
	clock := newClock(t)
	out := []Mark{}
	for _, f := range findings {
		if !f.Muted && len(out) < size.Marks {
			at := f.Step
			if steps := clock.updates(f.Mode, []int64{f.ModeStep}); f.Mode != record.Global && f.ModeStep >= 0 {
				at = steps[0]
			}
			out = append(out, Mark{at, f.Rule, f.Severity, f.Subject})
		}
	}
	return out
}
