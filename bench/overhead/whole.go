package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/training"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// cost is what one whole run took, from the start of the process to its end.
type cost struct{ wall, cpu float64 }

// whole compares what a run says of its own cost with what it cost: each script
// runs from start to end bare and under vigil run, in turn. The first turn of
// each fills caches and is left out.
func (b bench) whole(pairs int) error {
	scripts, err := filepath.Glob("bench/overhead/whole/*.py")
	if err != nil || len(scripts) == 0 {
		return fmt.Errorf("find the scripts: %v in bench/overhead/whole (%w)", scripts, err)
	}
	fmt.Println("| script | bare | added wall | added CPU, agent included | the run says once | since | in all | said / added |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, script := range scripts {
		if err := b.pairs(script, pairs); err != nil {
			return err
		}
	}
	return nil
}

func (b bench) pairs(script string, pairs int) error {
	bare := []string{b.python, script}
	var wall, addedWall, addedCPU, once, percent, said []float64
	for i := range pairs + 1 {
		fmt.Fprintf(os.Stderr, "\r\033[K%s: pair %d of %d", script, i, pairs)
		runs := filepath.Join(b.dir, fmt.Sprintf("%s-%d", filepath.Base(script), i))
		watched := append([]string{b.vigil, "run", "--quiet", "--dir", runs, "--name", runName, "--"}, bare...)
		order := [][]string{bare, watched}
		costs := map[int]cost{}
		for k := range order {
			k = (k + i) % 2
			var err error
			if costs[k], err = b.once(order[k]); err != nil {
				return err
			}
		}
		run, err := overhead(filepath.Join(runs, runName))
		if err != nil {
			return err
		}
		if err := os.RemoveAll(runs); err != nil {
			return fmt.Errorf("remove %q: %w", runs, err)
		}
		if i == 0 {
			continue
		}
		wall = append(wall, costs[0].wall)
		addedWall, addedCPU = append(addedWall, costs[1].wall-costs[0].wall), append(addedCPU, costs[1].cpu-costs[0].cpu)
		once, percent = append(once, run.OnceSeconds), append(percent, run.SincePercent)
		said = append(said, run.OnceSeconds+run.SinceSeconds*run.SincePercent/100)
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	median := func(v []float64) float64 { return training.Quantile(v, 0.5) }
	fmt.Printf("| %s | %.2f s | %.2f s | %.2f s | %.2f s | %.1f %% | %.2f s | %.2f |\n", filepath.Base(script), median(wall), median(addedWall), median(addedCPU),
		median(once), median(percent), median(said), median(said)/median(addedWall))
	return nil
}

// once runs a command to its end.
func (b bench) once(argv []string) (cost, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	threads := fmt.Sprint(b.threads)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return cost{}, fmt.Errorf("run %q: %w\n%s", argv, err, out)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	seconds := func(t syscall.Timeval) float64 { return float64(t.Nano()) / 1e9 }
	return cost{time.Since(began).Seconds(), seconds(used.Utime) + seconds(used.Stime)}, nil
}

// overhead is what a run says that it cost.
func overhead(path string) (record.Overhead, error) {
	run, err := trial.Open(path)
	if err != nil {
		return record.Overhead{}, fmt.Errorf("read the run %q: %w", path, err)
	}
	defer run.Close()
	return run.Run().Overhead, nil
}
