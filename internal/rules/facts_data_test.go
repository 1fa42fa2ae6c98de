package rules_test

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestSameBatches(t *testing.T) {
	equal := func(distinct int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Labels = &record.LabelFacts{Distinct: &distinct}
			f.Inputs = &record.InputFacts{
				Tensors:  []record.TensorFacts{{Shape: []int64{16, 20}, Values: &record.ValueFacts{SameRows: true}}},
				Features: &record.FeatureFacts{Features: 20, Constant: 20}, Steps: 10, Distinct: 1,
			}
		}
	}
	tokens := func(same bool, labels ...int64) func(*record.Facts) {
		return func(f *record.Facts) {
			two := int64(2)
			f.Labels = &record.LabelFacts{Distinct: &two, Shape: labels}
			row := func(same bool) record.TensorFacts {
				return record.TensorFacts{DType: "I64", Shape: []int64{16, 12}, Values: &record.ValueFacts{SameRows: same}}
			}
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{row(same), row(true), {DType: "I64", Shape: []int64{16}, Values: &record.ValueFacts{}}}, Steps: 8, Distinct: 8}
		}
	}
	one := func(n, steps int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{Shape: []int64{n, 20}}}, Steps: steps, Distinct: 1}
		}
	}
	runFacts(t, "same_batches", []factCase{
		{"equal samples", classifier(), equal(10), "warning equal_samples data-loading inputs", "All samples are identical (16 per batch, 10 steps)"},
		{"equal samples with equal labels", classifier(), equal(1), "info one_batch data-loading inputs", ""},
		{"the same words in all samples", classifier(), tokens(true, 16), "warning equal_samples data-loading inputs", "All samples are identical (16 per batch"},
		{"samples of different words under one mask", classifier(), tokens(false, 16), "", ""},
		{"one text that is to be continued in different ways", classifier(), tokens(true, 16, 12), "", ""},
		{"one batch", classifier(), one(32, 10), "info one_batch data-loading inputs", "The same batch of 32 samples is used at each of 10 steps"},
		{"one batch that is fetched at every step", classifier(), func(f *record.Facts) {
			one(32, 9)(f)
			f.Inputs.Renewed, f.Inputs.PartOfMore = 8, true
		}, "warning one_batch data-loading inputs", "A batch of 32 samples is fetched at each of 9 steps, but it is always the same one although there is more data"},
		{"one batch of a loader of any size", classifier(), func(f *record.Facts) {
			one(50, 9)(f)
			f.Inputs.Renewed, f.Inputs.PartOfMore = 8, true
		}, "warning one_batch data-loading inputs", "A batch of 50 samples"},
		{"a few samples that are chosen out of many", classifier(), func(f *record.Facts) {
			one(50, 9)(f)
			f.Inputs.Renewed = 8
		}, "", ""},
		{"all data, computed at every step", classifier(), func(f *record.Facts) {
			one(32, 9)(f)
			f.Inputs.Renewed = 8
		}, "info one_batch data-loading inputs", ""},
		{"one batch that is kept, and made anew once", classifier(), func(f *record.Facts) {
			one(32, 9)(f)
			f.Inputs.Renewed, f.Inputs.PartOfMore = 1, true
		}, "info one_batch data-loading inputs", ""},
		{"a few steps", classifier(), one(32, 5), "", ""},
		{"an optimiser that wants all data", classifier(), func(f *record.Facts) {
			one(32, 10)(f)
			group(f, "LBFGS")
		}, "", ""},
		{"one batch with NaN", classifier(), func(f *record.Facts) {
			one(32, 10)(f)
			f.Inputs.Tensors[0].Values = &record.ValueFacts{NonFinite: 3}
		}, "", ""},
		{"equal token ids", classifier(), func(f *record.Facts) {
			equal(10)(f)
			f.Inputs.Features = nil
		}, "warning equal_samples data-loading inputs", ""},
	})
}

func TestClipping(t *testing.T) {
	clip := func(class string, lr, most, norm float64) func(*record.Facts) {
		return func(f *record.Facts) {
			group(f, class).LR = setTo(lr)
			f.Updates.Clip = &record.ClipFacts{MaxNorm: record.Number(most), Calls: 5, Clipped: 5, Norms: []record.Number{record.Number(norm), record.Number(norm)}}
		}
	}
	runFacts(t, "clipping", []factCase{
		{"nothing moves", classifier(), clip("SGD", 0.01, 1e-3, 2), "warning always_clipped optimizer gradients", "clipped to 0.001 at every update"},
		{"momentum does not help", classifier(), func(f *record.Facts) {
			clip("SGD", 0.01, 1e-3, 2)(f)
			f.Optimisers[0].Groups[0].Momentum = setTo(0.9)
		}, "warning always_clipped optimizer gradients", ""},
		{"large steps all the same", classifier(), clip("SGD", 0.1, 1, 200), "info always_clipped optimizer gradients", ""},
		{"nothing moves, by value", classifier(), func(f *record.Facts) {
			clip("SGD", 0.1, 1e-7, 0.3)(f)
			f.Updates.Clip.ByValue, f.Updates.Norms = true, []record.Number{1e-5, 1e-5}
		}, "warning always_clipped optimizer gradients", "tight: gradients whose largest element is about 0.3 are clipped to 1e-07 at every update"},
		{"hardly anything moves, and a thousandth is left", classifier(), clip("SGD", 1, 1e-3, 2), "warning always_clipped optimizer gradients", ""},
		{"the same, and a hundredth is left", classifier(), clip("SGD", 0.1, 1e-2, 2), "info always_clipped optimizer gradients", ""},
		{"values that are clipped and move", classifier(), func(f *record.Facts) {
			clip("SGD", 0.1, 1e-3, 0.3)(f)
			f.Updates.Clip.ByValue, f.Updates.Norms = true, []record.Number{0.5, 0.5}
		}, "info always_clipped optimizer gradients", "clip_value 0.001"},
		{"Adam, and gradients that are nothing beside its eps", classifier(), func(f *record.Facts) {
			clip("Adam", 1e-3, 1e-10, 2)(f)
			f.Optimisers[0].Groups[0].Eps = setTo(1e-8)
		}, "warning always_clipped optimizer gradients", "clipped to 1e-10 at every update"},
		{"Adam, and gradients that its eps does not hold back", classifier(), func(f *record.Facts) {
			clip("Adam", 1e-3, 1e-6, 2)(f)
			f.Optimisers[0].Groups[0].Eps = setTo(1e-8)
		}, "info always_clipped optimizer gradients", ""},
		{"Adam goes by the direction", classifier(), clip("Adam", 1e-3, 1e-3, 2), "info always_clipped optimizer gradients", ""},
		{"while the loss is still scaled", classifier(), func(f *record.Facts) {
			clip("SGD", 0.1, 1, 23500)(f)
			f.Updates.Norms = []record.Number{1.53e-5, 1.53e-5}
		}, "warning always_clipped optimizer gradients", "of the first 5 updates their norm (about 23500) was clipped to 1, then divided by the loss scale of about 65359"},
		{"of one optimiser of two", classifier(), func(f *record.Facts) {
			clip("SGD", 0.1, 1, 23500)(f)
			f.Updates.Norms = []record.Number{1.53e-5, 1.53e-5}
			f.Optimisers = append(f.Optimisers, f.Optimisers[0])
		}, "info always_clipped optimizer gradients", ""},
		{"always a little", transformer(), clip("SGD", 0.1, 0.5, 0.9), "", ""},
		{"always by much", transformer(), clip("SGD", 0.1, 0.5, 9), "info always_clipped optimizer gradients", "of the first 5 updates was clipped"},
		{"the same, by a trainer", transformer(), func(f *record.Facts) {
			clip("SGD", 0.1, 0.5, 0.9)(f)
			f.Updates.Clip.Library = true
		}, "", ""},
		{"nothing moves, by a trainer", classifier(), func(f *record.Facts) {
			clip("SGD", 0.01, 1e-3, 2)(f)
			f.Updates.Clip.Library = true
		}, "warning always_clipped optimizer gradients", ""},
	})
}

func TestOptimiserSettings(t *testing.T) {
	runFacts(t, "optimiser_settings", []factCase{
		{"climbing", classifier(), func(f *record.Facts) { group(f, "SGD").Maximize = true }, "warning maximize optimizer SGD", "SGD has maximize=True"},
		{"a group that holds nothing", classifier(), func(f *record.Facts) {
			g := group(f, "SGD")
			g.Maximize, g.Parameters = true, 0
		}, "", ""},
	})
}

// Momentum, betas and eps are judged with the loss: what they are worth depends on the
// rate, and a loss that falls shows that they serve.
func TestOptimiserSettingsWithTheLoss(t *testing.T) {
	momentum := func(f *record.Facts) { group(f, "RMSprop").Momentum = setTo(0.999) }
	falls, flat := noisy(0.02, falling(2.3, 0.3, 60)), noisy(0.02, stepAt(0, 0, 2.3))
	for _, c := range []struct {
		name string
		do   func(*record.Facts)
		c    curve
		want string
		at   int64
	}{
		{"momentum, and the loss falls", momentum, curve{steps: 300, loss: falls}, "", 0},
		{"momentum, and the loss has settled low", momentum, curve{steps: 600, loss: noisy(0.05, falling(2.3, 0.3, 20))}, "", 0},
		{"momentum, and the loss falls after a while", momentum, curve{steps: 400, loss: noisy(0.02, func(n int64) float64 { return 2.3 - 0.003*float64(max(0, n-60)) })}, "", 0},
		{"momentum, and the loss does not fall", momentum, curve{steps: 300, loss: flat}, "warning momentum", 199},
		{"momentum, and the loss rises", momentum, curve{steps: 300, loss: noisy(0.02, func(n int64) float64 { return 2.3 + 0.05*float64(n) })}, "warning momentum", 49},
		{"momentum, and the loss explodes", momentum, curve{steps: 60, loss: noisy(0.02, stepAt(8, 0.7, 9))}, "warning momentum", 9},
		{"momentum, and the loss overshoots", momentum, curve{steps: 300, loss: func(n int64) float64 { return 1.5 + 0.8*math.Cos(float64(n)/25) }}, "warning momentum", 199},
		{"momentum, in a short job", momentum, curve{steps: 30, loss: flat}, "warning momentum", 29},
		{"betas the wrong way round", func(f *record.Facts) { group(f, "Adam").Betas = []float64{0.999, 0.9} }, curve{steps: 300, loss: flat}, "warning betas", 199},
		{"second beta below the first", func(f *record.Facts) { group(f, "Adam").Betas = []float64{0.9, 0.5} }, curve{steps: 300, loss: flat}, "info betas", 199},
		{"second beta below the first, and the loss falls", func(f *record.Facts) { group(f, "Adam").Betas = []float64{0.9, 0.5} }, curve{steps: 300, loss: falls}, "", 0},
		{"large eps", func(f *record.Facts) { group(f, "Adam").Eps = setTo(1) }, curve{steps: 300, loss: flat}, "info eps", 199},
		{"climbing", func(f *record.Facts) { group(f, "SGD").Maximize = true }, curve{steps: 20, loss: flat}, "warning maximize", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.c.facts = classifier()
			c.do(c.c.facts)
			got := ""
			for _, f := range c.c.judge(t, "optimiser_settings") {
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
