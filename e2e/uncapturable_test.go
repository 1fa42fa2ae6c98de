package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

func bad(name string) string {
	return filepath.Join(testenv.Root(), "e2e", "scripts", "bad", name+".py")
}

// A training that cannot be captured ends as it would without Vigil, and the
// summary says why there is nothing.
func TestNothingToCapture(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	for _, tt := range []struct {
		name, why string
		code      int
	}{
		{"no_parameters", "nothing was trained, and the model that was run, Sequential, has no parameters", 0},
		{"no_optimiser", "backward() was called, but the weights were not updated", 0},
		{"no_step", "SGD was created, but it made no step", 0},
		{"crashed", "the script ended with an error (RuntimeError) before a training was seen", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := run(t, dir, nil, binary, "run", "--name", "r", "--", python, bad(tt.name))
			if o.code != tt.code || o.stdout != "done\n" {
				t.Errorf("exit code %d, output %q", o.code, o.stdout)
			}
			if !strings.Contains(o.stderr, tt.why) {
				t.Errorf("the summary does not say %q: %s", tt.why, o.stderr)
			}
			if d := run(t, dir, nil, binary, "doctor", "r"); !strings.Contains(d.stdout, tt.why) {
				t.Errorf("doctor does not say %q: %s%s", tt.why, d.stdout, d.stderr)
			}
		})
	}
}

// NaN everywhere is one group of findings, and names where it began.
func TestNaNEverywhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := run(t, dir, nil, append([]string{binary, "run", "--name", "r", "--"}, forked(t, "bad/nan")...)...)
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
	groups := tr.Groups()
	if len(groups) != 1 || groups[0].CauseClass != "non-finite" {
		t.Fatalf("groups: %+v", groups)
	}
	if !slices.ContainsFunc(append(groups[0].Symptoms, groups[0].Root), func(f record.Finding) bool {
		return f.Rule == "not_finite" && f.Subject == "Linear_weight" && f.Step == 0
	}) {
		t.Errorf("nothing says that it began with the weight: %+v", groups)
	}
	if c := run(t, dir, nil, binary, "check", "r"); c.code != 2 {
		t.Errorf("check ends with %d, want 2: %s%s", c.code, c.stdout, c.stderr)
	}
	v := run(t, dir, nil, binary, "values", "r", "loss", "--format", "json", "--steps", "0:2")
	if !strings.Contains(v.stdout, `"values":["NaN","NaN"]`) {
		t.Errorf("values: %s%s", v.stdout, v.stderr)
	}
}

// Names that would break a path, a line or a table are stored, listed and read
// like any other.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := run(t, dir, nil, append([]string{binary, "run", "--name", "r", "--"}, forked(t, "bad/names")...)...)
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
	for _, name := range []string{"a/b/../../c", "quotes \" ' `", "line\nbreak\ttab", strings.Repeat("x", 5000), "ünïcödé ☃", "nul\x00byte", ".."} {
		// On a machine that is too busy values may be dropped, and are counted then.
		raw := tr.RawSteps("tensor "+name, record.Train, "")
		if len(raw) == 0 || len(raw) != 5 && len(tr.Run().Dropped) == 0 {
			t.Errorf("%.40q has raw values at steps %v, want five", name, raw)
			continue
		}
		v, err := tr.Raw("tensor "+name, record.Train, raw[len(raw)-1], "")
		if err != nil || len(v.Data) != 12 {
			t.Errorf("%.40q: %d bytes, %v", name, len(v.Data), err)
		}
	}
	s := run(t, dir, nil, binary, "show", "r")
	if s.code != 0 || strings.ContainsAny(s.stdout, "\x00\t") {
		t.Errorf("show ends with %d and prints control characters: %q", s.code, s.stdout)
	}
	if j := run(t, dir, nil, binary, "show", "r", "--json"); !strings.Contains(j.stdout, `line\nbreak\ttab`) {
		t.Errorf("show --json: %.300s", j.stdout)
	}
	if r := run(t, dir, nil, binary, "report", "r"); r.code != 0 {
		t.Errorf("report ends with %d: %s", r.code, r.stderr)
	}
}

// A tensor of 2 GB that the script saves travels in pieces and comes back
// whole. Nothing else runs meanwhile: it keeps the disk busy.
func TestTensorOf2GB(t *testing.T) {
	if os.Getenv("VIGIL_TEST_LONG") == "" {
		t.Skip("runs where VIGIL_TEST_LONG is set")
	}
	dir := t.TempDir()
	o := run(t, dir, nil, binary, "run", "--name", "r", "--", testenv.Python(t), bad("big"))
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	// Through the program, which hands the values over as a numpy file.
	cmd := command(t.Context(), dir, nil, binary, "values", "r", "big", "--stat", "raw", "--steps", "0", "--format", "npy")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const elements = 1<<29 + 3
	header := make([]byte, 128)
	if _, err := io.ReadFull(out, header); err != nil || !bytes.Contains(header, []byte(fmt.Sprintf("'shape': (%d,)", elements))) {
		t.Fatalf("header %q, %v", header, err)
	}
	first, last, n := make([]byte, 4), make([]byte, 4), 0
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatal(err)
	}
	n = 4
	for buf := make([]byte, 1<<20); ; {
		k, err := io.ReadFull(out, buf)
		n += k
		if k >= 4 {
			copy(last, buf[k-4:k])
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil || n != 4*elements {
		t.Fatalf("%d bytes, want %d; %v", n, 4*elements, err)
	}
	one, seven := []byte{0, 0, 0x80, 0x3f}, []byte{0, 0, 0xe0, 0x40}
	if !bytes.Equal(first, one) || !bytes.Equal(last, seven) {
		t.Errorf("first and last element are % x and % x", first, last)
	}
}

// The disk fills while a training is captured: the training ends well, the
// user reads why raw values are missing, and what was stored before is whole.
// The small disk is a tmpfs in a mount namespace of the test's own.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	inside := fmt.Sprintf("mount -t tmpfs -o size=3m tmpfs '%s' && cd '%s' && '%s' run --dir '%s/runs' --name r --save-all --every 1 -- '%s' '%s'; code=$?; '%s' show --dir '%s/runs' r; '%s' values --dir '%s/runs' r loss --format csv; exit $code",
		disk, dir, binary, disk, testenv.Python(t), script("mlp"), binary, disk, binary, disk)
	argv := []string{"unshare", "--mount", "sh", "-c", inside}
	if os.Getuid() != 0 {
		argv = append([]string{"unshare", "--user", "--map-root-user"}, argv[1:]...)
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Fatalf("find unshare (util-linux): %v", err)
	}
	o := run(t, dir, []string{"VIGIL_E2E_STEPS=300"}, argv...)
	if o.code != 0 {
		t.Fatalf("the training ended with %d: %s%s", o.code, o.stdout, o.stderr)
	}
	if !strings.Contains(o.stderr, "disk") && !strings.Contains(o.stderr, "space") {
		t.Errorf("nobody said that the disk is full: %s", o.stderr)
	}
	if !strings.Contains(o.stdout, "\n0,") {
		t.Errorf("the loss of the first step is not there: %s", o.stdout)
	}
}

// A file of the run with one flipped byte is named, and the rest is read.
func TestFlippedByte(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if o := run(t, dir, nil, append([]string{binary, "run", "--name", "r", "--every", "5", "--"}, forked(t, "mlp")...)...); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	path := filepath.Join(dir, "vigil-runs", "r")
	files, err := filepath.Glob(filepath.Join(path, "series", "worker_0", "stats-*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no table of statistics: %v", err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 0x40
	if err := os.WriteFile(files[0], b, 0o644); err != nil {
		t.Fatal(err)
	}
	v := run(t, dir, nil, binary, "values", "r", "loss")
	if v.code != 0 {
		t.Errorf("the loss cannot be read any more: %s", v.stderr)
	}
	if w := run(t, dir, nil, binary, "values", "r", "Net_hidden.weight"); !strings.Contains(w.stderr, filepath.Base(files[0])) {
		t.Errorf("values does not name what is damaged: %s%s", w.stdout, w.stderr)
	}
	// Judging the run again reads every table, so it meets the damaged one.
	c := run(t, dir, nil, binary, "check", "r")
	if c.code != 0 {
		t.Errorf("check ends with %d, want 0: %s%s", c.code, c.stdout, c.stderr)
	}
	if name := filepath.Base(files[0]); !strings.Contains(c.stdout+c.stderr, name) {
		t.Errorf("check does not name %s:\n%s%s", name, c.stdout, c.stderr)
	}
	if s := run(t, dir, nil, binary, "show", "r"); s.code != 0 {
		t.Errorf("show ends with %d: %s", s.code, s.stderr)
	}
}

// Launcher, agent and trainer are killed together and the end of the journal
// never reached the disk: the run says that it is lost, and every command
// reads it up to its last whole record.
func TestCutOffInMidWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := command(ctx, dir, nil, binary, "run", "--name", "r", "--", testenv.Python(t), script("endless"))
	var out, errOut lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "vigil-runs", "r")
	var r record.Run
	waitFor(t, "40 stored steps", func() bool {
		tr, err := trial.Open(path)
		if err != nil {
			return false
		}
		defer tr.Close()
		r = tr.Run()
		return r.Launcher != nil && r.Agent != nil && len(r.Workers) == 1 && len(tr.Steps(record.Train)) >= 40
	})
	// The agent must not see the launcher or the trainer end.
	kill(t, r.Agent.PID, syscall.SIGSTOP)
	for _, pid := range []int{r.Launcher.PID, r.Agent.PID, r.Workers[0].PID} {
		kill(t, pid, syscall.SIGKILL)
	}
	_ = cmd.Wait()
	waitFor(t, "the processes to end", func() bool { return !alive(r.Agent.PID) && !alive(r.Workers[0].PID) })

	before := losses(t, path)
	journals, err := filepath.Glob(filepath.Join(path, "series", "worker_0", "journal-*.log"))
	if err != nil || len(journals) == 0 {
		t.Fatalf("no journal: %v", err)
	}
	newest := journals[len(journals)-1]
	b, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	last := lastRecord(t, b)
	if err := os.WriteFile(newest, b[:len(b)-7], 0o644); err != nil {
		t.Fatal(err)
	}

	for _, argv := range [][]string{{"show", "r"}, {"values", "r", "loss"}, {"check", "r"}, {"findings", "r"}, {"report", "r"}} {
		c := run(t, dir, nil, append([]string{binary}, argv...)...)
		if c.code != 0 || strings.Contains(c.stderr, "internal error") {
			t.Errorf("%v ends with %d: %s%s", argv, c.code, c.stdout, c.stderr)
		}
		if argv[0] == "show" && !strings.Contains(c.stdout, "status     lost: its processes are gone") {
			t.Errorf("show does not say that the run is lost: %s", c.stdout)
		}
	}
	after := losses(t, path)
	if missing := len(before) - len(after); missing > last || !slices.Equal(after, before[:len(after)]) {
		t.Errorf("of %d losses %d are left; the last record had %d steps", len(before), len(after), last)
	}
}

func kill(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		t.Fatalf("send %v to process %d: %v", signal, pid, err)
	}
}

// losses are the stored losses of a run by step, which begins at 0 and leaves
// none out.
func losses(t *testing.T, path string) []float64 {
	t.Helper()
	steps, values, err := open(t, path).Series(trial.Query{Tensor: "loss", Mode: record.Train})
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range steps {
		if step != int64(i) {
			t.Fatalf("loss %d is that of step %d", i, step)
		}
	}
	return values
}

// lastRecord is the number of steps in the last whole record of a journal.
func lastRecord(t *testing.T, b []byte) int {
	t.Helper()
	n := 0
	var d journal.Decoder
	journal.Scan(b, 0, func(off int64, payload []byte) {
		steps, _, err := d.Decode(payload)
		if err != nil || steps == nil {
			t.Fatalf("decode the record at byte %d: %v", off, err)
		}
		n = len(steps.Steps)
	}, func(off, n int64) { t.Errorf("%d bytes at byte %d of the journal are damaged", n, off) })
	return n
}
