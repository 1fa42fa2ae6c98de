package builtin

import (
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// A training that is evaluated at each of its steps has the losses of both in
// one step. The curve, and what asks whether a loss falls, follow the training.
func TestLossesOfTheTrainingData(t *testing.T) {
	item := func(name string, x float64) rule.Item {
		return rule.Item{Worker: "worker_0", Info: &rule.TensorInfo{Name: name, Kind: rule.Loss}, Value: x}
	}
	for _, tt := range []struct {
		what, follows string
		names         []string
		several       bool
	}{
		{"a training loss beside one of held-out data", "train-rmse", []string{"train-rmse", "validation-rmse"}, false},
		{"scikit-learn's names", "train-logloss", []string{"train-logloss", "validation_0-logloss", "validation_1-logloss"}, false},
		{"held-out data alone", "", []string{"test-mae"}, false},
		{"two losses of the training", "train-mae", []string{"train-mae", "train-rmse", "eval-mae"}, true},
		{"a name that only begins alike", "validated_loss", []string{"validated_loss"}, false},
		{"the one called loss", "loss", []string{"val_loss", "loss", "loss_output"}, false},
		{"a sum of two calls of one loss module", "loss", []string{"BCEWithLogitsLoss_output_0", "BCEWithLogitsLoss_output_1", "loss"}, false},
		{"two calls, and the sum is not seen", "L1Loss_output_0", []string{"L1Loss_output_0", "L1Loss_output_1"}, true},
		{"two optimisers", "loss", []string{"BCELoss_output_0", "BCELoss_output_1", "loss", "loss/1"}, true},
	} {
		var c lossCurve
		all := losses{}
		for n := range 3 {
			var items []rule.Item
			for _, name := range tt.names {
				items = append(items, item(name, float64(n)))
			}
			c.step(int64(n), items)
			all.add(items)
		}
		if c.Name != tt.follows || c.one() == tt.several || (c.N != 3) != (tt.follows == "") {
			t.Errorf("%s: followed %q for %d steps (several: %t), want %q", tt.what, c.Name, c.N, !c.one(), tt.follows)
		}
		for name := range all {
			if heldOut(name) {
				t.Errorf("%s: %q counts as a loss of the training", tt.what, name)
			}
		}
	}
}

// Losses without a sum say nothing of the training once its sum is seen; what a
// second optimiser minimises does.
func TestTheSumIsSeenLater(t *testing.T) {
	for _, tt := range []struct {
		before, after []string
		one           bool
		why           string
	}{
		{[]string{"L1Loss_output_0", "L1Loss_output_1"}, []string{"L1Loss_output_0", "L1Loss_output_1", "loss"}, true, ""},
		{[]string{"loss/1"}, []string{"loss"}, false, rivals},
		{[]string{"L1Loss_output_0", "L1Loss_output_1"}, []string{"L1Loss_output_0"}, false, "there are several losses, and none that is called loss"},
	} {
		var c lossCurve
		for n, names := range [][]string{tt.before, tt.after} {
			var items []rule.Item
			for _, name := range names {
				items = append(items, rule.Item{Worker: "worker_0", Info: &rule.TensorInfo{Name: name, Kind: rule.Loss}, Value: 1})
			}
			c.step(int64(n), items)
		}
		if c.one() != tt.one || c.unusable() != tt.why {
			t.Errorf("%v, then %v: one loss: %t, unusable: %q", tt.before, tt.after, c.one(), c.unusable())
		}
	}
}
