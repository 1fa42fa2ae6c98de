package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestRegularisation(t *testing.T) {
	dropping := func(p string) *record.Facts {
		return network("fc1 Linear 20 512", "act ReLU", "drop Dropout "+p, "fc2 Linear 512 10")
	}
	decay := func(class string, lr, decay float64) func(*record.Facts) {
		return func(f *record.Facts) { g := group(f, class); g.LR, g.WeightDecay = setTo(lr), setTo(decay) }
	}
	runFacts(t, "regularisation", []factCase{
		{"dropout of 0.9", dropping("0.9"), nil, "warning dropout regularisation drop", "strong: it sets 90 % of the values to 0 in drop. Lower p to"},
		{"dropout of 1", dropping("1"), nil, "error dropout regularisation drop", "Dropout with p = 1 in drop removes all values"},
		{"dropout of 0.7 all along", network("drop Dropout 0.7", "a Linear 20 64", "d1 Dropout 0.7", "b Linear 64 64", "d2 Dropout 0.7", "c Linear 64 64", "d3 Dropout 0.7", "out Linear 64 10"), nil, "warning dropout regularisation drop", "70 % of the values to 0, or more, at 4 places"},
		{"dropout of 0.7 before the last layers", network("a Linear 20 64", "d1 Dropout 0.7", "b Linear 64 64", "d2 Dropout 0.7", "out Linear 64 10"), nil, "", ""},
		{"dropout of 0.5 all along", network("drop Dropout 0.5", "a Linear 20 64", "d1 Dropout 0.5", "b Linear 64 64", "d2 Dropout 0.5", "c Linear 64 64", "d3 Dropout 0.5", "out Linear 64 10"), nil, "", ""},
		{"decoupled decay", classifier(), decay("AdamW", 0.01, 10), "warning weight_decay regularisation AdamW", "The weight decay 10 of AdamW is too strong: each update removes 10 % of every weight"},
		{"decay of SGD", classifier(), decay("SGD", 0.1, 0.5), "warning weight_decay regularisation SGD", ""},
		{"decay of Adam", classifier(), decay("Adam", 1e-3, 1), "warning weight_decay regularisation Adam", "is 6.89 times that of the loss"},
		{"decay against gradients that are not known", classifier(), func(f *record.Facts) {
			decay("Adam", 1e-3, 0.5)(f)
			f.Updates = nil
		}, "warning weight_decay regularisation Adam", "outweighs the loss"},
		{"less decay against weak gradients", classifier(), func(f *record.Facts) {
			decay("SGD", 1e-3, 0.1)(f)
			f.Updates.Norms = []record.Number{0.01, 0.01}
		}, "warning weight_decay regularisation SGD", ""},
		{"on the weights of a transformer", classifier(), func(f *record.Facts) {
			decay("AdamW", 0.001, 30)(f)
			g := f.Optimisers[0].Groups[0]
			f.Optimisers[0].Groups[0].Parameters = 10
			g.Parameters, g.WeightDecay = 18, setTo(0)
			f.Optimisers[0].Groups = append(f.Optimisers[0].Groups, g)
		}, "warning weight_decay regularisation AdamW", "each update removes 3 % of every weight"},
		{"on a few parameters only", classifier(), func(f *record.Facts) {
			decay("AdamW", 0.01, 10)(f)
			g := f.Optimisers[0].Groups[0]
			g.Parameters, g.WeightDecay = 100, setTo(0)
			f.Optimisers[0].Groups = append(f.Optimisers[0].Groups, g)
		}, "", ""},
	})
}

// Dropout and decay that are stronger than usual count where the loss does not come down.
func TestRegularisationIsJudgedByTheLoss(t *testing.T) {
	dropping := func(p string) *record.Facts {
		return network("fc1 Linear 20 512", "act ReLU", "drop Dropout "+p, "fc2 Linear 512 10")
	}
	decaying := classifier()
	g := group(decaying, "AdamW")
	g.LR, g.WeightDecay = setTo(0.01), setTo(2.0)
	learns, hardly := noisy(0.02, falling(2.3, 0.3, 40)), noisy(0.02, falling(2.3, 1.9, 40))
	for _, c := range []struct {
		name string
		c    curve
		want string
		at   int64
	}{
		{"dropout, and the loss comes down", curve{steps: 300, loss: learns, facts: dropping("0.9")}, "", 0},
		{"dropout, and the loss hardly comes down", curve{steps: 300, loss: hardly, facts: dropping("0.9")}, "warning dropout", 199},
		{"dropout, in a short job", curve{steps: 30, loss: hardly, facts: dropping("0.9")}, "warning dropout", 29},
		{"dropout of everything", curve{steps: 30, loss: hardly, facts: dropping("1")}, "error dropout", 0},
		{"decay, and the loss comes down", curve{steps: 300, loss: learns, facts: decaying}, "", 0},
		{"decay, and the loss hardly comes down", curve{steps: 300, loss: hardly, facts: decaying}, "warning weight_decay", 199},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, f := range c.c.judge(t, "regularisation") {
				got += string(f.Severity) + " " + f.Check
				if c.at > 0 && f.ModeStep != c.at {
					t.Errorf("found at step %d, want %d", f.ModeStep, c.at)
				}
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
