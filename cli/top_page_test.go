package cli

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// manyRanks is a job of 64 ranks on a host with 128 cores and 8 GPUs; rank 60
// makes no steps any more.
func manyRanks() view.Top {
	step := int64(1_234_567)
	top := view.Top{
		Run: "a-run-with-a-name-that-is-quite-long-and-then-some-more-of-it", Status: record.Running, Time: timedStart, Seconds: 5000, Phase: record.TrainingPhase, PhaseSeconds: 4900,
		Update: &step, Total: 3_000_000, StepRate: 12.3, SampleRate: 787, SinceStep: 0.1, Window: 30,
		Shares:   []record.TimeShare{{Name: "data", Percent: 40}, {Name: "forward", Percent: 60}},
		Findings: map[string]int{"warning": 2, "info": 1},
	}
	for rank := range 64 {
		r := view.TopRank{Rank: rank, Mode: "TRAIN", Step: &step, StepRate: 12.3, Parts: map[string]float64{}}
		for p := range record.StepParts {
			r.Parts[p.String()] = float64(p+1) / 36
		}
		if rank == 60 {
			r.SinceStep = 75
		}
		top.Ranks = append(top.Ranks, r)
	}
	host := view.TopHost{Host: "node", Time: timedStart, Metrics: map[string]float64{"cpu/total": 33, "memory/used_bytes": 9e9, "disk/a/read_per_s": 1, "disk/b/write_per_s": 5e6, "net/received_per_s": 3e3}}
	for core := range 128 {
		host.Cores = append(host.Cores, float64(core%101))
	}
	for n := range 8 {
		use := float64(10 * n)
		host.GPUs = append(host.GPUs, view.TopGPU{Number: n, Utilization: &use})
	}
	top.Hosts = []view.TopHost{host}
	return top
}

// The page fits the terminal: no line is wider, columns and ranks for which there is
// no room are left out.
func TestTopFits(t *testing.T) {
	top := manyRanks()
	for _, tt := range []struct {
		width, rows int
		unicode     bool
		shown       []string
		hidden      []string
	}{
		{80, 40, true, []string{"rank       step  steps/s", "other", "  60  1,234,567", "and 4", " ranks more", "GPU 7     ██████████████░░░░░░  70 %", "no step for"}, []string{"data 3 %"}},
		{160, 100, false, []string{"data  to device  forward  backward  ranks  optimiser  saving  other", "  63", "GPU 7     ##############......  70 %", "b reads 0 B/s, writes 5.0 MB/s; a reads 1 B/s", "2 warnings, 1 info"}, []string{"ranks more", "█", "·"}},
		{40, 24, false, []string{"rank", "1,234,567"}, nil},
	} {
		t.Run(fmt.Sprintf("%d columns", tt.width), func(t *testing.T) {
			top := top
			if tt.width == 80 {
				top.SinceStep, top.Run = 75, "r"
			}
			text := topPage{live.Page{Style: live.Style{Unicode: tt.unicode}, Width: tt.width}}.text(&top, tt.rows)
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > tt.width {
					t.Errorf("a line has %d columns: %s", n, line)
				}
			}
			for _, want := range tt.shown {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
			for _, not := range tt.hidden {
				if strings.Contains(text, not) {
					t.Errorf("%q is in\n%s", not, text)
				}
			}
			if n := strings.Count(text, "\n"); n > max(tt.rows, 36) {
				t.Errorf("the page has %d lines, want %d:\n%s", n, tt.rows, text)
			}
		})
	}
}
