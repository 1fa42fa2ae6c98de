package slow

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// fetching is PyTorch's file in which a batch is made of the items of a dataset.
const fetching = "torch/utils/data/_utils/fetch.py"

// prepared says whose code made a batch when a stack was taken: the frame that the
// fetching called. ok is false where no batch was being made.
func prepared(s *rule.StackShare) (by rule.Frame, items, ok bool) {
	for i, f := range s.Frames {
		if !strings.HasSuffix(f.File, fetching) {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			by = s.Frames[j]
			if strings.HasSuffix(by.File, fetching) { // a comprehension
				continue
			}
			switch lastName(by.Function) {
			case "__getitem__", "__getitems__", "__next__", "__iter__":
				return by, true, true
			}
			return by, strings.HasSuffix(by.File, "torch/utils/data/dataset.py"), true
		}
		return rule.Frame{}, true, false // the item has no code of its own in Python
	}
	return rule.Frame{}, false, false
}

// ownCode reports whether code of the script makes the item or the batch of a stack,
// or is called for it. PyTorch's own way of making batches is no cause by itself.
func ownCode(s *rule.StackShare) bool {
	for _, f := range s.Frames {
		if strings.HasSuffix(f.File, fetching) {
			return false
		}
		if !rule.Library(f.File) {
			return true
		}
	}
	return false
}

// transforms: making an item takes long in code of the script that runs as Python.
var transforms = check{
	Check: rule.Check{
		ID: "slow_training/transforms", Files: []string{"slow/transforms.go"}, Severity: rule.Warning, CauseClass: "transforms", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The training waits for data, and most of the time of making items is in one place of the script, which runs as Python.",
		Evidence:        "waiting for transforms: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "each item is computed step by step in Python",
		Remedy:          "use array operations on the whole item, do it once before the training and keep the result, or do it for the whole batch",
	},
	claim: func(c *Case, s *Span) *Claim {
		return preparing(c, s, true, "The training waits for data %s of its time, most of it for items that are computed in Python")
	},
	needs: waitsForData,
}

// collate: putting items together takes long.
var collate = check{
	Check: rule.Check{
		ID: "slow_training/collate", Files: []string{"slow/transforms.go"}, Severity: rule.Warning, CauseClass: "collate", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The training waits for data, and most of the time of making batches goes to putting items together.",
		Evidence:        "waiting for batches to be put together: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the function that makes a batch of items is slow",
		Remedy:          "stack or pad with one array operation, or let the dataset give items that need no more work",
	},
	claim: func(c *Case, s *Span) *Claim {
		return preparing(c, s, false, "The training waits for data %s of its time, most of it for items to be put together to batches")
	},
	needs: waitsForData,
}

func waitsForData(c *Case) bool { return c.All.Parts[rule.WaitForData] > 0.1*c.All.Seconds }

// inPython is the share of the time of making items from which on they are made by Python
// code. A sample finds the interpreter at work only where it lets go of its lock, so the
// true share is larger.
const inPython = 0.15

// preparing claims what the making of items, or of batches of them, takes of the
// time in which the training waits for data.
func preparing(c *Case, s *Span, items bool, message string) *Claim {
	if !c.Lines.Enough() {
		return nil
	}
	thread := "main"
	if c.Loader != nil && c.Loader.Workers > 0 {
		thread = "worker"
	}
	var all, ours, python float64
	for i := range c.Lines.Stacks {
		x := &c.Lines.Stacks[i]
		if x.Thread != thread {
			continue
		}
		_, of, ok := prepared(x)
		if !ok {
			continue
		}
		all += x.Seconds
		if of == items && ownCode(x) {
			ours += x.Seconds
			python += x.Python
		}
	}
	if all == 0 || ours < 0.5*all {
		return nil
	}
	// Long operations in C may be what has to be done. Where a core is idle, more workers
	// are the remedy.
	inC := items && python < inPython*ours
	if inC && c.IdleCores(s) >= idle {
		return nil
	}
	lines := c.Lines.Lines(func(x *rule.StackShare) bool {
		_, of, ok := prepared(x)
		return ok && of == items && x.Thread == thread && ownCode(x)
	})
	share := ours / all
	claim := &Claim{Seconds: s.Parts[rule.WaitForData] * share, Takes: rule.WaitForData, Subject: "data loading", Message: message, Where: heaviest(lines, 0.2), Hint: inC}
	if inC {
		claim.Message = "The training waits for data %s of its time, most of it for items that the script computes"
		claim.Cause = "the script's code for an item takes longer than the training with it, and no core is idle"
	}
	claim.CPU = claim.Seconds
	if thread == "worker" {
		claim.CPU = s.Loaders * share
		// Workers that keep the cores busy make the rest of each step slower, too: by how
		// much is not known.
		claim.Unbound = c.IdleCores(s) < idle
	}
	if len(lines) > 0 {
		claim.Context = map[string]any{"function": lines[0].Function, "of_preparing": fmt.Sprintf("%.2f", lines[0].Share)}
	}
	return claim
}
