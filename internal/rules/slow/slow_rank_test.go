package slow_test

import (
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

func TestSlowRank(t *testing.T) {
	rank := func(waits float64, p rule.StepPart, more float64) parts {
		all := parts{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005, rule.WaitForRanks: waits}
		all[p] += more
		return all
	}
	fast, slow := rank(0.045, rule.OtherPart, 0), rank(0.005, rule.OtherPart, 0.04)
	always := func(p parts) func(int64) parts { return func(int64) parts { return p } }
	byStep := func(first func(int64) bool, a, b parts) func(int64) parts {
		return func(n int64) parts {
			if first(n) {
				return a
			}
			return b
		}
	}
	// chief is a training whose chief's steps are so.
	chief := func(of func(int64) parts, ranks map[string]func(int64) parts) training {
		return training{parts: parts{}, peculiar: peculiar{ranks: ranks, more: func(n int64, _ float64) parts { return of(n) }}}
	}
	early := func(n int64) bool { return n < 300 }
	odd := func(n int64) bool { return n%2 == 1 }
	even := func(n int64) bool { return !odd(n) }
	good := rank(0.005, rule.OtherPart, 0)
	type ranks = map[string]func(int64) parts
	for _, c := range []struct {
		name string
		training
		want string
	}{
		{"one of three loads slowly", chief(always(fast), ranks{"worker_1": always(rank(0.005, rule.WaitForData, 0.04)), "worker_2": always(fast)}),
			"slow_rank warning 1.7 The other ranks wait for worker_1 40 % of the time: in each step it spends 40 ms more on waiting for data"},
		{"the chief does more", chief(always(slow), ranks{"worker_1": always(fast)}),
			"slow_rank warning 1.7 The other rank waits for worker_0 40 % of the time: in each step it spends 40 ms more on the script's other work"},
		{"two of four", chief(always(fast), ranks{"worker_1": always(slow), "worker_2": always(fast), "worker_3": always(slow)}),
			"slow_rank warning 1.7 The other ranks wait for worker_1 and worker_3 40 % of the time: in each step they spend 40 ms more on the script's other work"},
		{"from some step on", chief(byStep(early, good, fast), ranks{"worker_1": byStep(early, good, slow)}),
			"slow_rank warning 1.5 The other rank waits for worker_1 32 % of the time: in each step it spends 40 ms more on the script's other work, since about step 320"},

		{"all wait alike", chief(always(fast), ranks{"worker_1": always(fast)}), "communication"},
		{"each in turn", chief(byStep(odd, fast, slow), ranks{"worker_1": byStep(even, fast, slow)}), "communication"},
		{"checkpoints of the chief", chief(always(rank(0.005, rule.SaveCheckpoint, 0.04)), ranks{"worker_1": always(fast)}), "checkpoint"},
		{"steps of other lengths", chief(always(slow), ranks{"worker_1": always(rank(0.045, rule.Forward, 0.05))}), ""},
		{"nothing that takes longer", chief(always(good), ranks{"worker_1": always(rank(0.012, rule.OtherPart, 0))}), ""},
		{"it has caught up", chief(byStep(early, fast, good), ranks{"worker_1": byStep(early, slow, good)}), ""},
		{"alone", chief(always(fast), nil), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.used = 1
			if got := says(t, c.training, "stalls", "slow_item", "slow_rank"); got != c.want {
				t.Errorf("it says\n%q, want\n%q", got, c.want)
			}
		})
	}
}
