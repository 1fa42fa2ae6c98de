package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// sameBatches looks for data that come again and again: one batch at every
// step, or samples that are all alike.
var sameBatches = rule.Definition{
	Name: "same_batches", Class: "SameBatches", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     sameBatchesChecks,
	Summary:    "The model gets the same batch at every step, or samples that are all equal.",
	Why:        "Nothing can be learnt from identical inputs, and a model trained on one batch does not generalise.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "least_steps", Type: rule.Int, Default: "8", Range: rule.AtLeast(2), Unit: "steps", Meaning: "steps whose inputs must be the same"},
		{Name: "least_samples", Type: rule.Int, Default: "4", Range: rule.AtLeast(2), Unit: "samples", Meaning: "samples of a batch that must be the same"},
	},
	CauseClass: "data-loading",
	Causes:     []string{"a batch that is fetched once, before the loop, or a loader that restarts at every step", "a loader or dataset that ignores its index", "preprocessing that destroys the data"},
	Remedies:   []string{"fetch a new batch from the loader at each step", "inspect two samples of the dataset before and after preprocessing"},
	// Units that get one input only live or die together.
	ExplainsAlways: []string{"dead_relu", "vanishing_gradient", "saturated_activation", "all_zero"},
	Explains:       []string{"underfit", "overtraining", "overfit", "loss_not_decreasing", "loss_flat", "learning_rate", "too_few_updates"},
	Default: &rule.Preset{
		Why: "Training on one fixed batch is usual where it is all the data, or for a trial, so it is at most information; it is more where the batch is created again at every step by a loader that has more data, or of samples, times and noise that are drawn. Samples count as equal only when they are in every batch that was examined, while their labels differ.",
	},
	Needs: noNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		return &sameData{told: newTold(), steps: p.Int("least_steps"), samples: p.Int("least_samples")}, nil
	},
}

type sameData struct {
	told
	steps, samples int64
}

// Facts implements rule.FactReader.
func (r *sameData) Facts(f *rule.Facts, rep *rule.Report) {
	in := f.Inputs
	if in == nil || len(in.Tensors) == 0 || len(in.Tensors[0].Shape) == 0 {
		return
	}
	rep.Inspect(1)
	first := in.Tensors[0]
	n := first.Shape[0]
	if first.Values != nil && first.Values.NonFinite > 0 {
		return // that is what is wrong with them
	}
	if n >= r.samples && first.Values != nil && first.Values.SameRows && (neverVary(in) || in.Distinct == 1 && in.Steps >= r.steps || sameTokens(f)) && labelsDiffer(f.Labels) {
		r.say(rep, rule.Violation{
			Check: "equal_samples", Subject: "inputs", Observed: 1, Threshold: 1, Comparator: "=", Steps: int(in.Steps),
			Cause: "a dataset that ignores its index, or preprocessing that destroys the data", Remedy: "inspect two samples of the dataset before and after preprocessing",
			Message: fmt.Sprintf("All samples are identical (%d per batch, %d steps), although their labels differ. Check the dataset and the preprocessing.", n, in.Steps),
			Context: map[string]any{"shape": first.Shape},
		})
		return
	}
	if in.Steps >= r.steps && in.Distinct == 1 && (loaderSize(n) || in.PartOfMore && n >= r.samples) && !wholeData(f) {
		v := rule.Violation{
			Check: "one_batch", Subject: "inputs", Severity: rule.Info, Observed: 1, Threshold: 1, Comparator: "=", Steps: int(in.Steps),
			Cause: "a batch that is fetched once, before the loop", Remedy: "fetch a new batch from the loader at each step",
			Message: fmt.Sprintf("The same batch of %d samples is used at each of %d steps. If it is not the whole dataset, fetch a new one at each step.", n, in.Steps),
			Context: map[string]any{"shape": first.Shape, "renewed": in.Renewed, "part_of_more": in.PartOfMore},
		}
		if in.PartOfMore && in.Renewed >= in.Steps-1 {
			v.Severity = rule.Warning
			v.Cause, v.Remedy = "a loader that restarts at every step (next(iter(loader))), a generator re-seeded for every batch, or an index that does not advance", "create the iterator, or the generator, once before the loop, and check how the batch index is computed"
			v.Message = fmt.Sprintf("A batch of %d samples is fetched at each of %d steps, but it is always the same one although there is more data. Check how batches are chosen; next(iter(loader)) restarts at every step.", n, in.Steps)
		} else if in.Renewed >= in.Steps-1 && noiseAgain(f) {
			v.Severity = rule.Warning
			v.Cause, v.Remedy = "a random generator that is re-seeded for every batch", "seed once, before the loop, and keep using the same generator"
			v.Message = fmt.Sprintf("A batch of %d noised samples is drawn at each of %d steps, but it is always the same one: samples, time steps and noise. Seed the generator once, before the loop.", n, in.Steps)
		}
		r.say(rep, v)
	}
}

// oneBatchMadeAnew gives the samples of a batch whose values were the same at all
// steps that were looked at, though a new tensor was made each time; 0 of another.
func oneBatchMadeAnew(f *rule.Facts) int64 {
	in := f.Inputs
	if in == nil || len(in.Tensors) == 0 || len(in.Tensors[0].Shape) == 0 || in.Distinct != 1 || in.Steps < 8 || in.Renewed < in.Steps-1 || wholeData(f) {
		return 0
	}
	if n := in.Tensors[0].Shape[0]; loaderSize(n) {
		return n
	}
	return 0
}

// leastNoise is how many values tell that they are noise.
const leastNoise = 100

// noiseAgain reports whether a model gets samples with a number for each (how much
// noise they have), and is to find values that look drawn from the standard
// normal distribution: noise that is drawn once for all steps is no task.
// Targets that were scaled to mean 0 and deviation 1 have exactly these.
func noiseAgain(f *rule.Facts) bool {
	in, l := f.Inputs, f.Labels
	if len(in.Tensors) < 2 || l == nil || l.Mean == nil || l.Std == nil || len(l.Range) != 2 || len(l.Shape) < 2 || !slices.Equal(l.Shape, in.Tensors[0].Shape) {
		return false
	}
	times := in.Tensors[1]
	if len(times.Shape) == 0 || times.Shape[0] != l.Shape[0] || elementsOf(times.Shape) != times.Shape[0] || times.Values == nil || times.Values.Min == times.Values.Max {
		return false
	}
	n, mean, off := float64(elementsOf(l.Shape)), math.Abs(*l.Mean), math.Abs(*l.Std-1)
	if n < leastNoise || l.Range[0] > -1.8 || l.Range[1] < 1.8 {
		return false
	}
	return mean < 3/math.Sqrt(n) && off < 3/math.Sqrt(2*n) && (mean > 1e-4 || off > 1e-3)
}

// neverVary reports whether no feature varied over the steps that were looked at.
func neverVary(in *record.InputFacts) bool {
	c := in.Features
	return c != nil && c.Features > 0 && c.Constant == c.Features && c.StdMax == 0
}

// sameTokens reports whether all samples of a batch are one row of tokens, and each
// has a label of its own.
func sameTokens(f *rule.Facts) bool {
	first := f.Inputs.Tensors[0]
	if len(first.Shape) != 2 || !strings.HasPrefix(first.DType, "I") || f.Labels == nil || !slices.Equal(f.Labels.Shape, first.Shape[:1]) {
		return false
	}
	return !slices.ContainsFunc(f.Inputs.Tensors, func(t record.TensorFacts) bool {
		return len(t.Shape) > 1 && (t.Values == nil || !t.Values.SameRows)
	})
}

// labelsDiffer reports whether there is something to tell apart.
func labelsDiffer(l *rule.LabelFacts) bool {
	switch {
	case l == nil:
		return false
	case l.Distinct != nil:
		return *l.Distinct > 1
	}
	return l.Std != nil && *l.Std > 0
}

// wholeData reports whether the optimiser is one that wants all data at once.
func wholeData(f *rule.Facts) bool {
	return slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool { return o.Class == "LBFGS" })
}

// loaderSize reports whether a number of samples is one that people give to
// loaders; a whole data set seldom has it.
func loaderSize(n int64) bool { return n >= 8 && n <= 1024 && n&(n-1) == 0 }
