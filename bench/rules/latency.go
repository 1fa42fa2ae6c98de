package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// Each configuration fires once, at a step of its own: the first at firstFiring,
// then one every apart steps.
const (
	firstFiring = 20
	apart       = 3
	lastStep    = firstFiring + apart*configCount
)

// latencies runs trainings under vigil and gives, for each firing, the time from the end of
// its step to the webhook's request.
func latencies(runs int, pace time.Duration, keep string) ([]time.Duration, error) {
	dir := keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "vigil-bench-rules-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	vigil := filepath.Join(dir, "vigil")
	if err := testenv.Build(vigil); err != nil {
		return nil, err
	}
	var all []time.Duration
	for i := range runs {
		took, err := run(vigil, filepath.Join(dir, fmt.Sprint("run-", i)), pace)
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", i, err)
		}
		all = append(all, took...)
	}
	return all, nil
}

// run is one training. All tensors are captured at every step, the default
// rules judge it, and so do the expressions that fire.
func run(vigil, dir string, pace time.Duration) ([]time.Duration, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	r := &receiver{came: map[int64]time.Time{}}
	server := httptest.NewServer(r)
	defer server.Close()
	file := filepath.Join(dir, "vigil.yaml")
	if err := os.WriteFile(file, []byte(configuration(server.URL)), 0o644); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	times := filepath.Join(dir, "times.jsonl")
	cmd := exec.Command(vigil, "run", "--config", file, "--dir", dir, "--name", "run", "--every", "1", "--quiet", "--", self, "-train", times, "-pace", pace.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("vigil run: %w\n%s", err, out)
	}
	ended, err := readTimes(times)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var took []time.Duration
	for i := range configCount {
		step := int64(firstFiring + apart*i)
		came, there := r.came[step]
		if !there {
			return nil, fmt.Errorf("the firing at step %d never came: see %s", step, dir)
		}
		took = append(took, came.Sub(ended[step]))
	}
	return took, nil
}

func configuration(url string) string {
	text := fmt.Sprintf("actions:\n  - webhook: {url: %q}\n    on: [", url)
	rules := "rule:\n"
	for i := range configCount {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("fires_%d", i)
		rules += fmt.Sprintf("  - rule: fires_%d\n    expression: 'series(\"loss\").last() > -1 && step == %d'\n", i, firstFiring+apart*i)
	}
	return text + "]\n" + rules
}

// receiver notes when the event of a step came first.
type receiver struct {
	mu   sync.Mutex
	came map[int64]time.Time
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	now := time.Now()
	var event struct {
		Detail struct {
			Vigil struct {
				Finding record.Finding `json:"finding"`
			} `json:"Vigil"`
		} `json:"detail"`
	}
	if err := json.NewDecoder(q.Body).Decode(&event); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if step := event.Detail.Vigil.Finding.Step; r.came[step].IsZero() {
		r.came[step] = now
	}
}

// ending is when a step ended.
type ending struct {
	Step int64     `json:"step"`
	Time time.Time `json:"time"`
}

func readTimes(name string) (map[int64]time.Time, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ended := map[int64]time.Time{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e ending
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		ended[e.Step] = e.Time
	}
	return ended, nil
}

// train is the training under vigil run.
func train(times string, pace time.Duration) error {
	f, err := os.Create(times)
	if err != nil {
		return err
	}
	defer f.Close()
	h := hook.Start(hook.Options{Model: "bench", Optimizer: "none"})
	if err := h.Err(); err != nil {
		return fmt.Errorf("start hook: %w", err)
	}
	n := newNetwork()
	taps := make([]*hook.Tensor, len(n.infos))
	for i, info := range n.infos {
		var shape []int
		for _, d := range info.Shape {
			shape = append(shape, int(d))
		}
		taps[i] = h.Tensor(hook.Info{Name: info.Name, Kind: hook.Kind(info.Kind), Shape: shape, Module: info.Module, ModuleType: info.ModuleType})
	}
	out := json.NewEncoder(f)
	for i := range lastStep {
		begin := time.Now()
		n.step()
		s := h.Begin(hook.Train)
		s.Loss(n.loss(i))
		for k, t := range taps {
			s.Float32(t, n.values[k])
		}
		e := ending{Step: int64(i), Time: time.Now()}
		s.End()
		if err := out.Encode(e); err != nil {
			return err
		}
		if rest := pace - time.Since(begin); rest > 0 {
			time.Sleep(rest)
		}
	}
	h.Close()
	return f.Close()
}
