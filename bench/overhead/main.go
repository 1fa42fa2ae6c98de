// Overhead measures what Vigil costs a training: it runs the same PyTorch
// script bare and under vigil run, interleaved in one session, and prints
// ratios of wall and of CPU time of the training process with their spread.
// A second bare run stands beside them as a control: its distance from 1 is
// the noise of the machine.
//
//	go run ./bench/overhead [-python PY] [-rounds N] [-workloads a,b] [-threads N]
//
// Nothing else may run on the machine meanwhile.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// condition is one way to run the script; flags nil means bare.
type condition struct {
	name  string
	flags []string
	bare  bool
}

var conditions = []condition{
	{name: "bare", bare: true},
	{name: "bare again (control)", bare: true},
	{name: "nothing due", flags: []string{"--rules", "none", "--every", "1000000000"}},
	{name: "defaults"},
	{name: "statistics at every step", flags: []string{"--every", "1"}},
}

// workloads and how many steps one run takes: some seconds each.
var workloads = []struct {
	name          string
	steps, warmup int
}{
	{"resnet18", 60, 10},
	{"transformer", 40, 8},
	{"mlp128", 1500, 300},
	{"mlp16", 4000, 600},
}

type result struct {
	Walls  []float64 `json:"walls"`
	CPU    float64   `json:"cpu"`
	Wall   float64   `json:"wall"`
	Losses []float64 `json:"losses"`

	memory int64 // most memory of the agent's own, bytes; 0 for a bare run
}

func main() {
	python := flag.String("python", "build/env/torch/bin/python", "interpreter with PyTorch")
	rounds := flag.Int("rounds", 5, "rounds; in each every condition runs once")
	only := flag.String("workloads", "", "comma-separated workloads (default: all)")
	threads := flag.Int("threads", 1, "compute threads of the training")
	flag.Parse()
	if err := run(*python, *rounds, *only, *threads); err != nil {
		fmt.Fprintln(os.Stderr, "overhead:", err)
		os.Exit(1)
	}
}

func run(python string, rounds int, only string, threads int) error {
	dir, err := os.MkdirTemp("", "vigil-overhead-")
	if err != nil {
		return fmt.Errorf("make work directory: %w", err)
	}
	defer os.RemoveAll(dir)
	vigil := filepath.Join(dir, "vigil")
	if out, err := exec.Command("go", "build", "-o", vigil, "./cmd/vigil").CombinedOutput(); err != nil {
		return fmt.Errorf("build vigil: %w\n%s", err, out)
	}
	b := bench{python: python, vigil: vigil, dir: dir, threads: threads}
	fmt.Printf("%d rounds, %d compute thread(s), %s\n\n", rounds, threads, time.Now().Format("2006-01-02"))
	fmt.Println("| workload | condition | wall | spread | CPU | spread | ordinary step | extra per step | worst step | losses | agent |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, w := range workloads {
		if only != "" && !slices.Contains(strings.Split(only, ","), w.name) {
			continue
		}
		if err := b.workload(w.name, w.steps, w.warmup, rounds); err != nil {
			return err
		}
	}
	return b.start(4 * rounds)
}

type bench struct {
	python, vigil, dir string
	threads            int
}

// workload runs all rounds of one workload and prints its rows. The order of
// conditions turns from round to round, so that a drift of the machine meets
// each of them alike.
func (b bench) workload(name string, steps, warmup, rounds int) error {
	results := make([][]result, len(conditions))
	for round := range rounds {
		for i := range conditions {
			c := (i + round) % len(conditions)
			fmt.Fprintf(os.Stderr, "\r\033[K%s: round %d of %d, %s", name, round+1, rounds, conditions[c].name)
			r, err := b.once(conditions[c], name, steps, warmup)
			if err != nil {
				return err
			}
			results[c] = append(results[c], r)
		}
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	for c, cond := range conditions {
		var wall, cpu, ordinary, worst []float64
		var memory int64
		same := "equal"
		for round, r := range results[c] {
			bare := results[0][round]
			wall = append(wall, r.Wall/bare.Wall)
			cpu = append(cpu, r.CPU/bare.CPU)
			ordinary = append(ordinary, quantile(r.Walls, 0.5))
			worst = append(worst, slices.Max(r.Walls))
			memory = max(memory, r.memory)
			if !slices.Equal(r.Losses, bare.Losses) {
				same = "DIFFERENT"
			}
		}
		bareWall := make([]float64, rounds)
		for round := range rounds {
			bareWall[round] = results[0][round].Wall / float64(steps)
		}
		extra := (quantile(wall, 0.5) - 1) * quantile(bareWall, 0.5)
		fmt.Printf("| %s | %s | %.3fx | %.3f–%.3f | %.3fx | %.3f–%.3f | %s | %+.0f µs | %s | %s | %s |\n", name, cond.name,
			quantile(wall, 0.5), slices.Min(wall), slices.Max(wall), quantile(cpu, 0.5), slices.Min(cpu), slices.Max(cpu),
			milliseconds(quantile(ordinary, 0.5)), extra*1e6, milliseconds(quantile(worst, 0.5)), same, megabytes(memory))
	}
	return nil
}

// once runs one process to its end.
func (b bench) once(c condition, name string, steps, warmup int) (result, error) {
	out := filepath.Join(b.dir, "result.json")
	script := []string{b.python, "bench/overhead/work.py", name, strconv.Itoa(steps), strconv.Itoa(warmup), out}
	argv := script
	runs := filepath.Join(b.dir, "runs")
	if !c.bare {
		argv = append(append([]string{b.vigil, "run", "--quiet", "--dir", runs}, c.flags...), append([]string{"--"}, script...)...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	threads := strconv.Itoa(b.threads)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return result{}, fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
	}
	var memory int64
	if c.bare {
		err := cmd.Wait()
		if err != nil {
			return result{}, fmt.Errorf("run %q: %w\n%s", strings.Join(argv, " "), err, &text)
		}
	} else {
		watch := watchAgent(cmd.Process.Pid)
		err := cmd.Wait()
		memory = watch.stop()
		if err != nil {
			return result{}, fmt.Errorf("run %q: %w\n%s", strings.Join(argv, " "), err, &text)
		}
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return result{}, fmt.Errorf("read result: %w", err)
	}
	r := result{memory: memory}
	if err := json.Unmarshal(data, &r); err != nil {
		return result{}, fmt.Errorf("read result: %w", err)
	}
	return r, os.RemoveAll(runs)
}

func quantile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[int(q*float64(len(s)-1)+0.5)]
}

func megabytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n>>20, 10) + " MB"
}

func milliseconds(s float64) string { return strconv.FormatFloat(s*1e3, 'f', 2, 64) + " ms" }
