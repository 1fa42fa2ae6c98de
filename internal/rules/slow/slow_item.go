package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// slowItem: batches that are ready wait for one that is not, because they are given
// in order.
var slowItem = check{
	Check: rule.Check{
		ID: "slow_training/slow_item", Status: rule.Experimental, Files: []string{"slow/slow_item.go", "slow/stall_times.go"}, Severity: rule.Warning, CauseClass: "data-wait", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The training waits long for rare batches of a loader with workers, and at least twice as long for these as for all others together: on average the workers keep up.",
		Evidence:        "waiting for rare batches: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "few items take far longer than the others, or a worker pauses now and then, and batches are given in order",
		Remedy:          "store or prepare these items as cheaply as the others, let ready batches go first (DataLoader(in_order=False)), or bridge the wait with a larger prefetch_factor",
	},
	claim: slowItems,
	needs: waitsForData,
}

// slowItems judges by rows alone. Which of the workers was slow they do not tell, nor
// can workers that are slow by turns be told from all of them being so.
func slowItems(c *Case, s *Span) *Claim {
	if c.Loader == nil || c.Loader.Workers == 0 {
		return nil // the training makes each batch itself, and nothing is ready
	}
	of := c.stalled(rule.WaitForData)
	if of == nil {
		return nil
	}
	waits := c.All.Parts[rule.WaitForData] - of.Seconds
	if e := c.All.Events[rule.LoaderEvent]; e != nil {
		waits = max(0, waits-e.Seconds)
	}
	workers, without := float64(c.Loader.Workers), c.All.Seconds-of.Seconds
	if waits > 0.5*of.Seconds || of.Seconds > workers*without {
		return nil
	}
	if c.All.Sampled > 0 && c.All.Loaders/c.All.Sampled*c.All.Seconds > workers*without {
		return nil // they could not keep up even if nobody waited for a single one
	}
	lost := of.of(c, s)
	each, _ := of.each()
	others := "hardly at all for the others"
	if usual := waits / float64(max(1, c.All.Steps-of.Count)); usual >= 1e-3 {
		others = fmt.Sprintf("%s for each of the others", record.Seconds(usual))
	}
	return &Claim{
		Seconds: lost, CPU: lost * max(1, c.Cores), Takes: rule.WaitForData, Subject: "data loading", Where: c.asksForData(),
		Message: fmt.Sprintf("The training waits %s for one batch in %.0f, and %s: %%s of the time", record.Seconds(each), c.stepsToOne(of), others),
		Context: map[string]any{"waits": of.Count, "seconds_each": each, "workers": c.Loader.Workers, "last_step": of.Last[len(of.Last)-1].Step},
	}
}
