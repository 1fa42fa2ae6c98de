package cli

import (
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// printProvenance shows what the run was made of.
func printProvenance(w io.Writer, p live.Page, run record.Run) {
	list := view.Provenance(run)
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "\n"+p.Bold("Made of:"))
	width := 0
	for _, l := range list {
		width = max(width, len(l.Label))
	}
	for _, l := range list {
		text := plain(l.Value)
		if l.Label == "code" && run.Provenance.Git.Diff != "" {
			text += " (vigil show " + printable(run.Name) + " --diff)"
		}
		fmt.Fprintln(w, p.Hang(fmt.Sprintf("  %s  ", p.Dim(fmt.Sprintf("%-*s", width, l.Label))), text))
	}
}

// printDiff prints what differed from the commit when the run was started.
func printDiff(w io.Writer, t source.Run, name string) error {
	if diff := t.Diff(); diff != nil {
		_, err := w.Write(diff)
		return err
	}
	why := "the command was started outside a git repository, or git did not respond"
	if p := t.Run().Provenance; p != nil && p.Git != nil {
		switch g := p.Git; {
		case g.Diff != "":
			why = "it is damaged; `vigil fsck " + name + "` says how"
		case g.Changed+g.Untracked == 0:
			why = "nothing differed from the commit " + g.Commit
		default:
			why = "the files that differed are binary, large or confidential, or the run was started with --no-source"
		}
	}
	return &usage{Message: fmt.Sprintf("run %q has no diff of its code", printable(name)), What: name, Hint: why}
}
