package slow

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// checkpoints: the training waits while its state is written. The write goes on
// next to the training when it is made by another thread or process, or seldom.
var checkpoints = check{
	Check: rule.Check{
		ID: "slow_training/checkpoint", Files: []string{"slow/checkpoint.go"}, Severity: rule.Warning, CauseClass: "checkpoint", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Saving checkpoints takes a large share of the training's time.",
		Evidence:        "saving checkpoints: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "checkpoints are saved often, or one takes long, and the training waits for each",
		Remedy:          "save less often, save only what is needed to go on, or write in the background from a copy",
	},
	claim: func(c *Case, s *Span) *Claim {
		saving := s.Parts[rule.SaveCheckpoint]
		claim := &Claim{Seconds: saving, Takes: rule.SaveCheckpoint, Subject: "checkpoints"}
		if used, ok := s.CoresUsed(); ok {
			claim.CPU = saving * min(1, used) // a save that costs nothing computes nothing
		}
		claim.Message = "Saving checkpoints takes %s of the training's time"
		if e := s.Events[rule.CheckpointEvent]; e != nil && e.Count > 0 {
			claim.Message = fmt.Sprintf("Saving %s takes %%s of the training's time", count(e.Count, "checkpoint"))
			claim.Context = map[string]any{"checkpoints": e.Count, "seconds_each": e.Seconds / float64(e.Count)}
		}
		if !c.Lines.Enough() {
			claim.AtMost = saving + s.Parts[rule.OtherPart] // what a save brings with it: copies, renaming, old files to be removed
			return claim
		}
		lines := c.Lines.Lines(saves)
		if len(lines) > 0 {
			claim.Where = &rule.Where{File: lines[0].File, Line: lines[0].Frame.Line}
		}
		beside := s.Seconds * c.Lines.ShareOf(c.Lines.besideSaves())
		claim.Seconds = min(saving+beside, saving+s.Parts[rule.OtherPart])
		claim.CPU += claim.Seconds - saving
		return claim
	},
	needs: func(c *Case) bool { return c.All.Parts[rule.SaveCheckpoint] > 0.1*c.All.Seconds },
}

func saves(x *rule.StackShare) bool {
	return x.Thread == "main" && In(x, "torch/serialization.py", "save")
}

// besideSaves keeps the stacks that are in no save, but in a function that does nothing
// else: of the innermost functions of the script that call torch.save those that are
// never in a step's own parts.
func (d *Detail) besideSaves() func(*rule.StackShare) bool {
	type function struct{ file, name string }
	own := func(x *rule.StackShare) function {
		for _, f := range x.Frames {
			if !rule.Library(f.File) {
				return function{f.File, f.Function}
			}
		}
		return function{}
	}
	savers := map[function]bool{}
	for i := range d.Stacks {
		if x := &d.Stacks[i]; saves(x) {
			savers[own(x)] = true
		}
	}
	for i := range d.Stacks {
		x := &d.Stacks[i]
		if x.Part == rule.OtherPart.String() || x.Part == rule.SaveCheckpoint.String() {
			continue
		}
		for _, f := range x.Frames {
			delete(savers, function{f.File, f.Function})
		}
	}
	return func(x *rule.StackShare) bool {
		return !saves(x) && slices.ContainsFunc(x.Frames, func(f rule.Frame) bool { return savers[function{f.File, f.Function}] })
	}
}

func count(n int64, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
