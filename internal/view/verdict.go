package view

import (
	"github.com/vigil-ml/vigil/internal/record"
)

// Verdict says in one line how a run went. Class is the worst severity among
// its findings, or "ok".
type Verdict struct{ Class, Text string }

// VerdictOf judges a run by the root causes that were found, each with its
// symptoms, and by how it ended.
func VerdictOf(run record.Run, groups []record.Group) Verdict {
	found := record.Count(groups)
	class, text := "ok", "Nothing to report: no rule found anything wrong"
	for _, s := range []record.Severity{record.Info, record.Warning, record.Error} {
		if found.Roots[s] > 0 {
			class, text = string(s), "Found "+found.String()
		}
	}
	switch run.Status {
	case record.Running:
		text += "; the run is still going on"
	case record.Stopped:
		text += "; the run was stopped"
		if run.StoppedBy != "" {
			text += " by " + run.StoppedBy
		}
	case record.Failed:
		text += "; how it ended: " + run.Ending()
	case record.Ended:
		text += "; the training ended, its exit code is unknown"
	case record.Lost:
		text += "; the processes of the run vanished"
	}
	return Verdict{class, text + "."}
}
