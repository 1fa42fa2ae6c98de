// Command time compares where Vigil says that the time of a training's steps goes
// with what an instrumented copy of the script measures by itself. Five scripts
// take turns with their copies, some rounds; medians of milliseconds a step are
// printed, and how far apart they are, in percent of the step. On a quiet machine
// only.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/bench/internal/training"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

//go:embed train.py
var script []byte

// first is how many steps count for nothing, as in train.py.
const first = 20

// goal is the most by which a part may differ, in percent of the step.
const goal = 5

// parts are milliseconds a step by part.
type parts map[string]float64

var cases = []string{"data", "compute", "small", "checkpoints", "ranks"}

func main() {
	rounds := flag.Int("rounds", 5, "how often each script runs with Vigil, and its copy without")
	python := flag.String("python", filepath.Join(testenv.Root(), "build", "env", "torch", "bin", "python"), "a Python with PyTorch")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *python); err != nil {
		fmt.Fprintln(os.Stderr, "compare times:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, rounds int, python string) error {
	dir, err := os.MkdirTemp("", "vigil-time-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "vigil")
	if err := testenv.Build(binary); err != nil {
		return err
	}
	path := filepath.Join(dir, "train.py")
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return err
	}
	apart, within := 0.0, 0.0
	for _, name := range cases {
		c := comparison{dir: dir, binary: binary, name: name, train: []string{python, path, name}}
		if name == "ranks" {
			c.train = []string{python, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", path, name}
		}
		for i := range rounds {
			if err := c.round(i); err != nil {
				return err
			}
		}
		a, w := c.table(out)
		apart, within = max(apart, a), max(within, w)
	}
	fmt.Fprintf(out, "largest difference %.1f %% of a step, on one run %.1f %%; goal %d %%\n", apart, within, goal)
	return nil
}

// comparison is that of one script.
type comparison struct {
	dir, binary, name string
	train             []string

	vigil, copied []parts // of the script with Vigil, of its copy without
	both, own     []parts // of the copy with Vigil: by Vigil, and by itself
}

// round runs the script with Vigil, its copy without, and the copy with Vigil.
func (c *comparison) round(i int) error {
	p, _, err := c.watched(fmt.Sprintf("%s-%d", c.name, i), c.train)
	if err != nil {
		return err
	}
	c.vigil = append(c.vigil, p)
	instrumented := append(slices.Clone(c.train), "measure")
	said, err := start(c.dir, instrumented)
	if err == nil {
		p, err = c.measured(said)
	}
	if err != nil {
		return err
	}
	c.copied = append(c.copied, p)
	p, said, err = c.watched(fmt.Sprintf("%s-copy-%d", c.name, i), instrumented)
	if err != nil {
		return err
	}
	c.both = append(c.both, p)
	if p, err = c.measured(said); err != nil {
		return err
	}
	c.own = append(c.own, p)
	return nil
}

// watched runs a training with Vigil, and gives what Vigil measured and what the
// training printed.
func (c *comparison) watched(run string, train []string) (parts, []byte, error) {
	said, err := start(c.dir, append([]string{c.binary, "run", "--name", run, "--"}, train...))
	if err != nil {
		return nil, nil, err
	}
	p, err := training.Parts(filepath.Join(c.dir, "vigil-runs", run), first)
	return c.together(p), said, err
}

func (c *comparison) measured(said []byte) (parts, error) {
	p := parts{}
	if err := json.Unmarshal(said, &p); err != nil {
		return nil, fmt.Errorf("read what %s measured: %w", c.name, err)
	}
	return c.together(p), nil
}

// start runs a command to its end and gives what it printed.
func start(dir string, argv []string) ([]byte, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	b, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w\n%s", strings.Join(argv, " "), err, &stderr)
	}
	return b, nil
}

// together adds what a copy cannot tell apart: what DistributedDataParallel
// reduces is within its backward.
func (c *comparison) together(p parts) parts {
	if c.name == "ranks" && p != nil {
		p["backward"] += p["ranks"]
		delete(p, "ranks")
	}
	return p
}

func median(list []parts) parts {
	out := parts{}
	for p := range record.StepParts {
		var v []float64
		for _, one := range list {
			v = append(v, one[p.String()])
		}
		slices.Sort(v)
		out[p.String()] = v[len(v)/2]
	}
	return out
}

// table prints a comparison, and gives the largest differences in percent of a
// step: between script and copy, and on one run.
func (c *comparison) table(out io.Writer) (apart, within float64) {
	vigil, copied, both, own := median(c.vigil), median(c.copied), median(c.both), median(c.own)
	fmt.Fprintf(out, "%-12s %12s %12s %12s %14s\n", c.name, "Vigil", "copy", "apart", "on one run")
	for p := range record.StepParts {
		part := p.String()
		if vigil[part] == 0 && copied[part] == 0 {
			continue
		}
		a, w := 100*(vigil[part]-copied[part])/copied.step(), 100*(both[part]-own[part])/own.step()
		apart, within = max(apart, a, -a), max(within, w, -w)
		fmt.Fprintf(out, "  %-10s %9.3f ms %9.3f ms %10.1f %% %12.1f %%\n", part, vigil[part], copied[part], a, w)
	}
	fmt.Fprintln(out)
	return apart, within
}

// step is how long a step takes.
func (p parts) step() (ms float64) {
	for _, one := range p {
		ms += one
	}
	return ms
}
