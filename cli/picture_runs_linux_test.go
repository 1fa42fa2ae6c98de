package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// The runs that the pictures show were recorded once, so that their numbers stay what
// they are; what the rules find in them and how it is printed is of today.
var recordRuns = flag.Bool("record", false, "train anew for the pictures of commands")

// Where the recorded runs say that they were made.
const (
	recordedIn     = "/home/ada/classifier"
	recordedPython = "/home/ada/env/bin/python"
)

// pictureRuns are the runs of the pictures, the oldest first.
var pictureRuns = []struct {
	name    string
	mended  bool // the script clears its gradients
	args    []string
	code    int
	started time.Duration // before now; far from where a count of hours changes
	tags    map[string]string
}{
	{name: "crashed", args: []string{"--features", "20"}, code: 1, started: 210 * time.Minute},
	{name: "first", started: 150 * time.Minute, tags: map[string]string{"experiment": "start"}},
	{name: "mended", mended: true, args: []string{"--lr", "0.03"}, started: 90 * time.Minute, tags: map[string]string{"experiment": "start"}},
}

func pictureData(name string) string {
	return filepath.Join(testenv.Root(), "cli", "testdata", "pictures", name)
}

// pictureScript is the script of a run.
func pictureScript(t *testing.T, mended bool) []byte {
	t.Helper()
	b, err := os.ReadFile(pictureData("train.py"))
	if err != nil {
		t.Fatal(err)
	}
	if !mended {
		return b
	}
	const mistake = "        loss.backward()\n"
	if bytes.Count(b, []byte(mistake)) != 1 {
		t.Fatalf("the script has not one line %q", mistake)
	}
	return bytes.Replace(b, []byte(mistake), []byte("        optimizer.zero_grad()\n"+mistake), 1)
}

// recordPictureRuns trains, and writes the archive of the runs. Names of this
// machine are replaced, and how long it took.
func recordPictureRuns(t *testing.T) {
	t.Helper()
	dir, python := t.TempDir(), testenv.Python(t)
	environ := append(cleanEnv(t), "OMP_NUM_THREADS=1", "NO_COLOR=1", "TZ=UTC", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=2026-11-02T09:00:00Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=2026-11-02T09:00:00Z")
	command := func(code int, argv ...string) {
		t.Helper()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, environ
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Fatalf("%q ended with %d (%v), want %d\n%s", argv, got, err, code, out)
		}
	}
	write := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("train.py", pictureScript(t, false))
	write(".gitignore", []byte("vigil-runs/\n"))
	command(0, "git", "init", "-q", "-b", "main")
	command(0, "git", "add", ".")
	command(0, "git", "commit", "-q", "-m", "A classifier")
	for _, r := range pictureRuns {
		write("train.py", pictureScript(t, r.mended))
		for try := 1; ; try++ {
			command(r.code, append([]string{vigil(t), "run", "--quiet", "--keep-output", "--every", "10", "--name", r.name, "--", python, "train.py"}, r.args...)...)
			path := filepath.Join(dir, "vigil-runs", r.name)
			whole, calm := asRecorded(t, path, dir, python)
			if whole && (calm || try == 5) {
				break
			}
			if try == 5 {
				t.Fatalf("values of %s were dropped: this machine is too busy for a recording", r.name)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	command(0, "tar", "-C", filepath.Join(dir, "vigil-runs"), "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-czf", pictureData("runs.tar.gz"), "crashed", "first", "mended")
}

// asRecorded replaces what a run says of this machine. It reports whether the run has
// all that it should have, and whether its capture took as little as it does on a
// machine that does nothing else.
func asRecorded(t *testing.T, path, dir, python string) (whole, calm bool) {
	t.Helper()
	w, err := store.Resume(vfs.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	err = w.UpdateRun(func(r *record.Run) {
		whole, calm = len(r.Dropped) == 0, r.Overhead.SincePercent < 4 && r.Overhead.OnceSeconds < 0.3
		r.Directory, r.Command[0], r.Host, r.Vigil = recordedIn, "python", "workstation", "0.1.0"
		r.Framework.Version, _, _ = strings.Cut(r.Framework.Version, "+")
		r.Facts = bytes.ReplaceAll(r.Facts, []byte(dir), []byte(recordedIn))
		r.Launcher, r.Agent, r.Control = nil, nil, ""
		for i := range r.Workers {
			r.Workers[i].Host, r.Workers[i].PID = r.Host, 4711
		}
		ended := r.Started.Add(6 * time.Second)
		r.Ended = &ended
		if p := r.Provenance; p != nil {
			p.Environment = nil
			p.Machine = &record.Machine{OS: "linux/amd64", Kernel: "6.12.0", CPU: "AMD Ryzen 9 9950X", Cores: 16, Memory: 64 << 30}
			if p.Python != nil {
				p.Python.Executable = recordedPython
			}
			if p.Packages != nil {
				p.Packages = map[string]string{"torch": p.Packages["torch"], "numpy": p.Packages["numpy"]}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{"state", "actions"} {
		if err := os.RemoveAll(filepath.Join(path, left)); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := filepath.Glob(filepath.Join(path, "logs", "*"))
	if err != nil {
		t.Fatal(err)
	}
	packages := regexp.MustCompile(`"/[^"\n]*/(lib/python3\.\d+/)`)
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(dir), []byte(recordedIn)), []byte(python), []byte(recordedPython))
		if err := os.WriteFile(log, packages.ReplaceAll(text, []byte(`"/home/ada/env/$1`)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return whole, calm
}

// picturedProject is a folder with the recorded runs, judged by the rules of today,
// and the script that made the last of them.
func picturedProject(t *testing.T) string {
	t.Helper()
	short, err := os.MkdirTemp("", "v") // a long path would be broken where it is printed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	dir := filepath.Join(short, "classifier")
	root := filepath.Join(dir, "vigil-runs")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tar", "-xzf", pictureData("runs.tar.gz"), "-C", root).CombinedOutput(); err != nil {
		t.Fatalf("unpack the recorded runs: %v\n%s", err, out)
	}
	script := filepath.Join(dir, "train.py")
	for _, r := range pictureRuns {
		if err := os.WriteFile(script, pictureScript(t, r.mended), 0o644); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-24 * time.Hour)
		if err := os.Chtimes(script, old, old); err != nil {
			t.Fatal(err)
		}
		judgedToday(t, filepath.Join(root, r.name), dir, time.Now().Add(-r.started), r.tags)
	}
	return dir
}

// judgedToday puts a recorded run into a folder and a time, and judges it again.
func judgedToday(t *testing.T, path, dir string, started time.Time, tags map[string]string) {
	t.Helper()
	w, err := store.Resume(vfs.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	err = w.UpdateRun(func(r *record.Run) {
		ended := started.Add(r.Ended.Sub(r.Started))
		r.Started, r.Ended, r.Directory = started, &ended, dir
		r.Facts = bytes.ReplaceAll(r.Facts, []byte(recordedIn), []byte(dir))
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := openRun(filepath.Base(path), path)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	for _, f := range before.Findings() {
		if err := w.Withdraw(f.Rule, func(*record.Finding) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	anew, err := openRun(filepath.Base(path), path)
	if err != nil {
		t.Fatal(err)
	}
	defer anew.Close()
	configs, _, _, err := checkCmd{Rules: "default"}.configs(anew)
	if err != nil {
		t.Fatal(err)
	}
	var found []record.Finding
	done, err := replay(context.Background(), anew, configs, replaying{found: func(f record.Finding) { found = append(found, f) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if err := w.Finding(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Statuses(done.Engine.Statuses()); err != nil {
		t.Fatal(err)
	}
	if err := w.Summary(done.Engine.Groups()); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteLabels(vfs.OS, path, record.Labels{Tags: tags}); err != nil {
		t.Fatal(err)
	}
}
