package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// names is how many numbers a call logs.
const names = 100

// logged is what client.py says.
type logged struct {
	Calls   int64   `json:"calls"`
	Points  int64   `json:"points"`
	Seconds float64 `json:"seconds"`
	Call    times   `json:"call"`    // of 100 numbers
	Control times   `json:"control"` // Python that takes as long without Vigil, in turn with the calls
	Single  times   `json:"single"`  // of one number
	Safe    float64 `json:"safe_s"`  // the longest until numbers were synced
	Unsafe  int     `json:"unsafe"`  // marks that were not synced in the end
	Dropped int64   `json:"dropped"`
}

// times are those of many calls, in µs.
type times struct {
	Median float64 `json:"median_us"`
	P99    float64 `json:"p99_us"`
}

func (t times) String() string { return fmt.Sprintf("median %.1f µs, p99 %.1f µs", t.Median, t.P99) }

// ingest logs, counts what is stored, and reads one of the series.
func (b *bench) ingest() error {
	result := filepath.Join(b.dir, "logged.json")
	cmd := exec.Command(b.vigil, "run", "--quiet", "--dir", b.dir, "--name", "ingest", "--",
		b.python, "bench/series/client.py", fmt.Sprint(names), fmt.Sprint(b.rate), fmt.Sprint(b.seconds), result)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("vigil run: %w\n%s", err, out)
	}
	var l logged
	text, err := os.ReadFile(result)
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return fmt.Errorf("read what was logged: %w", err)
	}
	agent := time.Duration(0)
	if u := cmd.ProcessState; u != nil {
		agent = u.UserTime() + u.SystemTime()
	}
	path := filepath.Join(b.dir, "ingest")
	if err := forget(path); err != nil {
		return err
	}
	var t *trial.Trial
	var values []float64
	one, err := took(func() error {
		if t, err = trial.Open(path); err != nil {
			return err
		}
		_, values, err = t.Series(trial.Query{Tensor: "layer_042", Mode: record.Global})
		return err
	})
	if err != nil {
		return err
	}
	stored := int64(len(values)) * names
	drawn, err := took(func() error {
		_, err := t.Columns(trial.Query{Tensor: "layer_042", Mode: record.Global}, wide)
		return err
	})
	if err != nil {
		return err
	}
	again, err := took(func() error {
		_, err := t.Columns(trial.Query{Tensor: "layer_042", Mode: record.Global}, wide)
		return err
	})
	if err != nil {
		return err
	}
	rate := float64(l.Points-l.Dropped) / l.Seconds
	row(fmt.Sprintf("numbers from one process, %d a call, for %.0f s; %d logged, %d dropped, %d read back", names, l.Seconds, l.Points, l.Dropped, stored),
		fmt.Sprintf("%.2f million/s", rate/1e6), "at least 1.00 million/s", rate >= 1e6 && l.Dropped == 0 && stored >= l.Points)
	row(fmt.Sprintf("time of a call of %d numbers", names), l.Call.String(), "p99 at most 20 µs", l.Call.P99 <= 20)
	row("in turn with them, packing the numbers for as long without Vigil (control)", l.Control.String(), "", true)
	row("time of a call of one number", l.Single.String(), "p99 at most 20 µs", l.Single.P99 <= 20)
	row("until safe from a loss of power, longest", fmt.Sprintf("%.0f ms", 1000*l.Safe), "at most 1 s", l.Safe <= 1 && l.Unsafe == 0)
	row("CPU time of client, agent and launcher together", fmt.Sprintf("%.2f µs a number", float64(agent.Microseconds())/float64(l.Points)), "", true)
	size, err := sealed(path)
	if err != nil {
		return err
	}
	row("bytes of a number in this run, all tables", fmt.Sprintf("%.2f", float64(size)/float64(stored)), "", true)
	row(fmt.Sprintf("one series of %d points out of this run's %d, cold", len(values), stored), one.String(), "at most 100 ms", one.wall <= 100*time.Millisecond)
	row("the same as a chart, read, then drawn again", drawn.String()+", "+again.String(), "", true)
	return nil
}
