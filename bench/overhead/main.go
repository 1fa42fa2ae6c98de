// Overhead measures what Vigil costs a training. One process for each way to
// run the same PyTorch script is alive at the same time, and they take turns of
// a fraction of a second: bare, bare again, under vigil run with this and that. What the
// machine does meanwhile meets all of them alike. It prints ratios of wall and
// of CPU time of the training process to the bare one with their intervals; the
// second bare process is the control, whose distance from 1 is what the
// measurement cannot see.
//
// With -peers the original (smdebug), wandb, TensorBoard and a hand-written loop
// train next to them, each compared with a bare process of its own environment,
// and what each of them stored is read back and counted.
//
// With -profilers it compares, instead, Vigil's machine metrics, parts of steps and
// windows of stacks with the tools that people use for that.
//
// With -whole N it runs short scripts from start to end, N times bare and N times
// under vigil run, and sets what they took next to what the runs say of it.
//
// With -against DIR it says instead which part of the hook costs what, and compares with
// the Vigil of another checkout.
//
//	go run ./bench/overhead -against DIR [-workloads mlp16,mlp128] [-turns N] [-sessions N]
//	go run ./bench/overhead -whole N [-python PY] [-threads N]
//	go run ./bench/overhead [-python PY] [-turns N] [-sessions N] [-workloads a,b] [-threads N] [-peers | -profilers] [-only a,b]
//
// Nothing else may run on the machine meanwhile.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/environment"
	"github.com/vigil-ml/vigil/bench/internal/training"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// work is how many steps a turn takes, and how many come before the first. With
// the steps that a turn does not measure (work.py), any ten turns see one saving
// step in ten where a condition saves every ten steps.
type work struct{ steps, warmup int }

// of a condition: what a peer does at a step may take a hundred times as long as
// the step of a small network.
func (w work) of(c condition) work {
	if c.peer == "" || c.peer == floor {
		return w
	}
	return work{min(w.steps, 10), min(w.warmup, 30)}
}

type workload struct {
	name string
	work
}

var workloads = []workload{
	{"resnet18", work{6, 30}},
	{"transformer", work{6, 30}},
	{"mlp128", work{20, 300}},
	{"mlp16", work{80, 600}},
	{"resnet50", work{6, 30}},
}

func main() {
	python := flag.String("python", "build/env/torch/bin/python", "interpreter with PyTorch; with -peers it is that of the trackers' environment")
	turns := flag.Int("turns", 20, "turns of each process in a session; multiples of 10 meet saving steps as often as there are such")
	sessions := flag.Int("sessions", 6, "sessions; each starts all processes anew")
	only := flag.String("workloads", "", "comma-separated workloads (default: all)")
	threads := flag.Int("threads", 1, "compute threads of the training")
	starts := flag.Int("starts", 10, "how often the start is measured; 0: not at all")
	peers := flag.Bool("peers", false, "also the peers, in environments that are made for them (about 10 GB)")
	profilers := flag.Bool("profilers", false, "instead: what it costs to see where the time goes, beside other tools (about 5 GB)")
	against := flag.String("against", "", "instead: which part of the hook costs what, beside the Vigil of another checkout in this directory")
	names := flag.String("only", "", "comma-separated parts of conditions' names (default: all); bare processes are always there")
	pairs := flag.Int("whole", 0, "pairs of whole runs of each script in bench/overhead/whole, and nothing else")
	flag.Parse()
	var environments []string
	switch {
	case *peers:
		*python, environments = environment.Interpreter(trackers), []string{original, trackers}
	case *profilers:
		*python, environments, *starts = environment.Interpreter(environment.Profilers), []string{environment.Profilers}, 0
	}
	b := bench{python: *python, threads: *threads, against: *against}
	all := conditions
	switch {
	case *against != "":
		all = parts()
	case *profilers:
		all = watching
	case *peers:
		all = append(all[:len(all):len(all)], besides...)
	}
	var err error
	if b.conditions, err = choose(all, *names, environments...); err == nil {
		err = b.run(*only, *sessions, *turns, *starts, *pairs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "overhead:", err)
		os.Exit(1)
	}
}

func (b bench) run(only string, sessions, turns, starts, pairs int) error {
	dir, err := os.MkdirTemp("", "vigil-overhead-")
	if err != nil {
		return fmt.Errorf("make work directory: %w", err)
	}
	defer os.RemoveAll(dir)
	b.dir, b.vigil = dir, filepath.Join(dir, "vigil")
	if err := testenv.Build(b.vigil); err != nil {
		return err
	}
	if b.against != "" {
		cmd := exec.Command("go", "build", "-o", b.otherVigil(), "./cmd/vigil")
		cmd.Dir, cmd.Env = b.against, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build vigil in %q: %w\n%s", b.against, err, out)
		}
	}
	if pairs > 0 {
		return b.whole(pairs)
	}
	fmt.Printf("%d sessions of %d turns on the CPU, %d compute thread(s), %s; ratios with their 95%% intervals\n\n",
		sessions, turns, b.threads, time.Now().Format("2006-01-02"))
	b.rate = copyRate()
	fmt.Printf("A step's limit is what it has to capture, copied at %.1f GB/s (measured now, one thread), and 0.5 µs for each tensor.\n\n", b.rate/1e9)
	fmt.Println("| workload | condition | wall | interval | CPU | interval | ordinary step | extra per step | limit | 95 of 100 steps below | worst step | losses | agent | written | values |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, w := range workloads {
		if only != "" && !slices.Contains(strings.Split(only, ","), w.name) {
			continue
		}
		if err := b.workload(w.name, w.work, sessions, turns); err != nil {
			return err
		}
	}
	if starts == 0 {
		return nil
	}
	return b.start(starts)
}

type bench struct {
	python, vigil, dir string
	against            string // the other checkout
	threads            int
	conditions         []condition
	rate               float64 // bytes a second of a plain copy
}

// otherVigil is the program of the other checkout.
func (b bench) otherVigil() string { return filepath.Join(b.dir, "vigil-of-the-other-checkout") }

// workload runs all sessions of one workload and prints its rows.
func (b bench) workload(name string, w work, sessions, turns int) error {
	pooled := make([][]*run, len(b.conditions))
	for range sessions {
		all, err := b.session(name, w, turns)
		if err != nil {
			return err
		}
		for c, t := range all {
			pooled[c] = append(pooled[c], t)
		}
	}
	for c, cond := range b.conditions {
		base := slices.IndexFunc(b.conditions, func(o condition) bool { return o.bare() && o.env == cond.env })
		bareWall, bareCPU, bareSteps := flat(pooled[base])
		wall, cpu, steps := flat(pooled[c])
		var memory, bytes, values, due, trained int64
		same := "equal"
		for s, t := range pooled[c] {
			memory, bytes, values = max(memory, t.memory), bytes+t.bytes, values+t.values
			due, trained = due+t.due, trained+int64(len(t.Losses))
			if bare := pooled[base][s].Losses; !slices.Equal(t.Losses, bare[:min(len(bare), len(t.Losses))]) {
				same = "DIFFERENT"
			}
		}
		r := training.RatioOf(wall, bareWall)
		extra := (r.Mid - 1) * sum(bareSteps) / float64(len(bareSteps))
		limit := "-"
		if due > 0 {
			limit = fmt.Sprintf("%.0f µs", 1e6*(float64(due)/b.rate+0.5e-6*float64(values))/float64(trained))
		}
		fmt.Printf("| %s | %s | %v | %v | %s | %+.0f µs | %s | %s | %s | %s | %s | %s | %s |\n", name, cond.name, r, training.RatioOf(cpu, bareCPU),
			milliseconds(training.Quantile(steps, 0.5)), extra*1e6, limit, milliseconds(training.Quantile(steps, 0.95)), milliseconds(slices.Max(steps)), same,
			megabytes(memory), megabytes(bytes), count(values))
	}
	return nil
}

// flat is what the processes of one condition measured, by session: wall and
// CPU seconds of a step, the mean of every turn; and the wall seconds of every step.
func flat(l []*run) (wall, cpu [][]float64, steps []float64) {
	for _, t := range l {
		var w, c []float64
		for _, r := range t.Turns {
			n := float64(len(r.Walls))
			w, c, steps = append(w, r.Wall/n), append(c, r.CPU/n), append(steps, r.Walls...)
		}
		wall, cpu = append(wall, w), append(cpu, c)
	}
	return wall, cpu, steps
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

func megabytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n>>20, 10) + " MB"
}

func count(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

func milliseconds(s float64) string { return strconv.FormatFloat(s*1e3, 'f', 2, 64) + " ms" }
