package cli

import (
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestPaceOfTail(t *testing.T) {
	type step struct {
		ms   int
		mode record.Mode
		step int64
		want string
	}
	for _, tt := range []struct {
		name  string
		each  float64
		steps []step
	}{
		{"once a second", 0, []step{{0, record.Train, 0, ""}, {500, record.Train, 40, ""}, {1000, record.Train, 81, "81 steps/s"}, {1500, record.Train, 90, ""}, {3000, record.Train, 101, "10 steps/s"}}},
		{"samples", 64, []step{{0, record.Train, 0, ""}, {2000, record.Train, 1, "0.5 steps/s, 32 samples/s"}}},
		{"evaluation", 0, []step{{0, record.Train, 0, ""}, {1000, record.Eval, 5, ""}, {2000, record.Train, 2, "1 steps/s"}}},
		{"it goes back", 0, []step{{0, record.Train, 500, ""}, {2000, record.Train, 100, ""}, {3000, record.Train, 110, "10 steps/s"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pace{each: tt.each}
			for _, s := range tt.steps {
				got := p.step(&record.Complete{Mode: s.mode, ModeStep: s.step, Time: timedStart.Add(time.Duration(s.ms) * time.Millisecond)}).text()
				if got != s.want {
					t.Errorf("at step %d: got %q, want %q", s.step, got, s.want)
				}
			}
		})
	}
}

// timedStart is when runs with times begin.
var timedStart = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
