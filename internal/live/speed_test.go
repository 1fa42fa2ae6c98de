package live

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestSpeed(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    Progress
		want string
	}{
		{"not known", Progress{}, ""},
		{"the first step", Progress{StepSeconds: 0.02}, "50 steps/s"},
		{"slow steps", Progress{StepSeconds: 1, StepsPerSecond: 0.251}, "0.25 steps/s"},
		{"a known batch", Progress{StepsPerSecond: 81.3, SamplesPerSecond: 5202}, "81.3 steps/s 5,200 samples/s"},
		{"several workers", Progress{StepsPerSecond: 81.3, SamplesPerSecond: 5202, Workers: 2}, "81.3 steps/s 5,200 samples/s per worker"},
	} {
		if got := strings.Join(tt.p.speed(true, true), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSummaryTellsWhereTheTimeWent(t *testing.T) {
	cpu := 51.0
	spent := &record.RunTime{
		Modes: map[string]record.ModeTime{"TRAIN": {Steps: 100, Seconds: 100e9, Parts: map[string]record.Span{
			"data": 61e9, "forward": 22e9, "backward": 12e9, "optimizer": 3e9, "other": 2e9,
		}}},
		Machine: &record.MachineUse{CPU: &cpu, Cores: 2, PeakJobMemory: 3_100_000_000},
	}
	sum := &Summary{Run: record.Run{Name: "r", Status: record.Completed, Steps: map[string]int64{"TRAIN": 100}, Time: spent}, Path: "/r"}
	text := Page{}.Summary(sum)
	for _, want := range []string{
		"  time      data 61 %, forward 22 %, backward 12 %, optimiser 3 %, other 2 %\n",
		"  machine   CPU 51 % of 2 cores, peak memory 3.1 GB, no GPU\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
	sum.Run.Time = nil
	if text := (Page{}).Summary(sum); strings.Contains(text, "time ") || strings.Contains(text, "machine ") {
		t.Errorf("the summary of a run without times tells of them:\n%s", text)
	}
}
