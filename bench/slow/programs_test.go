package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// The lists and the programs are in step: each pair has both scripts, a known cause
// class and a line that stands once in the slow one.
func TestPrograms(t *testing.T) {
	if err := os.Chdir("../.."); err != nil {
		t.Fatal(err)
	}
	pairs, sound, err := load(regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) < 30 || len(sound) < 20 {
		t.Errorf("%d pairs and %d healthy programs", len(pairs), len(sound))
	}
	names := map[string]bool{}
	for _, p := range pairs {
		if names[p.Name] {
			t.Errorf("%s: two pairs have this name", p.Name)
		}
		names[p.Name] = true
		for _, class := range append(p.Also, p.Cause) {
			if !slices.Contains(rule.CauseClasses, class) {
				t.Errorf("%s: there is no cause class %q", p.Name, class)
			}
		}
		slow, err := os.ReadFile(p.script("slow"))
		if err != nil {
			t.Error(err)
		}
		if n := strings.Count(string(slow), strings.TrimSpace(p.Line)); p.Line == "" || n == 0 {
			t.Errorf("%s: the line %q is not in slow.py", p.Name, p.Line)
		}
		if _, err := os.Stat(p.script("mended")); err != nil {
			t.Error(err)
		}
	}
	for _, h := range sound {
		if _, err := os.Stat(h.script()); err != nil {
			t.Error(err)
		}
	}
}
