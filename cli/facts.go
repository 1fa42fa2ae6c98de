package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// printFacts shows what the hook understood of the training.
func printFacts(w io.Writer, p live.Page, stored json.RawMessage) {
	f, err := record.ParseFacts(stored)
	if f == nil || err != nil {
		return
	}
	if lines := view.Facts(f); len(lines) > 0 {
		fmt.Fprintln(w, "\n"+p.Bold("Facts:"))
		width := 0
		for _, l := range lines {
			width = max(width, len(l.Name))
		}
		for _, l := range lines {
			fmt.Fprintln(w, p.Hang(fmt.Sprintf("  %s  ", p.Dim(fmt.Sprintf("%-*s", width, l.Name))), plain(l.Text)))
		}
	}
	modules, more := view.Network(f.Network)
	if len(modules) == 0 {
		return
	}
	var rows [][]string
	for _, m := range modules {
		rows = append(rows, []string{printable(m.Path), printable(m.Type), printable(m.Output)})
	}
	fmt.Fprintf(w, "\n%s\n%s", p.Bold("Network, in the order of one forward:"), p.Table(2, []string{"MODULE", "TYPE", "OUTPUT"}, rows))
	if more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}
