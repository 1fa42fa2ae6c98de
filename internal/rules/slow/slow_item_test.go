package slow_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// Of a wait for rare batches one check speaks.
func TestSlowItem(t *testing.T) {
	rare := every(60, rule.WaitForData, 3)
	for _, c := range []struct {
		name string
		training
		want string
	}{
		{"one batch in sixty", training{loader: &slow.Loader{Workers: 2, Prefetch: 2}, peculiar: peculiar{more: rare}},
			"slow_item warning 1.9 The training waits 3 s for one batch in 60, and hardly at all for the others: 47 % of the time; data_wait"},
		{"a little for the others", training{loader: &slow.Loader{Workers: 2, Prefetch: 2}, peculiar: peculiar{more: rare}, parts: parts{rule.WaitForData: 0.01, rule.Forward: 0.02, rule.Backward: 0.03}},
			"data_wait; slow_item warning 1.8 The training waits 3 s for one batch in 63, and 10.2 ms for each of the others: 44 % of the time"},
		{"all cores are busy", training{used: 2, loader: &slow.Loader{Workers: 2, Prefetch: 2}, peculiar: peculiar{more: rare, preparing: 0.9}},
			"slow_item warning 1.9 The training waits 3 s for one batch in 60, and hardly at all for the others: 47 % of the time"},

		{"the others are waited for, too", training{loader: &slow.Loader{Workers: 2, Prefetch: 2}, peculiar: peculiar{more: rare}, parts: parts{rule.WaitForData: 0.04, rule.Forward: 0.02, rule.Backward: 0.03}},
			"data_wait; stalls warning 1.5 Every 60 steps one takes 34 times as long as the others, in waiting for data: 35 % of the time"},
		{"workers that could not keep up without it", training{used: 1.5, loader: &slow.Loader{Workers: 1, Prefetch: 2}, peculiar: peculiar{more: rare, preparing: 0.9}},
			"stalls warning 1.9 Every 60 steps one takes 56 times as long as the others, in waiting for data: 47 % of the time; data_wait"},
		{"workers that make their batches at the same time", training{loader: &slow.Loader{Workers: 8, Prefetch: 2}, peculiar: peculiar{more: every(16, rule.WaitForData, 1)}}, "data_wait"},
		{"first batches", training{passes: 6, loader: &slow.Loader{Workers: 2, Prefetch: 2}}, "loader_respawn; data_wait"},
		{"the training waits for something else", training{loader: &slow.Loader{Workers: 2, Prefetch: 2}, peculiar: peculiar{more: every(60, rule.SaveCheckpoint, 3)}}, "checkpoint"},
		{"the training does not wait", training{loader: &slow.Loader{Workers: 2, Prefetch: 2}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.used == 0 {
				c.used = 1
			}
			if c.parts == nil {
				c.parts = parts{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005}
			}
			if got := says(t, c.training, "stalls", "slow_item", "slow_rank"); got != c.want {
				t.Errorf("it says\n%q, want\n%q", got, c.want)
			}
		})
	}
}
