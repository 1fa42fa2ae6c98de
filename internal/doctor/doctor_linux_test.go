package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestRunExplains(t *testing.T) {
	t.Setenv("VIGIL", "")
	code, killed := 2, 137
	worker := []record.Worker{{Name: "worker_0"}}
	for _, c := range []struct {
		name  string
		run   record.Run
		state State
		text  string
	}{
		{"no framework", record.Run{Status: record.Completed, Command: []string{"python", "a.py"}}, Failure, "no process of this run imported PyTorch"},
		{"failed first", record.Run{Status: record.Failed, Command: []string{"python", "a.py"}}, Failure, "the command failed before a training was seen"},
		{"without PyTorch", record.Run{Status: record.Failed, ExitCode: &code, Exception: "ModuleNotFoundError: No module named 'torch'", NotCaptured: []record.NotCaptured{{Name: "everything", Reason: "PyTorch is not installed for /usr/bin/python3"}}}, Failure, "PyTorch is not installed for /usr/bin/python3"},
		{"out of memory", record.Run{Name: "r", Status: record.Failed, ExitCode: &killed, OutOfMemory: true}, Warning, `"r": killed for lack of memory, exit code 137`},
		{"isolated", record.Run{Status: record.Completed, Command: []string{"python3", "-uI", "a.py"}}, Failure, "python -I does not load Vigil"},
		{"no site", record.Run{Status: record.Completed, Command: []string{"/usr/bin/python3.11", "-S", "a.py"}}, Failure, "python -S does not load Vigil"},
		{"an option's value", record.Run{Status: record.Completed, Command: []string{"python", "-W", "-I", "a.py"}}, Failure, "no process of this run"},
		{"the script's option", record.Run{Status: record.Completed, Command: []string{"python", "a.py", "-I"}}, Failure, "no process of this run"},
		{"no step", record.Run{Status: record.Completed, Workers: worker}, Failure, "no training step was seen"},
		{"no step yet", record.Run{Status: record.Running, Workers: worker}, Warning, "no step so far"},
		{"steps", record.Run{Status: record.Completed, Workers: worker, Steps: map[string]int64{"TRAIN": 7}}, OK, "7 steps of one worker"},
		{"no look", record.Run{Status: record.Completed, Workers: worker, Steps: map[string]int64{"TRAIN": 7}, Facts: []byte(`{"look":false}`)}, OK, "facts of the training are not read (--no-look)"},
		{"failed", record.Run{Status: record.Failed, ExitCode: &code, Workers: worker, Steps: map[string]int64{"TRAIN": 7}}, Warning, "failed with exit code 2"},
		{"lost", record.Run{Status: record.Lost, Workers: worker, Steps: map[string]int64{"TRAIN": 7}}, Warning, "its processes are gone"},
		{"dropped", record.Run{Status: record.Completed, Workers: worker, Steps: map[string]int64{"TRAIN": 7}, Dropped: map[string]int64{"ring full": 3}}, Warning, "3 values: ring full"},
		{"missing", record.Run{Status: record.Completed, Workers: worker, Steps: map[string]int64{"TRAIN": 7}, NotCaptured: []record.NotCaptured{{Name: "w", Reason: "sparse", Count: 2}}}, Warning, "w: sparse (2 times)"},
	} {
		found := false
		for _, k := range Run(c.run) {
			found = found || k.State == c.state && strings.Contains(k.Text, c.text)
		}
		if !found {
			t.Errorf("%s: no %s with %q in %+v", c.name, c.state, c.text, Run(c.run))
		}
	}
}

func TestOptions(t *testing.T) {
	for args, want := range map[string]string{
		"train.py -I":            "",
		"-u -X dev train.py":     "-u -X dev",
		"-W error -m pkg":        "-W error",
		"-c print(1)":            "",
		"-I -":                   "-I",
		"-Xfrozen_modules=off x": "-Xfrozen_modules=off",
	} {
		if d := cmp.Diff(want, strings.Join(options(strings.Fields(args)), " ")); d != "" {
			t.Errorf("options of %q (-want +got):\n%s", args, d)
		}
	}
}

func TestFindPython(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	python := write("python3.12", "#!/bin/sh\n")
	direct := write("torchrun", "#!"+python+" -E\n")
	through := write("accelerate", "#!/usr/bin/env python3.12\n")
	other := write("job", "#!/bin/sh\n")
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		command, path, flags string
		fails                bool
	}{
		{python + " -u train.py", python, "-u", false},
		{"python3.12 train.py", python, "", false},
		{direct + " -n 2 train.py", python, "-E", false},
		{through + " launch train.py", python, "", false},
		{other, "", "", true},
		{"nothing train.py", "", "", true},
	} {
		p, err := FindPython(strings.Fields(c.command))
		if (err != nil) != c.fails || p.Path != c.path || strings.Join(p.Flags, " ") != c.flags {
			t.Errorf("FindPython(%q) = %+v, %v", c.command, p, err)
		}
	}
}

func TestDisk(t *testing.T) {
	dir := t.TempDir()
	if c := disk(filepath.Join(dir, "not", "yet", "there")); c.State == Failure {
		t.Errorf("a root that can be made: %+v", c)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if c := disk(file); c.State != Failure {
		t.Errorf("a root that is a file: %+v", c)
	}
}
