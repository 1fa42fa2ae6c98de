package slow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// idle is how many cores must have nothing to do for more workers to be of use.
const idle = 0.25

// dataWait: the training waits for batches while cores have nothing to do.
var dataWait = check{
	Check: rule.Check{
		ID: "slow_training/data_wait", Files: []string{"slow/data_wait.go"}, Severity: rule.Warning, CauseClass: "data-wait", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info}, OtherCauses: []string{"loader-workers"},
		When:     "The training waits for batches for a large share of its time while cores of the job are idle.",
		Evidence: "waiting for batches: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:    "batches are prepared by too few processes, or by the training itself, while other cores are idle",
		Remedy:   "give the DataLoader more workers (num_workers), keep them alive (persistent_workers=True) and let them prepare batches ahead (prefetch_factor)",
	},
	claim: func(c *Case, s *Span) *Claim {
		if c.IdleCores(s) < idle {
			return nil
		}
		claim := &Claim{Seconds: s.Parts[rule.WaitForData], Takes: rule.WaitForData, Subject: "data loading"}
		claim.Message = "The training waits for data %s of its time"
		if c.Loader != nil {
			claim.Context = map[string]any{"workers": c.Loader.Workers, "prefetch": c.Loader.Prefetch, "persistent": c.Loader.Persistent}
			claim.Message += fmt.Sprintf(", with %s", workers(c.Loader.Workers))
			if c.Loader.Workers > 0 {
				claim.CauseClass = "loader-workers"
				claim.Cause = "the loader's workers take longer for a batch than the training does, while cores are idle"
				claim.Remedy = "give the DataLoader more workers (num_workers), or make less work of each item"
				if e := s.Events[rule.LoaderEvent]; e != nil && !c.Loader.Persistent && c.All.Events[rule.LoaderEvent].Count >= fewPasses {
					claim.CPU = min(s.Loaders, e.Seconds*float64(c.Loader.Workers)) // they are started again for each pass, which may go, too
				}
			}
		}
		if !c.Lines.Enough() && (c.Loader == nil || c.Loader.Workers == 0) {
			// Who makes the batches is not known: they may become cheap, and not only
			// be made elsewhere. The bound has to hold for that, too.
			claim.CPU = claim.Seconds
		}
		claim.Where = c.asksForData()
		return claim
	},
	needs: waitsForData,
}

// asksForData is the line of the user's code that waits for batches: the loop over the
// loader. Nil where that is not known.
func (c *Case) asksForData() *rule.Where {
	if !c.Lines.Enough() {
		return nil
	}
	return heaviest(c.Lines.linesFrom(inPart(rule.WaitForData), func(s *rule.StackShare) int {
		for i, f := range slices.Backward(s.Frames) {
			if strings.HasSuffix(f.File, "torch/utils/data/dataloader.py") || strings.HasSuffix(f.File, "/vigil/_torch/loaders.py") {
				return i + 1
			}
		}
		return len(s.Frames)
	}), 0.5)
}

func workers(n int) string {
	switch n {
	case 0:
		return "no loader workers"
	case 1:
		return "one loader worker"
	}
	return fmt.Sprintf("%d loader workers", n)
}
