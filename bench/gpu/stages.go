package main

import (
	"time"

	"github.com/vigil-ml/vigil/bench/internal/training"
)

// stage is one part of the work.
type stage struct {
	name  string
	needs time.Duration // that must be left of a call for it to begin
	do    func(*bench) (*outcome, error)
}

// outcome is what a stage found; Error where it could not be done.
type outcome struct {
	Stage      string                        `json:"stage"`
	Seconds    float64                       `json:"seconds"`
	Error      string                        `json:"error,omitempty"`
	Skipped    string                        `json:"skipped,omitempty"`
	Costs      []cost                        `json:"costs,omitempty"`
	Equal      map[string]bool               `json:"equal,omitempty"`      // by what is compared
	Statistics map[string]statistics         `json:"statistics,omitempty"` // by element type
	Parts      map[string]map[string]float64 `json:"parts,omitempty"`      // by who measured, ms a step by part
	Metrics    map[string][2]float64         `json:"metrics,omitempty"`    // by name: ours, and nvidia-smi's
}

// cost of one way to run a workload, as ratios to the bare process that trained in turn with it.
type cost struct {
	Way    string         `json:"way"`
	Wall   training.Ratio `json:"wall"`
	CPU    training.Ratio `json:"cpu"`
	StepMS float64        `json:"step_ms"` // of the bare one
}

type statistics struct {
	Counts   bool    `json:"counts"`   // all whole numbers are equal
	Relative float64 `json:"relative"` // the largest difference of the others
}

// stages in their order: what is shortest and decides most comes first.
func stages(dry bool) []stage {
	models, numbers := []string{"mlp", "resnet50-224", "gpt2"}, []string{"float32", "bfloat16", "compiled"}
	kinds, minute := []string{"all", "cudnn"}, time.Minute
	if dry {
		models, numbers, kinds, minute = []string{"mlp"}, []string{"bfloat16"}, []string{"cudnn"}, 0
	}
	all := []stage{{"statistics", minute / 2, (*bench).statistics}}
	for _, m := range models {
		for _, kernels := range kinds {
			all = append(all, stage{"equal-" + m + "-" + kernels, minute, func(b *bench) (*outcome, error) { return b.equal(m, kernels) }})
		}
	}
	all = append(all, stage{"two-processes", minute, (*bench).two}, stage{"parts", minute, (*bench).parts}, stage{"metrics", minute, (*bench).metrics})
	for _, n := range numbers {
		for _, m := range models {
			all = append(all, stage{"first-240-" + m + "-" + n, 3 * minute / 2, func(b *bench) (*outcome, error) { return b.first(m, n) }},
				stage{"cost-" + m + "-" + n, 2 * minute, func(b *bench) (*outcome, error) { return b.cost(m, n) }})
		}
	}
	return all
}
