package ui

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// job is a training that goes on until it is stopped.
type job struct {
	path string
	done chan error
}

// training starts one below a root and waits until it has taken steps.
func training(t *testing.T, root, name string) *job {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "run", "--dir", root, "--name", name, "--quiet", "--keep-output", "--", testenv.Python(t), filepath.Join(testenv.Root(), "e2e", "scripts", "endless.py"))
	cmd.Dir, cmd.Env = t.TempDir(), environment()
	cmd.Cancel = func() error { return exec.Command(binary, "stop", filepath.Join(root, name), "--wait", "0").Run() }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j := &job{filepath.Join(root, name), make(chan error, 1)}
	go func() { j.done <- cmd.Wait() }()
	t.Cleanup(func() {
		cancel()
		select {
		case <-j.done:
		case <-time.After(time.Minute):
			t.Error("the job has not ended a minute after it was asked to")
		}
	})
	j.until(t, "it takes steps", func(r record.Run) bool { return r.Steps["TRAIN"] > 20 })
	return j
}

// until waits for something of run.json.
func (j *job) until(t *testing.T, what string, is func(record.Run) bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		run, err := trial.Brief(j.path)
		if err == nil && is(run) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("wait until %s: %v, %+v", what, err, run.Status)
		}
	}
}

// Each control acts on a job that runs, and the page follows it.
func TestControlsOfALiveJob(t *testing.T) {
	dir := t.TempDir()
	j := training(t, dir, "job")
	d := serving(t, dir)
	b := open(t, d, "/runs/job/controls")

	t.Run("monitoring", func(t *testing.T) {
		b.click("100 ms")
		j.until(t, "the plan has the interval", planned("monitor 100"))
		b.click("Switch monitoring off")
		j.until(t, "monitoring is off", planned("monitor off"))
		b.click("500 ms")
		j.until(t, "monitoring is on", planned("monitor 500"))
	})
	t.Run("interval", func(t *testing.T) {
		b.write(`form[aria-label="Interval"] input`, "7")
		b.click("Change the interval")
		j.until(t, "the plan has the interval", planned("every 7"))
	})
	t.Run("capture", func(t *testing.T) {
		b.click("Capture it")
		j.until(t, "the plan has the collection", planned("gradients"))
	})
	t.Run("rule", func(t *testing.T) {
		b.wait(`[...document.querySelectorAll('form[aria-label="Add a rule"] option')].some(o => o.value === "overfit")`)
		b.value(`(s => { s.value = "overfit"; s.dispatchEvent(new Event("change", {bubbles: true})); return 1 })(document.querySelector('form[aria-label="Add a rule"] select'))`)
		b.write(`form[aria-label="Add a rule"] input`, "patience=2,configuration=patient")
		b.click("Add the rule")
		j.until(t, "the plan has the rule", planned("overfit"))
	})
	t.Run("report", func(t *testing.T) {
		b.click("Write the report")
		b.shows("Written to")
	})
	t.Run("a step comes to the screen", func(t *testing.T) {
		const steps = `+document.querySelector(".controls-job .n").innerText.replace(/\D/g, "")`
		b.wait(steps + ` > 0`)
		before := b.value(steps)
		b.wait(steps + ` > ` + before)
	})
	t.Run("stop", func(t *testing.T) {
		b.visit("/runs/job/controls")
		b.click("Stop the job")
		b.wait(`document.querySelector("dialog[open]")`)
		b.value(`[...document.querySelectorAll("dialog[open] button")].find(e => e.innerText.startsWith("Stop the job")).click()`)
		j.until(t, "it is stopped", func(r record.Run) bool { return r.Status == record.Stopped })
		b.wait(`!document.querySelector("section[aria-label=Job] button.danger")`)
		b.shows("The job has ended")
	})
}

// planned tells that the newest change of a plan names something.
func planned(what string) func(record.Run) bool {
	return func(r record.Run) bool {
		for _, c := range r.Plan {
			if contains(c.Why, what) {
				return true
			}
		}
		return false
	}
}
