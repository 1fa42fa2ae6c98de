// Faults measures what a training feels of a fault while Vigil watches it. Three
// processes train the same and take turns: bare, watched, and watched by an agent
// to which something happens: it is stopped, so that nobody reads the ring, or
// killed; its store is removed; its disk is full, read-only or slow. Watched means
// by default, or, with -hard, statistics at every step and weights raw every ten
// steps besides, so that there is always something to store. It prints the time below which 99 of 100 steps stay
// while the fault is on, as a ratio to both others, and what the run says
// afterwards. Losses must be equal and the training must end well.
//
//	go run ./bench/faults [-python PY] [-workloads a,b] [-turns N] [-only a,b] [-hard]
//
// Nothing else may run on the machine meanwhile.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/training"
	"github.com/vigil-ml/vigil/cli"
)

// workload is one of the training script with its steps: of a turn, and
// before the first one.
type workload struct {
	name          string
	steps, warmup int
}

var workloads = []workload{{"mlp128", 20, 300}, {"resnet18", 6, 30}}

func main() {
	if os.Getenv(faultFile) != "" {
		failingDisk(os.Getenv(faultFile))
		cli.Main()
		return
	}
	python := flag.String("python", "build/env/torch/bin/python", "interpreter with PyTorch")
	names := flag.String("workloads", "", "comma-separated workloads (default: all)")
	turns := flag.Int("turns", 50, "turns of each process while a fault is on")
	only := flag.String("only", "", "comma-separated parts of faults' names (default: all)")
	hard := flag.Bool("hard", false, "statistics at every step and weights raw every ten steps")
	flag.Parse()
	b := bench{python: *python, turns: *turns}
	if *hard {
		b.flags = []string{"--every", "1", "--collect", "weights:raw,every=10"}
	}
	if err := b.run(*names, *only); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func (b bench) run(names, only string) (err error) {
	b.self, err = os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if b.dir, err = os.MkdirTemp("", "vigil-faults-"); err != nil {
		return fmt.Errorf("make work directory: %w", err)
	}
	defer os.RemoveAll(b.dir)
	what := strings.Join(b.flags, " ")
	if what == "" {
		what = "the defaults"
	}
	fmt.Printf("%d turns with each fault, watched with %s, one compute thread, %s\n\n", b.turns, what, time.Now().Format("2006-01-02"))
	fmt.Println("| workload | fault | bare: ordinary step | 99 of 100 below | watched: 99 of 100 below | with the fault: ordinary step | 99 of 100 below | worst step | p99 to bare | p99 to watched | losses | stored | the run says |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, w := range workloads {
		if names != "" && !slices.Contains(strings.Split(names, ","), w.name) {
			continue
		}
		for _, f := range faults {
			if !slices.ContainsFunc(strings.Split(only, ","), func(part string) bool { return strings.Contains(f.name, part) }) {
				continue
			}
			row, err := b.session(w, f)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", w.name, f.name, err)
			}
			fmt.Println(row)
		}
	}
	return nil
}

type bench struct {
	python, self, dir string
	turns             int
	flags             []string // of vigil run
}

const runName = "run"

// calm is how many turns come before the fault.
const calm = 5

// session has the three processes train with one fault, and gives its row.
func (b bench) session(w workload, f fault) (string, error) {
	dir, err := os.MkdirTemp(b.dir, "session-")
	if err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	v := &victim{file: filepath.Join(dir, "fault"), root: filepath.Join(dir, "faulted"), path: filepath.Join(dir, "faulted", runName)}
	if err := v.disk(""); err != nil {
		return "", err
	}
	env := []string{"OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1"}
	script := []string{b.python, training.Script, w.name, fmt.Sprint(w.warmup)}
	var all []*training.Process
	defer func() {
		for _, p := range all {
			p.Abandon()
		}
	}()
	for _, name := range []string{"bare", "watched", "faulted"} {
		argv, environment := script, env
		if name != "bare" {
			argv = append([]string{b.self, "run", "--quiet", "--dir", filepath.Join(dir, name), "--name", runName}, b.flags...)
			argv = append(append(argv, "--"), script...)
			environment = append(env[:len(env):len(env)], faultFile+"="+filepath.Join(dir, map[bool]string{true: "fault", false: "none"}[name == "faulted"]))
		}
		p, err := training.Start(name, argv, environment)
		if err != nil {
			return "", err
		}
		all = append(all, p)
	}
	v.agent = all[2].Agent
	for i := range calm + b.turns {
		fmt.Fprintf(os.Stderr, "\r\033[K%s, %s: turn %d of %d", w.name, f.name, i+1, calm+b.turns)
		if i == calm {
			if err := f.begin(v); err != nil {
				return "", err
			}
		}
		for j := range all {
			if err := all[(i+j)%len(all)].Train(w.steps); err != nil {
				return "", err
			}
		}
	}
	if f.finish != nil {
		if err := f.finish(v); err != nil {
			return "", err
		}
	}
	for _, p := range all {
		if err := p.End(); err != nil {
			return "", err
		}
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	return row(w, f, v, all), nil
}
