package cli

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// known are the workers that --worker may name: of a machine's metric the hosts.
func (c valuesCmd) known(t source.Run, info record.TensorInfo) []string {
	if m, ok := t.(source.Metrics); ok && info.Kind == record.MachineMetric {
		return m.Hosts()
	}
	return t.Workers()
}

// machine prints a metric of a machine: its steps are the numbers of the host's
// samples, and each value has a time.
func (c valuesCmd) machine(a *app, t source.Run, info record.TensorInfo, from, to int64) error {
	m, ok := t.(source.Metrics)
	if !ok || c.Mode != "" && !strings.EqualFold(c.Mode, record.Global.String()) {
		return c.nothing("value", info)
	}
	if c.Stat != "" && c.Stat != "value" {
		_, err := c.stat(t)
		if err == nil {
			err = c.nothing(c.Stat, info)
		}
		return err
	}
	for _, host := range m.Hosts() {
		if c.Worker != "" && host != c.Worker {
			continue
		}
		steps, values, err := t.Series(source.Query{Tensor: c.Tensor, Mode: record.Global, Worker: host, From: from, To: to})
		if err != nil || len(steps) == 0 {
			continue // another host has it
		}
		at, err := c.times(m, t, host, steps)
		if err != nil {
			return err
		}
		return c.printMachine(a, host, steps, at, values)
	}
	return c.nothing("value", info)
}

// times are those of samples of a host by their numbers.
func (c valuesCmd) times(m source.Metrics, t source.Run, host string, steps []int64) ([]time.Time, error) {
	all, _, err := t.Series(source.Query{Tensor: c.Tensor, Mode: record.Global, Worker: host})
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", c.Tensor, err)
	}
	at, _, err := m.Metric(host, c.Tensor, time.Time{}, time.Time{})
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", c.Tensor, err)
	}
	out := make([]time.Time, len(steps))
	for i, k := 0, 0; i < len(steps); i++ {
		for k < len(all) && all[k] < steps[i] {
			k++
		}
		if k < len(at) {
			out[i] = at[k]
		}
	}
	return out, nil
}

// sampleTime is how the times of samples are written in files.
const sampleTime = "2006-01-02T15:04:05.000Z"

func (c valuesCmd) printMachine(a *app, host string, steps []int64, at []time.Time, values []float64) error {
	switch c.Format {
	case "json":
		numbers, times := make([]record.Number, len(values)), make([]string, len(at))
		for i, v := range values {
			numbers[i], times[i] = record.Number(v), at[i].UTC().Format(sampleTime)
		}
		return writeJSON(a.stdout, map[string]any{"tensor": c.Tensor, "mode": record.Global, "worker": host, "stat": "value", "steps": steps, "times": times, "values": numbers})
	case "npy":
		return writeNPY(a.stdout, values)
	case "csv":
		w := csv.NewWriter(a.stdout)
		_ = w.Write([]string{"step", "time", "value"})
		for i, s := range steps {
			_ = w.Write([]string{strconv.FormatInt(s, 10), at[i].UTC().Format(sampleTime), strconv.FormatFloat(values[i], 'g', -1, 64)})
		}
		w.Flush()
		return w.Error()
	}
	p := a.page()
	name := p.Bold(printable(c.Tensor))
	if _, terminal := a.terminal(); terminal && !c.Table && len(values) > 1 {
		_, err := fmt.Fprintf(a.stdout, "%s, %s, %s to %s\n%s", name, printable(host), clockTime(at[0]), clockTime(at[len(at)-1]), p.Curve(steps, values))
		return err
	}
	fmt.Fprintf(a.stdout, "%s, %s, %s\n", name, record.Global, printable(host))
	fmt.Fprintf(a.stdout, "%10s  %-23s  %s\n", "step", "time", "value")
	for i, s := range steps {
		if _, err := fmt.Fprintf(a.stdout, "%10d  %-23s  %s\n", s, at[i].Local().Format("2006-01-02 15:04:05.000"), a.compact(values[i])); err != nil {
			return err
		}
	}
	return nil
}
