package slow

import (
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

const deepcopy = "copy.deepcopy"

// chore is the function that the script calls to keep house when a stack was taken, and
// the place of the frame that calls it; "" where it calls none. What a library calls for
// itself does not count. Python's garbage collector has no frame: a call of gc.collect
// looks like any other function written in C.
func chore(s *rule.StackShare) (call string, caller int) {
	for i := len(s.Frames) - 2; i >= 0; i-- { // the outermost: what copies itself may call it again
		if of := choreOf(s.Frames[i]); of != "" {
			if rule.Library(s.Frames[i+1].File) {
				return "", 0
			}
			return of, i + 1
		}
	}
	return "", 0
}

func choreOf(f rule.Frame) string {
	path, function := ofLibrary(f.File), lastName(f.Function)
	switch path {
	case "copy.py":
		if function == "deepcopy" {
			return deepcopy
		}
	case "torch/cuda/__init__.py", "torch/xpu/__init__.py", "torch/accelerator/__init__.py":
		if function == "synchronize" {
			return "torch." + strings.Split(path, "/")[1] + ".synchronize"
		}
	case "torch/cuda/memory.py", "torch/xpu/memory.py", "torch/accelerator/memory.py":
		if function == "empty_cache" {
			return "torch." + strings.Split(path, "/")[1] + ".empty_cache"
		}
	}
	return ""
}

// chores are the parts of a step in which the script may keep house. Items and
// checkpoints that are made of copies have checks of their own.
var chores = []rule.StepPart{rule.Forward, rule.Backward, rule.Optimizer, rule.OtherPart}

// housekeeping: what is needed now and then is done in every step.
var housekeeping = check{
	Check: rule.Check{
		ID: "slow_training/housekeeping", Status: rule.Experimental, Files: []string{"slow/housekeeping.go", "slow/calls.go"}, Severity: rule.Warning, CauseClass: "housekeeping", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info}, OtherCauses: []string{"device-sync"},
		When:     "Calls of copy.deepcopy, torch.cuda.synchronize or torch.cuda.empty_cache in the steps take a large share of the time.",
		Evidence: "calls of {calls}: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:    "what is needed now and then is done in every step",
		Remedy:   "do it every so many steps, or once per epoch; copy tensors into ones that are kept, with copy_(), instead of making new ones",
	},
	claim: func(c *Case, s *Span) *Claim {
		if !c.Lines.Enough() {
			return nil
		}
		device := s.knowsDevice()
		counts := func(x *rule.StackShare) (call string) {
			call, _ = chore(x)
			if call != deepcopy && !device {
				return "" // how long the device needs is not known: it may be the limit
			}
			return call
		}
		// Where a copy takes the place of the last one, the same line lets go of that.
		type place struct {
			part string
			line rule.Frame
		}
		lines := map[place]bool{}
		for i := range c.Lines.Stacks {
			x := &c.Lines.Stacks[i]
			if call, caller := chore(x); call == deepcopy {
				lines[place{x.Part, x.Frames[caller]}] = true
			}
		}
		of := map[string]float64{}
		seconds, most := c.ofParts(s, chores, func(x *rule.StackShare) float64 {
			call := counts(x)
			if call == "" && len(x.Frames) > 0 && lines[place{x.Part, x.Frames[0]}] {
				call = deepcopy
			}
			if call == "" {
				return 0
			}
			of[call] += x.Seconds
			return x.Seconds
		})
		if seconds == 0 {
			return nil
		}
		calls := slices.SortedFunc(maps.Keys(of), heavier(of))
		claim := &Claim{Seconds: seconds, CPU: seconds, Takes: most, Subject: calls[0], Message: strings.Join(calls, " and ") + " in the steps: this takes %s of the training's time"}
		claim.Context = map[string]any{"calls": strings.Join(calls, ", ")}
		if calls[0] != deepcopy {
			claim.CauseClass = "device-sync"
			claim.Cause = "the script waits for the device in every step, which has nothing to do until the next one"
			claim.Remedy = "remove the call, or make it every so many steps: PyTorch waits where a value is needed, and uses freed memory again"
		}
		// Memory that was given back has to be asked for again: how long that takes is not known.
		claim.Unbound = slices.ContainsFunc(calls, func(call string) bool { return strings.HasSuffix(call, "empty_cache") })
		claim.Where = heaviest(c.Lines.linesFrom(func(x *rule.StackShare) bool {
			return slices.ContainsFunc(chores, func(p rule.StepPart) bool { return inPart(p)(x) }) && counts(x) != ""
		}, func(x *rule.StackShare) int {
			_, caller := chore(x)
			return caller
		}), 0.2)
		return claim
	},
	needs: doesMore,
}

// doesMore tells that the script does more in its steps than to train.
func doesMore(c *Case) bool { return c.All.Parts[rule.OtherPart] > 0.1*c.All.Seconds }

// heavier orders names by the time of each, and equal ones by themselves.
func heavier(of map[string]float64) func(a, b string) int {
	return func(a, b string) int {
		switch {
		case of[a] > of[b]:
			return -1
		case of[a] < of[b]:
			return 1
		}
		return strings.Compare(a, b)
	}
}

// knowsDevice reports whether it is known how busy a GPU was.
func (s *Span) knowsDevice() bool {
	for name, i := range s.Series {
		if strings.HasPrefix(name, "gpu/") && strings.HasSuffix(name, "/utilization") && i.Seconds > 0 {
			return true
		}
	}
	return false
}
