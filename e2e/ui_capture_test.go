package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/server"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// The dashboard has a running job store the values of one tensor for some steps,
// and of no other tensor whose name begins or ends alike.
func TestCaptureFromTheDashboard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	cmd := command(ctx, dir, nil, binary, "run", "--name", "r", "--", testenv.Python(t), script("endless"))
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "vigil-runs")
	const tensor = "Sequential_0.weight"
	look := func(see func(*trial.Trial)) {
		if tr, err := trial.Open(filepath.Join(root, "r")); err == nil {
			defer tr.Close()
			see(tr)
		}
	}
	last := func() (n int64) {
		n = -1
		look(func(tr *trial.Trial) {
			if all := tr.Steps(record.Train); len(all) > 0 {
				n = all[len(all)-1]
			}
		})
		return n
	}
	waitFor(t, "the first steps", func() bool { return last() >= 30 })

	api := httptest.NewServer(server.New(server.Options{Root: root, Version: "test"}).Handler())
	defer api.Close()
	ask := func(run, body string) (int, map[string]any) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, api.URL+"/api/v1/runs/"+run+"/capture", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Vigil", "1")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, _ := io.ReadAll(a.Body)
		var m map[string]any
		if err := json.NewDecoder(bytes.NewReader(b)).Decode(&m); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		return a.StatusCode, m
	}
	refused := func(run, body string, status int, detail string) {
		t.Helper()
		if got, m := ask(run, body); got != status || !strings.Contains(m["detail"].(string), detail) {
			t.Errorf("%s: %d %v, want %d %q", body, got, m["detail"], status, detail)
		}
	}
	refused("r", `{"tensor":"nosuch"}`, 404, `has no tensor "nosuch"`)
	refused("r", `{"collection":"nosuch"}`, 404, `has no tensor in a collection "nosuch"`)
	refused("r", `{}`, 422, "Name a tensor or a collection")
	refused("r", `{"tensor":"loss","collection":"weights"}`, 422, "and not both")
	refused("r", `{"tensor":"loss","steps":0}`, 422, "")
	refused("nosuch", `{"tensor":"loss"}`, 404, "")

	status, m := ask("r", `{"tensor":"`+tensor+`","steps":20}`)
	if status != http.StatusOK {
		t.Fatalf("%d %v", status, m)
	}
	from, to := int64(-1), int64(-1)
	for _, w := range m["windows"].([]any) {
		if w := w.(map[string]any); w["mode"] == "TRAIN" {
			from, to = int64(w["start"].(float64)), int64(w["end"].(float64))
		}
	}
	if from < 0 || to != from+20 {
		t.Fatalf("%v", m)
	}
	waitFor(t, "the twenty steps", func() bool { return last() > to+20 })
	look(func(tr *trial.Trial) {
		for _, info := range tr.Tensors() {
			steps := tr.RawSteps(info.Name, record.Train, "")
			steps = slices.DeleteFunc(steps, func(s int64) bool { return s < from })
			if info.Name != tensor && len(steps) > 0 {
				t.Errorf("raw values of %s at %v", info.Name, steps)
			}
			outside := slices.ContainsFunc(steps, func(s int64) bool { return s >= to })
			// On a machine that is too busy values may be dropped, and are counted then.
			if info.Name == tensor && (outside || len(steps) != 20 && len(tr.Run().Dropped) == 0) {
				t.Errorf("raw values at %v, asked for %d to %d", steps, from, to-1)
			}
		}
		if plan := tr.Run().Plan; plan[len(plan)-1].Why != "dashboard: raw values of "+tensor+" for 20 steps" {
			t.Errorf("the history says %q", plan[len(plan)-1].Why)
		}
	})

	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	refused("r", `{"tensor":"`+tensor+`"}`, 409, "already ended")
}
