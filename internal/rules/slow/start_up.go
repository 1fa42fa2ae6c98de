package slow

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

// longStartUp is from how many seconds on a start-up is long.
const longStartUp = 60

// startUp: the job takes longer to begin with its training than for all of it.
var startUp = check{
	Check: rule.Check{
		ID: "slow_training/start_up", Status: rule.Experimental, Files: []string{"slow/start_up.go"}, Severity: rule.Warning, CauseClass: "initialisation-time", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The job came to its own end, and the time before its first update was longer than the training, and longer than 60 seconds.",
		Evidence:        "start-up: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "what each start prepares takes long: data that is read or converted, weights that are fetched, a model that is built",
		Remedy:          "prepare it once, keep the result in a file on a local disk, and read that",
	},
	claim: func(c *Case, _ *Span) *Claim {
		u := c.StartUp
		if u == nil || !c.Ended || c.Cut {
			return nil
		}
		trained := c.Last.Sub(u.End).Seconds()
		if u.Seconds <= longStartUp || u.Seconds <= trained {
			return nil
		}
		claim := &Claim{Seconds: u.Seconds, Of: u.Seconds + trained, Takes: takesStartUp, Subject: "start-up", Context: map[string]any{
			"start_up_seconds": u.Seconds, "training_seconds": trained,
			"imports_seconds": u.Imports, "first_batch_seconds": u.Data, "first_step_seconds": u.FirstStep,
		}}
		claim.Message = fmt.Sprintf("The job takes %s to start and then trains for %s: starting is %%s of that", span(u.Seconds), span(trained))
		switch half := u.Seconds / 2; {
		case u.Imports > half:
			claim.Message += ", most of it before PyTorch is imported"
			claim.Cause = "what the script does or imports before it imports PyTorch takes long"
			claim.Remedy = "keep the Python environment on a local disk, and prepare data once, not at each start (python -X importtime shows the modules that take long)"
		case u.Data > half:
			claim.Message += ", most of it waiting for the first batch"
			claim.Cause = "the data takes long until its first batch is there"
			claim.Remedy = "prepare the data once, keep the result in a file on a local disk, and read that"
		case u.FirstStep > half:
			claim.Message += ", most of it in the first step"
			claim.Cause = "the first step takes long: a model that is compiled, or kernels that are built or tried"
			claim.Remedy = "keep the compiler's cache between runs (TORCHINDUCTOR_CACHE_DIR), or do without compiling in trainings as short as this"
		case u.Seconds-u.Imports-u.Data-u.FirstStep > half:
			claim.Message += ", most of it between the import of PyTorch and the first batch"
		}
		return claim
	},
}

// StartUp is the phase of a job that ends with its first step.
type StartUp struct {
	End       time.Time `json:"end"`
	Seconds   float64   `json:"seconds"`
	Imports   float64   `json:"imports_seconds"`    // until PyTorch was imported
	Data      float64   `json:"data_seconds"`       // waiting for the first batch
	FirstStep float64   `json:"first_step_seconds"` // without that
}

func startUpOf(e *rule.Event) *StartUp {
	u := &StartUp{}
	_ = json.Unmarshal(e.Facts, u) // where it goes is not known then
	u.End, u.Seconds = e.End, e.End.Sub(e.Start).Seconds()
	return u
}
