package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// answer is what peers.py says.
type answer struct {
	Version  string  `json:"version"`
	Points   int64   `json:"points"`
	Seconds  float64 `json:"seconds"`
	Finish   float64 `json:"finish"`
	MedianUS float64 `json:"median_us"`
	P99US    float64 `json:"p99_us"`
}

const (
	rounds   = 3
	peerRows = 2000
)

// trackers lets each of them log, in turns.
func (b *bench) trackers() error {
	said := map[string][]answer{}
	for i := range rounds {
		for _, tracker := range []string{"vigil", "wandb", "tensorboard"} {
			dir := filepath.Join(b.dir, fmt.Sprint(tracker, "-", i))
			argv := []string{b.python, "bench/series/peers.py", tracker, dir, fmt.Sprint(peerRows), fmt.Sprint(metrics)}
			if tracker == "vigil" {
				argv = append([]string{b.vigil, "run", "--quiet", "--dir", dir, "--"}, argv...)
			}
			a, err := ask(dir, argv...)
			if err != nil {
				return fmt.Errorf("%s: %w", tracker, err)
			}
			said[tracker] = append(said[tracker], a)
		}
	}
	for _, tracker := range []string{"vigil", "wandb", "tensorboard"} {
		a := said[tracker]
		row(fmt.Sprintf("%s %s: rows of %d numbers, one a call", tracker, a[0].Version, metrics),
			fmt.Sprintf("%.0f numbers/s, call median %.0f µs, p99 %.0f µs", middle(a, func(a answer) float64 { return float64(a.Points) / (a.Seconds + a.Finish) }),
				middle(a, func(a answer) float64 { return a.MedianUS }), middle(a, func(a answer) float64 { return a.P99US })), "", true)
	}
	return nil
}

// readers reads one series of a million points with both.
func (b *bench) readers() error {
	dir := filepath.Join(b.dir, "events")
	if _, err := ask(dir, b.python, "bench/series/peers.py", "write", dir, fmt.Sprint(b.table)); err != nil {
		return err
	}
	if err := b.write("million", b.table, noisy(1)); err != nil {
		return err
	}
	var theirs []answer
	var ours []float64
	for range rounds {
		a, err := ask(dir, b.python, "bench/series/peers.py", "read", dir)
		if err != nil {
			return err
		}
		if a.Points != int64(b.table) {
			return fmt.Errorf("TensorBoard reads %d points of %d", a.Points, b.table)
		}
		theirs = append(theirs, a)
		n := 0
		d, err := took(func() error {
			t, err := trial.Open(filepath.Join(b.dir, "million"))
			if err == nil {
				var values []float64
				_, values, err = t.Series(trial.Query{Tensor: "metric_0", Mode: record.Train})
				n = len(values)
			}
			return err
		})
		if err == nil && n != b.table {
			err = fmt.Errorf("%d points of %d are read", n, b.table)
		}
		if err != nil {
			return err
		}
		ours = append(ours, d.wall.Seconds())
	}
	slices.Sort(ours)
	us, them := ours[len(ours)/2], middle(theirs, func(a answer) float64 { return a.Seconds })
	row(fmt.Sprintf("one series of %d points read: Vigil, TensorBoard %s", b.table, theirs[0].Version), fmt.Sprintf("%.0f ms, %.0f ms: %.0fx", 1000*us, 1000*them, them/us), "", true)
	return nil
}

func middle(a []answer, of func(answer) float64) float64 {
	var list []float64
	for _, x := range a {
		list = append(list, of(x))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// ask runs a program and takes its answer.
func ask(dir string, argv ...string) (a answer, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return a, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return a, fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, errs.Bytes())
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "result "); ok {
			return a, json.Unmarshal([]byte(text), &a)
		}
	}
	return a, fmt.Errorf("%s said nothing", strings.Join(argv, " "))
}
