package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// fewPasses is how many passes of a loader there must be.
const fewPasses = 3

// loaderRespawn: the workers of a loader are started again for each pass, and the
// training waits until they have made the first batch.
var loaderRespawn = check{
	Check: rule.Check{
		ID: "slow_training/loader_respawn", Files: []string{"slow/loader_respawn.go"}, Severity: rule.Warning, CauseClass: "loader-respawn", Scope: rule.ScopeGeneral, Status: rule.Experimental,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Workers of a loader do not live longer than a pass, and most of the time that the training waits for data it waits for first batches.",
		Evidence:        "first batches of the passes: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the loader's workers are started anew for each short epoch",
		Remedy:          "keep them alive: DataLoader(persistent_workers=True)",
	},
	claim: func(c *Case, s *Span) *Claim {
		e := s.Events[rule.LoaderEvent]
		if c.Loader == nil || c.Loader.Workers == 0 || c.Loader.Persistent || e == nil || c.All.Events[rule.LoaderEvent].Count < fewPasses {
			return nil
		}
		waits := min(e.Seconds, s.Parts[rule.WaitForData])
		if waits < 0.5*s.Parts[rule.WaitForData] {
			return nil
		}
		return &Claim{
			Seconds: waits, Takes: rule.WaitForData, Subject: "data loading",
			Message: fmt.Sprintf("The first batches of %d passes take %%s of the training's time, because its workers are started anew for each", e.Count),
			Context: map[string]any{"passes": e.Count, "workers": c.Loader.Workers},
		}
	},
}
