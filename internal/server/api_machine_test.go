package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv/timed"
)

// machineServer serves a run that tells of its time and its machine.
func machineServer(t *testing.T, o timed.Options) *httptest.Server {
	t.Helper()
	root := t.TempDir()
	o.Started = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	timed.Write(t, root, "timed", o)
	s := httptest.NewServer(New(Options{Root: root, Version: "test"}).Handler())
	t.Cleanup(s.Close)
	return s
}

func getBody(t *testing.T, url, accept string) (status int, body []byte) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, b
}

// Each resource of machines and time answers, and says clearly what is wrong.
func TestMachineAndTime(t *testing.T) {
	s := machineServer(t, timed.Options{Seconds: 60, Ranks: 2, Cores: 16, GPUs: 8})
	for _, tt := range []struct {
		path   string
		status int
		want   string // parts that stand in the answer, divided by |
	}{
		{"metrics", 200, `"name":"workstation"|"cpu/9","cpu/10"|"gpu/0/power_w":"W"|"interval_ms":500|"pauses":[]`},
		{"metrics/table", 200, `"metric":"total CPU","unit":"%","min":|"metric":"total network","unit":"B/s","min":3000,"max":3000,"p99":3000,"p95":3000,"p90":3000,"p50":3000,"count":138`},
		{"metrics/series?name=cpu/total&name=gpu/*/utilization&name=fan/0&columns=10", 200, `"name":"cpu/total","unit":"%","raw":false,"points":138|"name":"gpu/*/utilization"|"error":"the machine has no such metric"`},
		{"metrics/series?name=cpu/total&from=2026-11-21T10:00:10Z&to=2026-11-21T10:00:12Z", 200, `"raw":true,"points":4,"x":[1.79525521e+09,`},
		{"metrics/series?name=cpu/total&from=2026-11-21T10:00:10Z&to=2026-11-21T10:00:10Z", 422, "`to` has to be later than `from`"},
		{"metrics/heat?columns=8", 200, `"seconds":8.625,|"name":"CPU","kind":"total"|"name":"core 15","kind":"cpu"|"name":"GPU 7","kind":"gpu"`},
		{"metrics/heat?host=nowhere", 200, `"rows":[]`},
		{"metrics/phases", 200, `"parts":[{"name":"data","word":"data"}|"step":570,"steps":1|"step":599|"metrics":[{"name":"CPU","values":[`},
		{"timeline", 200, `"checkpoints":[{"name":"","kind":"checkpoint","worker":"worker_0"|"steps":[{"step":0,|{"step":5,|"name":"start-up"|"text":"data 6`},
		{"time", 200, `"known":true|"part":"data"|"loaders":[{"worker":"worker_0","settings":{"batch_size":64,"workers":0}|`},
		{"time/steps", 200, `"worker":"worker_0","mode":"TRAIN","raw":true,"steps":600|"outliers":[{"step":`},
		{"time/steps?worker=worker_1&mode=EVAL", 200, `"steps":10`},
		{"time/steps?from=10&to=5", 422, "`to` has to be later than `from`"},
		{"time/steps?mode=NIGHT", 422, `expected value to be one of`},
		{"time/ranks", 200, `"name":"worker_1","rank":1|"text":"Both ranks take the same time for their own work, within 2 %."`},
		{"windows", 200, `"windows":[]`},
		{"windows/1/flame", 404, `there is no window 1`},
	} {
		t.Run(tt.path, func(t *testing.T) {
			status, b := getBody(t, s.URL+"/api/v1/runs/timed/"+tt.path, "application/json")
			rest := string(b)
			if status != tt.status {
				t.Fatalf("status %d: %.400s", status, rest)
			}
			for part := range strings.SplitSeq(tt.want, "|") {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("no %s in %.3000s", part, b)
				}
				rest = after
			}
		})
	}
}

// Of a run without any of it every list is empty, and nothing fails.
func TestNothingOfMachineAndTime(t *testing.T) {
	s := machineServer(t, timed.Options{Empty: true, Ended: true})
	for _, path := range []string{"metrics", "metrics/table", "metrics/series?name=cpu/total", "metrics/heat", "metrics/phases", "timeline", "time", "time/steps", "time/ranks", "windows"} {
		status, b := getBody(t, s.URL+"/api/v1/runs/timed/"+path, "application/json")
		if status != 200 || bytes.Contains(b, []byte("null")) && path != "metrics" || !json.Valid(b) {
			t.Errorf("%s: status %d, %s", path, status, b)
		}
	}
}

// As columns the lists of numbers are behind the header.
func TestMachineColumns(t *testing.T) {
	s := machineServer(t, timed.Options{Seconds: 60, Cores: 16, GPUs: 8})
	for _, path := range []string{"metrics/series?name=cpu/total&columns=10", "metrics/heat", "time/steps"} {
		status, b := getBody(t, s.URL+"/api/v1/runs/timed/"+path, columnsType)
		if status != 200 || !bytes.HasPrefix(b, []byte(columnsMagic)) || bytes.Contains(b[:400], []byte(`"mean":[`)) {
			t.Errorf("%s: status %d, %.200q", path, status, b)
		}
	}
}
