package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/timeline/tracecheck"
	"github.com/vigil-ml/vigil/internal/trial"
)

// vigilIn runs vigil in a folder, and gives what it printed and its exit code.
func vigilIn(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(vigil(t), args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, cleanEnv(t), &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// readTrace reads a trace file, which must be one that a viewer shows all of.
func readTrace(t *testing.T, path string) (string, tracecheck.Counts) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		zip, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		var plain bytes.Buffer
		if _, err := plain.ReadFrom(zip); err != nil {
			t.Fatal(err)
		}
		b = plain.Bytes()
	}
	counts, err := tracecheck.Check(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), counts
}

func TestTrace(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "vigil-runs")
	w := timed.Write(t, root, "run", timed.Options{Started: timedStart, Seconds: 20, Ranks: 2, Detail: true, GPU: true, Hosts: []string{"node-2"}, Running: true})
	if err := w.Finding(record.Finding{Rule: "dead_relu", Check: "dead", Severity: record.Warning, Mode: record.Train, ModeStep: 3, Step: 3, Worker: "worker_0", Time: timedStart.Add(time.Hour), Message: "It died."}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := vigilIn(t, dir, "trace", "run", "-o", "trace.json.gz")
	if code != 0 || !strings.HasPrefix(stdout, "wrote trace.json.gz (") || !strings.HasSuffix(stdout, "open it at https://ui.perfetto.dev\n") {
		t.Fatalf("ended with %d: %s%s", code, stdout, stderr)
	}
	text, counts := readTrace(t, filepath.Join(dir, "trace.json.gz"))
	for name, n := range map[string]int{"training step": 400, "data": 400, "forward": 400, "waiting for ranks": 200, "checkpoint": 2, "start-up": 2} {
		if counts.Names[name] != n {
			t.Errorf("%d slices are called %q, want %d", counts.Names[name], name, n)
		}
	}
	for _, want := range []string{`"worker_1, rank 1 of 2 on workstation"`, `"machine workstation"`, `"machine node-2"`, `"name":"gpu/0"`, `"dead_relu/dead"`, `"python train.py"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the trace lacks %s", want)
		}
	}
	// The detail of the last second is exact, what was before it sums.
	if exact, sums := strings.Count(text, `"training step"`)-strings.Count(text, `"parts":"sums"`), strings.Count(text, `"parts":"sums"`); exact != 20 || sums != 380 {
		t.Errorf("%d steps are exact, %d are sums", exact, sums)
	}

	stdout, _, code = vigilIn(t, dir, "trace", "--json")
	var said struct {
		Format int
		Trace  string
		Bytes  int64
		Notes  []string
	}
	if err := json.Unmarshal([]byte(stdout), &said); err != nil || code != 0 || said.Format != 1 || said.Notes == nil {
		t.Fatalf("%s: %v", stdout, err)
	}
	if info, err := os.Stat(filepath.Join(dir, said.Trace)); err != nil || info.Size() != said.Bytes {
		t.Errorf("%+v: %v", said, err)
	}
	readTrace(t, filepath.Join(dir, said.Trace))

	tr, err := trial.Open(filepath.Join(root, "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	detail := filepath.Join(root, "run", tr.Traces("")[0].Path)
	if err := os.WriteFile(detail, []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, _, code = vigilIn(t, dir, "trace", "run", "-o", "plain.json")
	if code != 0 || !strings.Contains(stdout, "A piece of the detail of worker_0 cannot be read") {
		t.Errorf("damaged detail: ended with %d: %s", code, stdout)
	}
	readTrace(t, filepath.Join(dir, "plain.json"))
}

func TestTraceOfWrongInput(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "vigil-runs")
	timed.Write(t, root, "run", timed.Options{Started: timedStart, Seconds: 2})
	timed.Write(t, root, "empty", timed.Options{Started: timedStart, Empty: true, Ended: true})
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"an unknown run", []string{"trace", "rum", "-o", "t.json"}, `there is no run "rum" in "vigil-runs"`},
		{"a directory", []string{"trace", "run", "-o", "vigil-runs"}, `cannot write the trace to "vigil-runs": it is a directory`},
		{"no directory", []string{"trace", "run", "-o", "nowhere/t.json"}, `cannot write the trace to "nowhere/t.json": there is no directory "nowhere"`},
		{"a run without times", []string{"trace", "empty", "-o", "t.json"}, `run "empty" has no step times and no machine metrics`},
		{"a full disk", []string{"trace", "run", "-o", "/dev/full"}, `write trace "/dev/full": write /dev/full: no space left on device`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := vigilIn(t, dir, tt.args...)
			first, _, _ := strings.Cut(stderr, "\n")
			if code != 1 || stdout != "" || first != "vigil: "+tt.want {
				t.Errorf("ended with %d: %s%s", code, stdout, stderr)
			}
			if files, _ := filepath.Glob(filepath.Join(dir, ".trace-*")); len(files) > 0 {
				t.Errorf("%q is left", files)
			}
			if _, err := os.Stat(filepath.Join(dir, "t.json")); err == nil {
				t.Error("a file was written")
			}
		})
	}
}
