package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/training"
)

// start measures what `vigil run` adds to the wall time of a script that does
// nothing, and what `import vigil.torch` adds to `import torch`, interleaved.
func (b bench) start(rounds int) error {
	runs, err := os.MkdirTemp(b.dir, "start-")
	if err != nil {
		return fmt.Errorf("make work directory: %w", err)
	}
	pass := []string{b.python, "-c", "pass"}
	torch := []string{b.python, "-c", "import torch"}
	both := []string{b.python, "-c", "import torch, vigil.torch"}
	cases := [][]string{pass, append([]string{b.vigil, "run", "--quiet", "--dir", runs, "--"}, pass...), torch, both}
	times := make([][]float64, len(cases))
	for range rounds {
		for i, argv := range cases {
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Env = append(os.Environ(), "PYTHONPATH=python")
			begin := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("run %q: %w\n%s", strings.Join(argv, " "), err, out)
			}
			times[i] = append(times[i], time.Since(begin).Seconds())
		}
	}
	median := func(i int) float64 { return training.Quantile(times[i], 0.5) }
	fmt.Printf("\n| start | median | worst |\n| --- | --- | --- |\n")
	fmt.Printf("| python that does nothing | %s | %s |\n", milliseconds(median(0)), milliseconds(slices.Max(times[0])))
	fmt.Printf("| the same under vigil run | %s | %s |\n", milliseconds(median(1)), milliseconds(slices.Max(times[1])))
	fmt.Printf("| added by vigil run | %s | |\n", milliseconds(median(1)-median(0)))
	fmt.Printf("| added by import vigil.torch to import torch | %s | |\n", milliseconds(median(3)-median(2)))
	return nil
}
