package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/bench/internal/training"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// row is a session's row of the table: of the bare, the watched and the faulted
// training, in the turns of the fault.
func row(w workload, f fault, v *victim, all []*training.Process) string {
	var ordinary, slow [3]float64
	worst := 0.0
	for i, p := range all {
		var walls []float64
		for _, t := range p.Turns[calm:] {
			walls = append(walls, t.Walls...)
		}
		ordinary[i], slow[i], worst = training.Quantile(walls, 0.5), training.Quantile(walls, 0.99), slices.Max(walls)
	}
	same := "equal"
	for _, p := range all[1:] {
		if !slices.Equal(p.Losses, all[0].Losses) {
			same = "DIFFERENT"
		}
	}
	stored, told := left(v, all[2])
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %.2fx | %.2fx | %s | %s | %s |", w.name, f.name, ms(ordinary[0]), ms(slow[0]), ms(slow[1]),
		ms(ordinary[2]), ms(slow[2]), ms(worst), slow[2]/slow[0], slow[2]/slow[1], same, stored, told)
}

func ms(seconds float64) string { return fmt.Sprintf("%.2f ms", 1e3*seconds) }

// left is what the run of the faulted training holds: how many losses of how
// many, and what it says is missing.
func left(v *victim, p *training.Process) (stored, told string) {
	t, err := trial.Open(v.path)
	if err != nil {
		return "-", firstLine(p.Said())
	}
	defer t.Close()
	steps, _, err := t.Series(trial.Query{Tensor: "loss", Mode: record.Train})
	if err != nil { // its directory is gone, and only what was written since is there
		return "-", firstLine(p.Said())
	}
	r := t.Run()
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(r.Dropped)) {
		parts = append(parts, fmt.Sprintf("dropped %d (%s)", r.Dropped[what], what))
	}
	for _, n := range r.NotCaptured {
		parts = append(parts, fmt.Sprintf("%s: %s", n.Name, n.Reason))
	}
	if len(parts) == 0 {
		parts = []string{"nothing is missing"}
	}
	return fmt.Sprintf("%d of %d losses", len(steps), len(p.Losses)), r.Status + "; " + strings.Join(parts, "; ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
