package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/training"
)

// way to run a training; flags are those of vigil run, nil is bare.
type way struct {
	name  string
	flags []string
}

var (
	bare     = way{name: "bare"}
	again    = way{name: "bare again (control)"}
	defaults = way{"defaults", []string{}}
	ways     = []way{
		bare, again,
		{"nothing due", []string{"--rules", "none", "--every", "1000000000"}},
		defaults,
		{"--every 1", []string{"--every", "1"}},
		{"--save-all --every 10", []string{"--save-all", "--every", "10"}},
	}
)

// of what is compared, a dry run has bare and defaults: each way is a process that imports PyTorch.
func (b *bench) of(all []way) []way {
	if !b.dry {
		return all
	}
	return []way{bare, defaults}
}

// begun are trainings of one workload, one for each way, that take turns.
type begun struct {
	*bench
	dir       string
	trainings []*training.Process
}

// begin starts them and has each take its first steps alone.
func (b *bench) begin(workload string, warmup int, ways []way, env ...string) (*begun, error) {
	dir, err := os.MkdirTemp("", "vigil-gpu-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	g := &begun{bench: b, dir: dir}
	for i, w := range ways {
		if time.Now().After(b.until) {
			g.end()
			return nil, errNoTime
		}
		argv := []string{b.python, training.Script, workload, strconv.Itoa(warmup)}
		if w.flags != nil {
			run := append([]string{b.vigil, "run", "--quiet", "--dir", dir, "--name", "run-" + strconv.Itoa(i)}, w.flags...)
			argv = append(append(run, "--"), argv...)
		}
		p, err := training.Start(w.name, argv, b.environment(env...))
		if err != nil {
			g.end()
			return nil, err
		}
		g.trainings = append(g.trainings, p)
	}
	return g, nil
}

// end ends what has not ended, and leaves nothing.
func (g *begun) end() {
	for _, p := range g.trainings {
		p.Abandon()
	}
	_ = os.RemoveAll(g.dir)
}

// run is the folder of the run of a way.
func (g *begun) run(i int) string { return filepath.Join(g.dir, "run-"+strconv.Itoa(i)) }

// turns gives each training as many turns as asked for; the order turns, too.
func (g *begun) turns(n int, train func(*training.Process) error) error {
	for i := range n {
		for j := range g.trainings {
			if time.Now().After(g.until) {
				return errNoTime
			}
			if err := train(g.trainings[(i+j)%len(g.trainings)]); err != nil {
				return err
			}
		}
	}
	for _, p := range g.trainings {
		if err := p.End(); err != nil {
			return err
		}
	}
	return nil
}

// costs are those of each way next to the first, in these turns.
func (g *begun) costs(ways []way, label string, from, to int) (list []cost) {
	pick := func(p *training.Process, of func(training.Turn) float64) (out [][]float64) {
		var one []float64
		for _, t := range p.Turns[from:to] {
			one = append(one, of(t)/float64(len(t.Walls)))
		}
		return [][]float64{one}
	}
	wall := func(t training.Turn) float64 { return t.Wall }
	cpu := func(t training.Turn) float64 { return t.CPU }
	base := g.trainings[0]
	steps := pick(base, wall)[0]
	for i, p := range g.trainings[1:] {
		list = append(list, cost{
			Way:    ways[i+1].name + label,
			Wall:   training.RatioOf(pick(p, wall), pick(base, wall)),
			CPU:    training.RatioOf(pick(p, cpu), pick(base, cpu)),
			StepMS: 1e3 * training.Quantile(steps, 0.5),
		})
	}
	return list
}

// cost of each way once the first steps are over.
func (b *bench) cost(workload, numbers string) (*outcome, error) {
	steps, warmup, turns := 20, 240, 20
	if workload == "mlp" {
		steps = 200
	}
	if b.dry {
		steps, warmup, turns = 3, 3, 2
	}
	compared := b.of(ways)
	g, err := b.begin(workload, warmup, compared, "BENCH_NUMBERS="+numbers)
	if err != nil {
		return nil, err
	}
	defer g.end()
	if err := g.turns(turns, func(p *training.Process) error { return p.Train(steps) }); err != nil {
		return nil, err
	}
	return &outcome{Costs: g.costs(compared, "", 0, turns)}, nil
}

// first is the cost of the first 240 steps, those from the 50th on apart. In two steps before them the device and a compiler start.
func (b *bench) first(workload, numbers string) (*outcome, error) {
	turns, early := 24, 5
	if b.dry {
		turns, early = 2, 1
	}
	compared := b.of([]way{bare, again, defaults})
	g, err := b.begin(workload, 2, compared, "BENCH_NUMBERS="+numbers)
	if err != nil {
		return nil, err
	}
	defer g.end()
	if err := g.turns(turns, func(p *training.Process) error { return p.TrainAll(10) }); err != nil {
		return nil, err
	}
	return &outcome{Costs: slices.Concat(g.costs(compared, ", first 240 steps", 0, turns), g.costs(compared, ", steps 50 to 240", early, turns))}, nil
}
