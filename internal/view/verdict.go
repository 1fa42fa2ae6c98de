package view

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Verdict says in one line how a run went. Class is the worst severity among
// its findings, or "ok".
type Verdict struct{ Class, Text string }

// VerdictOf judges a run by its findings and by how it ended.
func VerdictOf(run record.Run, findings []record.Finding) Verdict {
	count := map[record.Severity]int{}
	for _, f := range findings {
		if !f.Muted {
			count[f.Severity]++
		}
	}
	plural := func(n int, what string) string {
		if n == 1 {
			return fmt.Sprintf("1 %s", what)
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	var parts []string
	class := "ok"
	for _, s := range []record.Severity{record.Info, record.Warning, record.Error} {
		if n := count[s]; n > 0 {
			class = string(s)
			parts = append([]string{plural(n, string(s))}, parts...)
		}
	}
	text := "Nothing to report: no rule found anything wrong"
	if len(parts) > 0 {
		text = "Found " + strings.Join(parts, ", ")
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
		text += "; the training failed"
		if run.ExitCode != nil {
			text += fmt.Sprintf(" with exit code %d", *run.ExitCode)
		}
	case record.Ended:
		text += "; the training ended, its exit code is not known"
	case record.Lost:
		text += "; the processes of the run vanished"
	}
	return Verdict{class, text + "."}
}
