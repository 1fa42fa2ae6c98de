package hook

import (
	"testing"
	"time"
)

func TestInterval(t *testing.T) {
	for _, tt := range []struct {
		cost, step, share float64
		want              int64
	}{
		{0, 0.001, 0.02, 1},
		{10e-6, 0.001, 0.02, 1},
		{30e-6, 0.001, 0.02, 2},
		{60e-6, 0.001, 0.02, 5},
		{1e-3, 0.001, 0.02, 50},
		{1e-3, 0.001, 0, 50}, // no share means the default
		{1, 1e-9, 0.02, 1_000_000},
		{1, 0, 0.02, 1_000_000},
	} {
		if got := interval(tt.cost, tt.step, tt.share); got != tt.want {
			t.Errorf("interval(%g, %g, %g) = %d, want %d", tt.cost, tt.step, tt.share, got, tt.want)
		}
	}
}

func TestBudgetHolds(t *testing.T) {
	b := budget{share: 0.02}
	if b.auto() != firstInterval {
		t.Errorf("first interval %d", b.auto())
	}
	for i := range int64(10_000) {
		due := i%b.auto() == 0
		length, cost := time.Millisecond, time.Microsecond
		if due {
			length, cost = time.Millisecond+200*time.Microsecond, 200*time.Microsecond
		}
		b.step(length, cost, due)
	}
	if share := b.captured.Seconds() / (b.stepped - b.captured).Seconds(); share > 0.022 {
		t.Errorf("capture took %.4f of the time, the budget is 0.02; interval %d", share, b.auto())
	}
}

// A step in three in which others had the processor makes capture no dearer.
func TestBudgetOnABusyMachine(t *testing.T) {
	for _, kept := range []time.Duration{0, 5 * time.Millisecond} {
		b := budget{share: 0.02}
		n, looks := int64(0), 0
		for ; n < 300; n++ {
			due := n%b.auto() == 0
			cost := time.Microsecond
			if due {
				cost = 100 * time.Microsecond
				if looks++; looks%3 == 0 {
					cost += kept
				}
			}
			b.step(time.Millisecond+cost, cost, due)
		}
		if looks < 55 { // one in five
			t.Errorf("with %v taken away %d of %d steps are captured; interval %d", kept, looks, n, b.auto())
		}
	}
}
