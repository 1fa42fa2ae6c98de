package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// printProvenance shows what the run was made of.
func printProvenance(w io.Writer, run record.Run) {
	list := view.Provenance(run)
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "\nMade of:")
	label := 0
	for _, p := range list {
		label = max(label, len(p.Label))
	}
	for _, p := range list {
		text := plain(p.Value)
		if p.Label == "code" && run.Provenance.Git.Diff != "" {
			text += " (vigil show " + printable(run.Name) + " --diff)"
		}
		printHanging(w, fmt.Sprintf("  %-*s  ", label, p.Label), text)
	}
}

// printHanging prints a text behind its label, broken between words where a
// terminal ends; what goes on is set in below its beginning.
func printHanging(w io.Writer, label, text string) {
	width := widthOf(w) - len(label)
	line, column := label, 0
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			fmt.Fprintln(w, line)
			line, column = strings.Repeat(" ", len(label)), 0
		default:
			line, column = line+" ", column+1
		}
		line, column = line+word, column+n
	}
	fmt.Fprintln(w, line)
}

// widthOf is how many columns a line may have: those of the terminal, elsewhere
// 100.
func widthOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 40 {
			return columns
		}
	}
	return 100
}

// printDiff prints what differed from the commit when the run was started.
func printDiff(w io.Writer, t source.Run, name string) error {
	if diff := t.Diff(); diff != nil {
		_, err := w.Write(diff)
		return err
	}
	why := "the command was started outside of a git repository, or git did not answer"
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
