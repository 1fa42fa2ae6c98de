package slow_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

func TestStalls(t *testing.T) {
	step := parts{rule.Forward: 0.02, rule.Backward: 0.03, rule.Optimizer: 0.005}
	until := func(end float64, more func(int64, float64) parts) func(int64, float64) parts {
		return func(n int64, second float64) parts {
			if second < end {
				return more(n, second)
			}
			return nil
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	next := 7.0
	for _, c := range []struct {
		name string
		training
		want string
	}{
		{"every so many steps", training{peculiar: peculiar{more: every(50, rule.OtherPart, 3)}},
			"stalls warning 2.1 Every 50 steps one takes 56 times as long as the others, in the script's other work: 52 % of the time"},
		{"samples met one", training{peculiar: peculiar{more: every(50, rule.OtherPart, 3)}, stacks: stacks(
			stack(rule.OtherPart, 3, 0, "/usr/lib/python3.12/socket.py:sendall", user+":upload@77"), stack(rule.Forward, 2, 0, user+":train@20"))},
			"stalls warning 2.0 Every 50 steps one takes 56 times as long as the others, in the script's other work: 50 % of the time line 77; blocked; other_work"},
		{"samples met none", training{peculiar: peculiar{more: every(50, rule.OtherPart, 3)}, stacks: stacks(
			stack(rule.OtherPart, 0.1, 0, user+":log@30"), stack(rule.Forward, 3, 0, user+":train@20"))},
			"stalls warning 2.0 Every 50 steps one takes 56 times as long as the others, in the script's other work: 50 % of the time; other_work"},
		{"every so many seconds", training{peculiar: peculiar{more: func(_ int64, second float64) parts {
			more := parts{rule.Forward: 0.1 * (1 + math.Sin(second/15))}
			if second >= next {
				next += 7
				more[rule.OtherPart] = 3
			}
			return more
		}}}, "stalls warning 1.7 Every 6.98 s a step takes 22 times as long as the others, in the script's other work: 41 % of the time"},
		{"at any time", training{peculiar: peculiar{more: func(int64, float64) parts {
			if random.IntN(50) == 0 {
				return parts{rule.OtherPart: 3}
			}
			return nil
		}}}, "stalls warning 2.0 One of 54 steps takes 56 times as long as the others, in the script's other work: 50 % of the time"},
		{"in the network", training{peculiar: peculiar{more: every(50, rule.Forward, 3)}},
			"stalls info 2.1 Every 50 steps one takes 56 times as long as the others, in the forward pass: 52 % of the time"},
		{"in the network, while others compute", training{peculiar: peculiar{more: every(50, rule.Forward, 3), bursts: func(second float64) float64 {
			if math.Mod(second, 5.75) > 2.69 {
				return 1
			}
			return 0
		}}}, "stalls warning 2.1 Every 50 steps one takes 56 times as long as the others, in the forward pass: 52 % of the time (contention)"},
		{"in short steps", training{seconds: 40, parts: parts{rule.Forward: 0.0004, rule.Backward: 0.0004, rule.Optimizer: 0.0002}, peculiar: peculiar{more: every(250, rule.Backward, 0.045), united: 100}},
			"stalls info 1.2 Every 250 steps one takes 46 times as long as the others, in the backward pass: 15 % of the time"},
		{"the batches that the training makes itself", training{loader: &slow.Loader{}, peculiar: peculiar{more: every(60, rule.WaitForData, 3)}},
			"stalls warning 1.9 Every 60 steps one takes 56 times as long as the others, in waiting for data: 47 % of the time; data_wait"},

		{"checkpoints", training{peculiar: peculiar{more: every(50, rule.SaveCheckpoint, 3)}}, "checkpoint"},
		{"what goes with a checkpoint", training{peculiar: peculiar{more: func(n int64, _ float64) parts {
			if n%50 == 49 {
				return parts{rule.SaveCheckpoint: 1, rule.OtherPart: 2}
			}
			return nil
		}}}, "checkpoint"},
		{"first batches", training{passes: 6, loader: &slow.Loader{}}, "data_wait"},
		{"what is left of an evaluation", training{eval: 0.3, peculiar: peculiar{more: func(n int64, _ float64) parts {
			return every(10, rule.OtherPart, 1)(n-1, 0)
		}}}, ""},
		{"other ranks are waited for", training{peculiar: peculiar{more: every(50, rule.WaitForRanks, 3)}}, ""},
		{"more to compute from some step on", training{peculiar: peculiar{more: func(_ int64, second float64) parts {
			if second > 45 {
				return parts{rule.Forward: 0.7}
			}
			return nil
		}}}, ""},
		{"inputs of all lengths", training{peculiar: peculiar{more: func(int64, float64) parts {
			return parts{rule.Forward: 0.2 * random.ExpFloat64()}
		}}}, ""},
		{"some steps compute more", training{peculiar: peculiar{more: every(20, rule.Backward, 0.4)}}, ""},
		{"every second step", training{peculiar: peculiar{more: every(2, rule.OtherPart, 2)}}, ""},
		{"only three", training{peculiar: peculiar{more: every(250, rule.OtherPart, 15)}}, ""},
		{"they came to an end", training{peculiar: peculiar{more: until(30, every(20, rule.OtherPart, 1))}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.used = 1
			if c.parts == nil {
				c.parts = step
			}
			if got := says(t, c.training, "stalls", "slow_item", "slow_rank"); got != c.want {
				t.Errorf("it says\n%q, want\n%q", got, c.want)
			}
		})
	}
}
