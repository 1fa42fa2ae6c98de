package view

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// rateReach is how many steps from its ends a run's rates are looked for in.
const rateReach = 1000

// LearningRate says which rate the last update was made with of which it is known, and which
// one the first; "" where they are equal, or none is.
func LearningRate(t source.Run) string {
	made := t.Run().Steps[record.Train.String()]
	begins, first := rates(t, 0, min(made, rateReach))
	ends, last := rates(t, max(0, made-rateReach), made)
	if len(first) == 0 || len(last) == 0 || first[0] == last[len(last)-1] {
		return ""
	}
	return fmt.Sprintf("%s in step %d, %s in step %d", record.Digits(last[len(last)-1]), ends[len(ends)-1], record.Digits(first[0]), begins[0])
}

// rates are those of the updates of some steps. Damage is said elsewhere.
func rates(t source.Run, from, to int64) ([]int64, []float64) {
	steps, values, err := t.Series(source.Query{Tensor: record.LearningRate, Stat: "value", Mode: record.Train, From: from, To: to})
	if err != nil {
		return nil, nil
	}
	return steps, values
}
