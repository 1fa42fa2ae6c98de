package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// watched are metrics of the first GPU, in the order of what nvidia-smi is asked for.
var watched = []string{"gpu/0/utilization", "gpu/0/memory_percent"}

// metrics are means over a training of some 20 s, of ours and of nvidia-smi.
func (b *bench) metrics() (*outcome, error) {
	if _, err := exec.LookPath("nvidia-smi"); err != nil {
		return &outcome{Skipped: "there is no nvidia-smi"}, nil
	}
	g, err := b.begin("resnet50-224", 60, []way{defaults})
	if err != nil {
		return nil, err
	}
	defer g.end()
	smi := exec.Command("nvidia-smi", "-i", "0", "--query-gpu=utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits", "-lms", "500")
	var said bytes.Buffer
	smi.Stdout = &said
	if err := smi.Start(); err != nil {
		return nil, fmt.Errorf("start nvidia-smi: %w", err)
	}
	from := time.Now()
	for time.Since(from) < 20*time.Second && err == nil {
		err = g.trainings[0].TrainAll(20)
	}
	to := time.Now()
	_ = smi.Process.Signal(os.Interrupt)
	_ = smi.Wait() // it was interrupted
	if err == nil {
		err = g.trainings[0].End()
	}
	if err != nil {
		return nil, err
	}
	ours, err := means(g.run(0), from, to)
	if err != nil {
		return nil, err
	}
	theirs := ofSMI(said.Bytes())
	o := &outcome{Metrics: map[string][2]float64{}}
	for i, name := range watched {
		o.Metrics[name] = [2]float64{ours[name], theirs[i]}
	}
	return o, nil
}

// means of the machine metrics that a run has between two times.
func means(path string, from, to time.Time) (map[string]float64, error) {
	t, err := trial.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the run: %w", err)
	}
	defer t.Close()
	sums, counts := map[string]float64{}, map[string]float64{}
	for _, host := range t.Hosts() {
		err := t.Samples(host, from, to, func(s *record.Sample) error {
			for _, v := range s.Values {
				sums[v.Name] += v.Value
				counts[v.Name]++
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the machine metrics: %w", err)
		}
	}
	for name := range sums {
		sums[name] /= counts[name]
	}
	return sums, nil
}

// ofSMI are the mean utilization and share of the memory, in percent, of what nvidia-smi printed.
func ofSMI(said []byte) (out [2]float64) {
	n := 0.0
	for s := bufio.NewScanner(bytes.NewReader(said)); s.Scan(); {
		var v [3]float64
		fields := strings.Split(s.Text(), ",")
		if len(fields) != len(v) {
			continue // the last line may be cut
		}
		var err error
		for i, f := range fields {
			if v[i], err = strconv.ParseFloat(strings.TrimSpace(f), 64); err != nil {
				break
			}
		}
		if err == nil && v[2] > 0 {
			out[0], out[1], n = out[0]+v[0], out[1]+100*v[1]/v[2], n+1
		}
	}
	if n > 0 {
		out[0], out[1] = out[0]/n, out[1]/n
	}
	return out
}
