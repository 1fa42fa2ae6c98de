package golden

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/server"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/web"
)

var (
	recordRuns = flag.Bool("record", false, "train, and draw the documentation's pictures of these runs")
	redraw     = flag.Bool("redraw", false, "draw the documentation's pictures of ended runs again, from what -record left in build/recorded")
)

// A training is a real one, of a script of the repository.
type training struct {
	name, script string
	arguments    []string
	flags        []string // of vigil run
}

// The trainings of the documentation's pictures. The last one is slow: it goes on until
// that was found, and is stopped then.
var (
	softmaxTwice = training{name: "softmax-twice", script: "examples/softmax_twice.py"}
	sigmoids     = training{name: "sigmoids", script: "examples/broken.py", flags: []string{"--stop-on", "warning"}}
	rates        = []training{rate("0.002"), rate("0.02"), rate("0.2")}
	slowBlur     = training{name: "slow-blur", script: "examples/slow.py", arguments: []string{"1000"}, flags: []string{"--profile", "stacks:steps=20-60"}}
)

func rate(lr string) training {
	return training{name: "lr-" + lr, script: "e2e/scripts/handwritten.py", arguments: []string{"--lr", lr}}
}

// A drawing is a picture of the documentation.
type drawing struct {
	name, path string
	look       look
	of         []training
	live       bool // drawn while the slow training goes on
}

func drawings() []drawing {
	compared := "/curves?closed=collection%20weights,collection%20gradients,collection%20layers,collection%20biases&runs=" + rates[0].name + "," + rates[1].name + "," + rates[2].name
	of := func(t training, page string) string { return "/runs/" + t.name + "/" + page }
	everything := append([]training{softmaxTwice, sigmoids, slowBlur}, rates...)
	at := func(l look, most int64) look { l.most = most; return l }
	return []drawing{
		{"runs", "/runs", at(light, 400), everything, true},
		{"live", of(slowBlur, "overview"), at(light, 1300), []training{slowBlur}, true},
		{"controls", of(slowBlur, "controls"), light, []training{slowBlur}, true},
		{"overview", of(softmaxTwice, "overview"), at(light, 1300), []training{softmaxTwice}, false},
		{"overview-dark", of(softmaxTwice, "overview"), at(dark, 900), []training{softmaxTwice}, false},
		{"compare", compared, at(light, 800), rates, false},
		{"tensors", of(sigmoids, "tensors"), at(light, 1000), []training{sigmoids}, false},
		{"tensor", of(sigmoids, "tensors?tensor=gradient/Sequential_0.weight"), at(light, 1300), []training{sigmoids}, false},
		{"time", of(slowBlur, "time"), at(light, 1700), []training{slowBlur}, false},
		{"machine", of(slowBlur, "machine"), at(light, 1300), []training{slowBlur}, false},
	}
}

// documented is where these pictures lie, with a list of the runs that they are of.
func documented(file string) string {
	return filepath.Join(testenv.Root(), "docs", "images", "ui", file)
}

// TestDocumentation trains and draws, where it is asked to.
func TestDocumentation(t *testing.T) {
	if !*recordRuns && !*redraw {
		t.Skip("the documentation's pictures are drawn with -record")
	}
	r := &recorder{t: t, root: filepath.Join(testenv.Root(), "build", "recorded")}
	if *recordRuns {
		r.prepare()
		var group sync.WaitGroup
		places := make(chan struct{}, 2)
		for _, one := range append([]training{softmaxTwice, sigmoids}, rates...) {
			group.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				if err := r.start(one).Run(); err != nil && !stoppedByRule(err) {
					t.Errorf("train %s: %v", one.name, err)
				}
			})
		}
		group.Wait()
		if t.Failed() {
			t.FailNow()
		}
	}
	s := server.New(server.Options{Root: r.root, Version: "1.0", App: web.App()})
	b := open(t, s.Handler(), time.Time{})
	b.patience = 10 * time.Minute
	if *recordRuns {
		job := r.start(slowBlur)
		if err := job.Start(); err != nil {
			t.Fatal(err)
		}
		r.until("the training is found to be slow", func() bool { return r.has(slowBlur, "findings", "slow_training.jsonl") })
		r.draw(b, true)
		if out, err := exec.Command(r.program, "stop", filepath.Join(r.root, slowBlur.name)).CombinedOutput(); err != nil {
			t.Fatalf("stop: %v\n%s", err, out)
		}
		_ = job.Wait() // it was stopped
	}
	r.draw(b, false)
	r.list()
}

// recorder records the runs below root.
type recorder struct {
	t             *testing.T
	root          string
	work, program string
}

// prepare builds the program, and makes a folder with the scripts in which `python` is
// that of the tests.
func (r *recorder) prepare() {
	r.t.Helper()
	must := func(err error) {
		r.t.Helper()
		if err != nil {
			r.t.Fatal(err)
		}
	}
	must(os.RemoveAll(r.root))
	r.work = r.t.TempDir()
	r.program = filepath.Join(r.work, "bin", "vigil")
	must(os.MkdirAll(filepath.Dir(r.program), 0o755))
	must(testenv.Build(r.program))
	must(os.WriteFile(filepath.Join(r.work, "bin", "python"), []byte("#!/bin/sh\nexec '"+testenv.Python(r.t)+"' \"$@\"\n"), 0o755)) //nolint:gosec // it is executed
	for _, one := range append([]training{softmaxTwice, sigmoids, slowBlur}, rates...) {
		must(os.WriteFile(filepath.Join(r.work, filepath.Base(one.script)), read(r.t, filepath.Join(testenv.Root(), one.script)), 0o600))
	}
}

// command is what a user types.
func (one training) command() []string {
	return append(append(append([]string{"vigil", "run", "--name", one.name}, one.flags...), "--", "python", filepath.Base(one.script)), one.arguments...)
}

func (r *recorder) start(one training) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Minute)
	r.t.Cleanup(cancel)
	argv := append([]string{"run", "--dir", r.root, "--keep-output"}, one.command()[2:]...)
	cmd := exec.CommandContext(ctx, r.program, argv...)
	cmd.Dir = r.work
	cmd.Env = append(testenv.Environ(nil, "SSH_"), "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "PYTHONUNBUFFERED=1", "PATH="+filepath.Dir(r.program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 10*time.Second
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Logf("%s: %s", one.name, &out)
		}
	})
	return cmd
}

// stoppedByRule tells that a rule stopped the job, as it should.
func stoppedByRule(err error) bool {
	exit := (*exec.ExitError)(nil)
	return errors.As(err, &exit) && exit.ExitCode() == 3
}

func (r *recorder) has(one training, file ...string) bool {
	info, err := os.Stat(filepath.Join(append([]string{r.root, one.name}, file...)...))
	return err == nil && info.Size() > 0
}

func (r *recorder) until(what string, is func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(30 * time.Minute); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("wait until %s", what)
		}
	}
}

// draw draws those of a job that goes on, or the others. What tells of the machine and
// the folders of whoever draws is left out.
func (r *recorder) draw(b *browser, live bool) {
	r.t.Helper()
	host, err := os.Hostname()
	if err != nil {
		r.t.Fatal(err)
	}
	rename := fmt.Sprintf(`(() => {
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(%q, "node1").replaceAll(/\/[^ ]*\/(?=[a-z_]+\.py)/g, "");
	})()`, host)
	for _, d := range drawings() {
		if d.live != live {
			continue
		}
		b.visit(r.t, d.path, d.look, "")
		b.evaluate(r.t, rename)
		if err := os.WriteFile(documented(d.name+".png"), encode(r.t, shrink(decode(r.t, b.shot(r.t)))), 0o644); err != nil { //nolint:gosec // a file of the repository
			r.t.Fatal(err)
		}
	}
}

// list writes which runs the pictures are of.
func (r *recorder) list() {
	r.t.Helper()
	var b strings.Builder
	b.WriteString("picture\tpage\tscript\trecorded\tTRAIN steps\tcommand\n")
	for _, d := range drawings() {
		for _, one := range d.of {
			run, err := trial.Brief(filepath.Join(r.root, one.name))
			if err != nil {
				r.t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s.png\t%s\t%s\t%s\t%d\t%s\n", d.name, d.path, one.script, run.Started.Format(time.DateOnly), run.Steps["TRAIN"], strings.Join(one.command(), " "))
		}
	}
	if err := os.WriteFile(documented("pictures.tsv"), []byte(b.String()), 0o644); err != nil { //nolint:gosec // a file of the repository
		r.t.Fatal(err)
	}
}
