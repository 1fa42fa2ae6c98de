package slow

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// trains tells that a stack is in what belongs to every step between its parts: a
// loss that is computed by a function, gradients that are set to zero.
func trains(s *rule.StackShare) bool {
	return In(s, "torch/nn/functional.py", "") || In(s, "torch/optim/optimizer.py", "") || In(s, "torch/nn/utils/clip_grad.py", "") || In(s, "torch/amp/grad_scaler.py", "")
}

// stepLines are the user's lines that call the network, its backward pass or the
// optimiser: what else they do, such as letting go of the last step's graph, is part
// of training.
func (d *Detail) stepLines() map[rule.Frame]bool {
	lines := map[rule.Frame]bool{}
	for i := range d.Stacks {
		s := &d.Stacks[i]
		if s.Part != rule.Forward.String() && s.Part != rule.Backward.String() && s.Part != rule.Optimizer.String() {
			continue
		}
		for _, f := range s.Frames {
			if !rule.Library(f.File) {
				lines[f] = true
			}
		}
	}
	return lines
}

// records tells that a stack is in what writes logs or computes metrics: nothing of a
// training needs it in every step.
func records(s *rule.StackShare) bool {
	return slices.ContainsFunc(s.Frames, func(f rule.Frame) bool {
		return rule.Library(f.File) && slices.ContainsFunc(recorders, func(part string) bool { return strings.Contains(f.File, part) })
	})
}

var recorders = []string{"/logging/", "/json/", "/csv.py", "/pprint.py", "/tensorboard", "/wandb/", "/mlflow/", "/aim/", "/matplotlib/", "/sklearn/metrics/", "/torchmetrics/"}

// converters make an array of what they are given, item by item where that is a list.
var converters = []string{"tensor", "as_tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "array", "asarray"}

// converts tells that a stack ends in a call that makes an array.
func converts(s *rule.StackShare) bool { return slices.Contains(converters, lastName(s.Call)) }

// isConversion says so of a claim: what most of the time goes to.
func (claim *Claim) isConversion() {
	claim.Hint = false
	claim.CauseClass = "conversion"
	claim.Message = "The script's other work in each step takes %s of the time, most of it to make arrays or tensors of other data"
	claim.Cause = "a call such as torch.tensor copies what it is given, and goes through a list, or a list of arrays, value by value"
	claim.Remedy = "stack arrays first, torch.from_numpy(np.stack(list)), or torch.stack for tensors; keep data in one array from the beginning"
}

// otherWork: what the script does in every step besides training takes a large
// share: it logs, prints, computes metrics.
var otherWork = check{
	Check: rule.Check{
		ID: "slow_training/other_work", Files: []string{"slow/other_work.go"}, Severity: rule.Warning, CauseClass: "logging", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info}, OtherCauses: []string{"conversion"},
		When:     "What the script does between the parts of a step takes a large share of the time, in few lines.",
		Evidence: "other work between the parts of a step: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:    "the script does something besides training in every step: it logs, prints, computes metrics, makes data",
		Remedy:   "do it every so many steps, or once per epoch, from sums that are kept on the way",
	},
	claim: func(c *Case, s *Span) *Claim {
		other := s.Parts[rule.OtherPart]
		claim := &Claim{Seconds: other, CPU: other, Takes: rule.OtherPart, Subject: "the script's other work"}
		claim.Message = "The script's other work in each step takes %s of the time"
		if !c.Lines.Enough() {
			return nil
		}
		steps := c.Lines.stepLines()
		beside := c.Lines.besideSaves()
		keep := func(x *rule.StackShare) bool {
			if x.Graph && !records(x) && !converts(x) {
				return false // it may be a part of the model, or of its loss
			}
			n := slices.IndexFunc(x.Frames, func(f rule.Frame) bool { return !rule.Library(f.File) })
			return inPart(rule.OtherPart)(x) && !trains(x) && !beside(x) && (n < 0 || !steps[x.Frames[n]])
		}
		lines := c.Lines.Lines(keep)
		var few, seconds float64
		for i, l := range lines {
			if i < 3 {
				few += l.Share
			}
			seconds += l.Seconds
		}
		if few < 0.5 {
			return nil
		}
		share := seconds / c.Lines.seconds(inPart(rule.OtherPart)) // what is part of training is not to be saved
		claim.Seconds, claim.CPU = other*share, other*share
		claim.Where = heaviest(lines, 0.2)
		of := func(what func(*rule.StackShare) bool) bool {
			return c.Lines.seconds(func(x *rule.StackShare) bool { return keep(x) && what(x) }) >= 0.5*seconds
		}
		claim.Hint = !of(records)
		if of(converts) {
			claim.isConversion()
		} else if used, known := s.CoresUsed(); known && used < 0.5*other/s.Seconds {
			return nil // it sleeps or waits, which is no work
		}
		if w := claim.Where; w != nil && len(lines[0].Calls) > 0 {
			claim.Context = map[string]any{"calls": strings.Join(lines[0].Calls[:min(3, len(lines[0].Calls))], ", ")}
		}
		return claim
	},
	needs: func(c *Case) bool { return c.All.Parts[rule.OtherPart] > 0.1*c.All.Seconds },
}
