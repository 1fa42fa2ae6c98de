package config

import (
	"strings"
	"testing"
)

func TestParseWindow(t *testing.T) {
	for _, c := range []struct {
		spec        string
		first, end  int64 // steps; -1: none
		from, lasts float64
		wrong       string // part of the message
	}{
		{spec: "stacks:steps=50-80", first: 50, end: 81},
		{spec: "stacks:steps=7", first: 7, end: 8},
		{spec: "stacks:seconds=5-10", first: -1, from: 5, lasts: 5},
		{spec: "stacks:seconds=0-0.5", first: -1, lasts: 0.5},
		{spec: "ops:steps=1-2", wrong: `there is no kind "ops" of detail; known: stacks`},
		{spec: "stacks", wrong: "neither steps nor seconds"},
		{spec: "stacks:every=3", wrong: "neither steps nor seconds"},
		{spec: "stacks:steps=80-50", wrong: "the first not above the second"},
		{spec: "stacks:steps=-3", wrong: "the first not above the second"},
		{spec: "stacks:steps=a-b", wrong: "steps are two numbers"},
		{spec: "stacks:seconds=5", wrong: "seconds are two numbers"},
		{spec: "stacks:seconds=5-5", wrong: "seconds are two numbers"},
		{spec: "stacks:seconds=0-601", wrong: "at most 600"},
		{spec: "stacks:seconds=NaN-3", wrong: "seconds are two numbers"},
	} {
		w, err := ParseWindow(c.spec)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v, want one with %q", c.spec, err, c.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if c.first >= 0 && (w.FirstStep == nil || *w.FirstStep != c.first || *w.EndStep != c.end) || c.first < 0 && w.FirstStep != nil || w.From != c.from || w.Seconds != c.lasts {
			t.Errorf("%s: %+v", c.spec, w)
		}
	}
}

func TestWindowsOfARun(t *testing.T) {
	run, err := Resolve(Flags{Profile: []string{"stacks:steps=5-6", "stacks:seconds=1-2"}}, []string{"VIGIL_NO_PROFILE=1"}, t.TempDir(), Catalogue{})
	if err != nil || len(run.Windows) != 2 || !run.NoProfile {
		t.Errorf("windows %v, none by itself %v, error %v", run.Windows, run.NoProfile, err)
	}
	run, err = Resolve(Flags{}, []string{"VIGIL_PROFILE=stacks:steps=5-6"}, t.TempDir(), Catalogue{})
	if err != nil || len(run.Windows) != 1 || run.NoProfile {
		t.Errorf("windows %v, none by itself %v, error %v", run.Windows, run.NoProfile, err)
	}
	if _, err = Resolve(Flags{Profile: []string{"loader:steps=5-6"}}, nil, t.TempDir(), Catalogue{}); err == nil || !strings.Contains(err.Error(), `known: stacks`) {
		t.Errorf("another kind: %v", err)
	}
}
