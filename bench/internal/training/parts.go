package training

import (
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// Parts are milliseconds a step by part, as the run at path has them of its chief, from the step first on.
func Parts(path string, first int64) (map[string]float64, error) {
	t, err := trial.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the parts of steps: %w", err)
	}
	defer t.Close()
	sum, steps := map[string]float64{}, int64(0)
	err = t.Times("", time.Time{}, time.Time{}, func(r *record.StepTime) error {
		if r.ModeStep >= first {
			steps += r.Steps
			for p, ns := range r.Parts {
				sum[record.StepPart(p).String()] += float64(ns) / 1e6
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the parts of steps: %w", err)
	}
	if steps == 0 {
		return nil, fmt.Errorf("no step times in %s", path)
	}
	for p := range sum {
		sum[p] /= float64(steps)
	}
	return sum, nil
}
