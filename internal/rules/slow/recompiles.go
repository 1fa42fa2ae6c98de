package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

const (
	// fewUpdates is how many updates there must be after the first ones, and
	// fewCompilations how many compilations in them.
	fewUpdates, fewCompilations = 50, 10
	// goesOn is the least share of the compilations' time in the later half of the
	// training: where each of some shapes is compiled once, it falls.
	goesOn = 0.25
	// largeShare is the least share of the time that goes to compilations after the first
	// updates.
	largeShare = 0.1
	// looksBack is how many times as long as the recent span a training must be that is
	// not over: by then it has met its shapes.
	looksBack = 2
)

// recompiles: what was compiled does not fit the next step, and is compiled again. The
// compiler itself measures how long that takes.
var recompiles = check{
	Check: rule.Check{
		ID: "slow_training/recompiles", Files: []string{"slow/recompiles.go", "slow/compiler.go"}, Severity: rule.Warning, CauseClass: "recompilation", Scope: rule.ScopeGeneral, Status: rule.Experimental,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Long after the first steps the network is still compiled again and again, by the compiler's own counters, and that takes a large share of the time.",
		Evidence:        "compiling again: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "what was compiled holds for certain shapes, numbers or functions only, and these change from step to step",
		Remedy:          "pad batches to few shapes or use torch.compile(dynamic=True), pass changing numbers as tensors, and compile once, before the loop; TORCH_LOGS=recompiles shows each reason",
	},
	claim: func(c *Case, s *Span) *Claim {
		all := &c.All.Compiled
		if c.Compiler == nil || all.Updates < fewUpdates || all.Compilations < fewCompilations || c.Compiler.later(c.All.Seconds) < goesOn {
			return nil
		}
		if !c.Ended && c.All.Seconds < looksBack*c.Recent.Seconds {
			return nil
		}
		if s.Compiled.Seconds < largeShare*s.Seconds {
			return nil
		}
		claim := &Claim{
			// Next to what the compiler measures the training looks, before each step, for what
			// fits among all that was compiled: how much would go is not known.
			Unbound: true,
			// Where each step compiles, what the first ones compiled would go, too.
			Seconds: min(s.Compiled.Seconds+s.Compiled.Early, s.Seconds), Takes: rule.Forward, Subject: "compilation", Where: c.compiledWhere(),
			Message: fmt.Sprintf("Compiling again takes %%s of the training's time (%d times in %d updates)", s.Compiled.Compilations, s.Compiled.Updates),
			Context: map[string]any{"compilations": s.Compiled.Compilations, "updates": s.Compiled.Updates, "graph_breaks": c.Compiler.GraphBreaks},
		}
		if c.Compiler.Reason != "" {
			claim.Context["reason"] = c.Compiler.Reason
		}
		return claim
	},
}

// compiledWhere is the function that is compiled most often, or the line that calls it
// where it is none of the user's own.
func (c *Case) compiledWhere() *rule.Where {
	if f := c.Compiler.File; f != "" && !rule.Library(f) {
		return &rule.Where{File: f, Line: c.Compiler.Line}
	}
	lines := c.Lines.Lines(func(x *rule.StackShare) bool {
		return x.Thread == "main" && In(x, "torch/_dynamo/convert_frame.py", "")
	})
	if !c.Lines.Enough() || len(lines) == 0 {
		return nil
	}
	return &rule.Where{File: lines[0].File, Line: lines[0].Frame.Line}
}
