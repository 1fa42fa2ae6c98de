package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestAround(t *testing.T) {
	for _, c := range []struct {
		kind, value string
		want        []string
	}{
		{"float", "10", []string{"5", "10", "20"}},
		{"float", "0.0001", []string{"5e-05", "0.0001", "0.0002"}},
		{"float", "0.9", []string{"0.8", "0.9", "0.95"}},    // a share: its distance from one
		{"float", "1.3", []string{"1.15", "1.3", "1.6"}},    // a growth: as well
		{"float", "0.5", []string{"0.25", "0.5", "1"}},      // neither
		{"float", "0.55", []string{"0.1", "0.55", "0.775"}}, // and never below a tenth
		{"int", "5", []string{"3", "5", "10"}},
		{"int", "1", nil}, // half of one is no number of steps
		{"float", "0", nil},
		{"string", "continue", nil},
		{"list", "", nil},
	} {
		if got := around(c.kind, c.value); !slices.Equal(got, c.want) {
			t.Errorf("around(%q, %q) = %q, want %q", c.kind, c.value, got, c.want)
		}
	}
}

func TestRuleArguments(t *testing.T) {
	all := []threshold{
		{rule: "dead_relu", parameter: "confirm", values: []string{"2", "3", "6"}, set: []string{"confirm=3", "unit=channel"}},
		{rule: "dead_relu", parameter: "window_steps", values: []string{"2", "4", "8"}, set: []string{"confirm=3", "unit=channel"}},
		{rule: "padding", parameter: "share", values: []string{"0.8", "0.9", "0.95"}},
	}
	for _, c := range []struct {
		chosen []int
		want   string
	}{
		{[]int{1, 1, 1}, ""},
		{[]int{0, 1, 1}, "--rule dead_relu:confirm=2,unit=channel"},
		{[]int{1, 2, 1}, "--rule dead_relu:window_steps=8,confirm=3,unit=channel"}, // the rest of the set stays
		{[]int{0, 2, 0}, "--rule dead_relu:confirm=2,window_steps=8,unit=channel --rule padding:share=0.8"},
	} {
		if got := strings.Join(ruleArguments(all, c.chosen), " "); got != c.want {
			t.Errorf("ruleArguments(%v) = %q, want %q", c.chosen, got, c.want)
		}
	}
}

// Without "rnn" the smaller value of the first threshold recognises one more;
// with it, it gives two false alarms as well. The second is never better.
func TestThresholdsAreChosenWithoutTheFamily(t *testing.T) {
	verdictOf := func(family, fault string, right, alarm bool) verdict {
		v := verdict{Program: Program{Path: family, Family: family, Fault: fault}, Right: right}
		if alarm {
			v.Alarms = []record.Finding{{}}
		}
		return v
	}
	missed, recognised := verdictOf("mlp", "zero-grad", false, false), verdictOf("mlp", "zero-grad", true, true)
	silent, crying := verdictOf("rnn", healthy, false, false), verdictOf("rnn", healthy, false, true)
	trials := []trial{
		{missed, [][3]verdict{{recognised, {}, missed}, {missed, {}, missed}}},
		{silent, [][3]verdict{{crying, {}, silent}, {silent, {}, silent}}},
	}
	for family, want := range map[string][]int{"rnn": {0, present}, "mlp": {present, present}, "none": {present, present}} {
		if got := chooseWithout(trials, family, 2); !slices.Equal(got, want) {
			t.Errorf("without %s: %v, want %v", family, got, want)
		}
	}
	report := leaveOutReport([]threshold{
		{rule: "zero_grad", parameter: "growth", values: []string{"1", "2", "4"}},
		{rule: "padding", parameter: "share", values: []string{"0.8", "0.9", ""}},
	}, trials, []leftOut{{"rnn", []int{0, 1}, []verdict{silent}, []verdict{crying}}, {"mlp", []int{1, 1}, []verdict{missed}, []verdict{missed}}})
	for _, row := range []string{
		"| rnn | `zero_grad.growth` = 1 | 0 | 0 | 0 | 1 | 0 | 1 |",
		"| mlp |  | 1 | 0 | 0 | 0 | 0 | 0 |",
		"| **all** |  | 1 | 0 | 0 | 1 | 0 | 1 |",
		"| `zero_grad.growth` | 1 | 2 | 4 | 1, 0, 0 | 1, 0, 0 |",
		"| `padding.share` | 0.8 | 0.9 |  | 0, 0, 0 | 0, 0, 0 |",
	} {
		if !strings.Contains(report, row+"\n") {
			t.Errorf("the report lacks %q:\n%s", row, report)
		}
	}
}

// The numbers are those of the program itself.
func TestThresholdsOfTheDefaultSet(t *testing.T) {
	vigil, err := build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all, err := bench{vigil: vigil, runs: t.TempDir()}.thresholds()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(t threshold) bool { return t.name() == "dead_relu.threshold_layer" })
	if i < 0 {
		t.Fatalf("dead_relu.threshold_layer is not among %d thresholds", len(all))
	}
	if !slices.Contains(all[i].set, "threshold_layer="+all[i].values[present]) {
		t.Errorf("its present value is %q, the default set has %q", all[i].values[present], all[i].set)
	}
	for _, other := range all {
		if slices.Contains(bookkeeping, other.parameter) {
			t.Errorf("%s judges nothing", other.name())
		}
	}
}
