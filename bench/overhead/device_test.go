package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where there is no GPU nothing is measured, and the reason is said.
func TestTargets(t *testing.T) {
	answers := func(what string) string {
		path := filepath.Join(t.TempDir(), "python")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+what+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		device       target
		python, want string
		fails        bool
	}{
		{onCPU, "", "the CPU", false},
		{asTiny, "", "which measure nothing", false},
		{onCUDA, answers("echo 'A GPU'"), "A GPU", false},
		{onCUDA, answers("echo"), "finds no GPU on this machine", true},
		{onCUDA, answers("exit 3"), "exit status 3", true},
		{"tpu", "", `-device "tpu"`, true},
	} {
		got, err := c.device.check(c.python)
		if err != nil {
			got = err.Error()
		}
		if c.fails != (err != nil) || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.device, got, err, c.want)
		}
	}
}
