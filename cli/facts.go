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
}

// printNetwork shows the modules of the network, and what each holds.
func printNetwork(w io.Writer, p live.Page, n view.Network) {
	shown, _, _ := n.First(view.ShownLayers)
	if len(shown) == 0 {
		return
	}
	var rows [][]string
	for _, l := range shown {
		rows = append(rows, []string{printable(l.Name()), printable(l.Type), printable(l.Output), l.Amount()})
	}
	fmt.Fprintf(w, "\n%s\n%s", p.Bold(n.Title()+":"), p.Table(2, []string{"MODULE", "TYPE", "OUTPUT", "PARAMETERS"}, rows))
	if rest := n.Rest(view.ShownLayers); rest != "" {
		fmt.Fprintf(w, "  and %s\n", rest)
	}
	fmt.Fprintf(w, "  %s\n", n.Total())
}
