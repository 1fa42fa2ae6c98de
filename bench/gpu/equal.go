package main

import (
	"fmt"
	"slices"
	"sync"

	"github.com/vigil-ml/vigil/bench/internal/training"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// equal compares losses and weights of a deterministic training with and without Vigil, bit for bit. kernels: "all" forbids every
// operation that is not deterministic, also to Vigil, which copies values then; "cudnn" lets it compute statistics on the device.
func (b *bench) equal(workload, kernels string) (*outcome, error) {
	compared := b.of([]way{bare, again, defaults, {"--every 1", []string{"--every", "1"}}, {"--save-all --every 10", []string{"--save-all", "--every", "10"}}})
	steps := 60
	if b.dry {
		steps = 12
	}
	g, err := b.begin(workload, 0, compared, "BENCH_DETERMINISTIC="+kernels)
	if err != nil {
		return nil, err
	}
	defer g.end()
	if err := g.turns(1, func(p *training.Process) error { return p.TrainAll(steps) }); err != nil {
		return nil, err
	}
	o := &outcome{Equal: map[string]bool{}}
	for i, p := range g.trainings[1:] {
		o.Equal[compared[i+1].name] = slices.Equal(p.Losses, g.trainings[0].Losses)
	}
	return o, nil
}

// two trains twice at the same time on one GPU: each has its own run, with all its steps, and trains what it trains alone.
func (b *bench) two() (*outcome, error) {
	three, steps := []way{bare, defaults, defaults}, 200
	if b.dry {
		steps = 12
	}
	g, err := b.begin("mlp", 0, three, "BENCH_DETERMINISTIC=cudnn")
	if err != nil {
		return nil, err
	}
	defer g.end()
	var wait sync.WaitGroup
	failed := make([]error, len(g.trainings))
	for i, p := range g.trainings {
		wait.Go(func() {
			if failed[i] = p.TrainAll(steps); failed[i] == nil {
				failed[i] = p.End()
			}
		})
	}
	wait.Wait()
	o := &outcome{Equal: map[string]bool{}}
	for i, err := range failed {
		if err != nil {
			return nil, err
		}
		if i == 0 {
			continue
		}
		o.Equal[fmt.Sprintf("process %d", i)] = slices.Equal(g.trainings[i].Losses, g.trainings[0].Losses)
		n, err := trained(g.run(i))
		if err != nil {
			return nil, err
		}
		o.Equal[fmt.Sprintf("steps of process %d", i)] = n == steps
	}
	return o, nil
}

// trained is how many steps of training a run has.
func trained(path string) (int, error) {
	t, err := trial.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read the run: %w", err)
	}
	defer t.Close()
	return len(t.Steps(record.Train)), nil
}
