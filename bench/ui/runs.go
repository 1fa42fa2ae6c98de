//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// worker is the one writing process of the runs.
const worker = "worker_0"

// course is the value of a series at a step: falls, with noise that is the same
// each time.
func course(r *rand.Rand, step, steps int) float64 {
	return 0.1 + 2*math.Exp(-4*float64(step)/float64(steps)) + 0.05*r.NormFloat64()
}

func seriesName(i int) string {
	if i == 0 {
		return "loss"
	}
	return fmt.Sprintf("block%02d/layer%02d/metric%d", i/100, i/10%10, i%10)
}

// begin makes a run that is going on.
func begin(root, name string, started time.Time) (*store.Writer, error) {
	w, err := store.Create(vfs.OS, root, name, record.Run{
		Format: record.RunFormat, Name: name, Command: []string{"python", "train.py"}, Host: "bench", Framework: record.Framework{Name: "pytorch", Version: "2.15.0"},
		Started: started, Status: record.Running, Steps: map[string]int64{}, Dropped: map[string]int64{}, Vigil: "bench",
		Facts:   json.RawMessage(`{"v":1}`),
		Workers: []record.Worker{{Name: worker, World: 1, Host: "bench", Chief: true}},
	})
	if err != nil {
		return nil, fmt.Errorf("make run %q: %w", name, err)
	}
	return w, nil
}

// finish ends it.
func finish(w *store.Writer, steps int, ended time.Time) error {
	code := 0
	err := w.UpdateRun(func(r *record.Run) {
		r.Status, r.ExitCode, r.Ended, r.Steps["TRAIN"] = record.Completed, &code, &ended, int64(steps)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// scalarRun writes a finished run of so many series.
func scalarRun(root, name string, series, steps int) error {
	started := time.Now().Add(-time.Hour).UTC()
	w, err := begin(root, name, started)
	if err != nil {
		return err
	}
	infos := make([]record.TensorInfo, series)
	for i := range infos {
		infos[i] = record.TensorInfo{Name: seriesName(i), Kind: record.Metric}
	}
	infos[0].Kind = record.Loss
	if err := w.Announce(worker, infos); err != nil {
		return err
	}
	seed := fnv.New64a()
	seed.Write([]byte(name)) // never fails
	r := rand.New(rand.NewPCG(1, seed.Sum64()))
	const together = 256 // steps in one call
	var list []*record.Step
	for s := range steps {
		step := &record.Step{Worker: worker, Step: int64(s), Mode: record.Train, ModeStep: int64(s), Time: started.Add(time.Duration(s) * time.Hour / time.Duration(steps))}
		for i := range infos {
			step.Scalars = append(step.Scalars, record.Scalar{Name: infos[i].Name, Value: course(r, s, steps)})
		}
		if list = append(list, step); len(list) < together && s < steps-1 {
			continue
		}
		if err := w.Append(worker, "", 0, list...); err != nil {
			return err
		}
		list = list[:0]
	}
	return finish(w, steps, started.Add(time.Hour))
}

// machineRun writes an hour of a machine with 16 cores and 8 GPUs, each 500 ms.
func machineRun(root, name string) error {
	started := time.Now().Add(-time.Hour).UTC()
	w, err := begin(root, name, started)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(2, 2))
	const samples = 7200
	for i := range samples {
		if err := w.Samples(machineSample(r, i, started.Add(time.Duration(i)*500*time.Millisecond))); err != nil {
			return err
		}
	}
	return finish(w, 0, started.Add(time.Hour))
}

// machineSample is what is seen of such a machine at a time.
func machineSample(r *rand.Rand, i int, at time.Time) record.Sample {
	s := record.Sample{Host: "bench", Time: at}
	add := func(name string, v float64) { s.Values = append(s.Values, record.Scalar{Name: name, Value: v}) }
	wave := 30 * math.Sin(float64(i)/300)
	add("cpu/total", 50+wave)
	for core := range 16 {
		add(fmt.Sprintf("cpu/%d", core), min(100, max(0, 50+wave+10*r.NormFloat64())))
	}
	add("iowait/total", 2+r.Float64())
	add("memory/used_percent", 40+wave/10)
	add("net/received_per_s", 1e6*r.Float64())
	add("net/sent_per_s", 1e5*r.Float64())
	for gpu := range 8 {
		add(fmt.Sprintf("gpu/%d/utilization", gpu), min(100, max(0, 70+wave+10*r.NormFloat64())))
		add(fmt.Sprintf("gpu/%d/memory_percent", gpu), 60)
	}
	return s
}

// listed writes many short runs with parameters, for the table.
func listed(root string, runs, series int) error {
	for i := range runs {
		if err := scalarRun(root, fmt.Sprintf("run-%04d", i), series, 40); err != nil {
			return err
		}
	}
	return nil
}

// once writes something below build/bench-ui where it is not there yet, since the
// largest takes minutes.
func once(dir string, write func(root string) error) error {
	done := filepath.Join(dir, ".whole")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	progress("writing %s", dir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := write(dir); err != nil {
		return fmt.Errorf("write the runs of %s: %w", filepath.Base(dir), err)
	}
	return os.WriteFile(done, nil, 0o644)
}
