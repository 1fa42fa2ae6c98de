package view

import (
	"errors"
	"fmt"
	"io/fs"
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

// Curve is one line of a chart over global steps. A value that is not finite is
// a gap.
type Curve struct {
	Name   string
	Steps  []int64
	Values []float64
}

// Mark is a finding as curves show it.
type Mark struct {
	Step     int64           `json:"step"`
	Rule     string          `json:"rule"`
	Severity record.Severity `json:"severity"`
	Subject  string          `json:"subject"`
}

// clock turns mode steps into global steps, which all charts share.
type clock map[record.Mode]map[int64]int64

func newClock(t source.Run) clock {
	c := clock{}
	for _, mode := range t.Modes() {
		c[mode] = map[int64]int64{}
		for _, s := range t.StepInfos(mode, "") {
			c[mode][s.ModeStep] = s.Step
		}
	}
	return c
}

func (c clock) global(mode record.Mode, steps []int64) []int64 {
	out := make([]int64, len(steps))
	for i, s := range steps {
		g, ok := c[mode][s]
		if !ok {
			g = s
		}
		out[i] = g
	}
	return out
}

// Curves are the loss in every mode, then further losses and logged numbers.
func Curves(t source.Run, size Size) ([]Curve, error) {
	infos, clock := t.Tensors(), newClock(t)
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
			steps, values, err := t.Series(source.Query{Tensor: name, Mode: mode})
			if errors.Is(err, fs.ErrNotExist) || (err == nil && len(steps) == 0) {
				continue // announced, but without a value in this mode
			}
			if err != nil {
				return nil, fmt.Errorf("read series %q: %w", name, err)
			}
			steps, values = thin(clock.global(mode, steps), values, size.Points)
			label := name
			if mode != record.Global {
				label += " (" + mode.String() + ")"
			}
			curves = append(curves, Curve{Name: label, Steps: steps, Values: values})
		}
	}
	return curves, nil
}

// ofBoosting tells the many numbers of a boosting that are no course of a
// training: settings, and shares of features.
func ofBoosting(info record.TensorInfo) bool {
	return slices.ContainsFunc(info.Collections, func(c string) bool {
		return c == plan.Hyperparameters || c == plan.FeatureImportance || c == plan.AverageShap
	})
}

// Marks are the first findings that count.
func Marks(findings []record.Finding, size Size) []Mark {
	out := []Mark{}
	for _, f := range findings {
		if !f.Muted && len(out) < size.Marks {
			out = append(out, Mark{f.Step, f.Rule, f.Severity, f.Subject})
		}
	}
	return out
}
