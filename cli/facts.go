package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// printFacts shows what the hook understood of the training.
func printFacts(w io.Writer, stored json.RawMessage) {
	f, err := record.ParseFacts(stored)
	if f == nil || err != nil {
		return
	}
	if lines := view.Facts(f); len(lines) > 0 {
		fmt.Fprintln(w, "\nFacts:")
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, l := range lines {
			fmt.Fprintf(tw, "  %s\t%s\n", l.Name, plain(l.Text))
		}
		tw.Flush()
	}
	modules, more := view.Network(f.Network)
	if len(modules) == 0 {
		return
	}
	fmt.Fprintln(w, "\nNetwork, in the order of one forward:")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "  MODULE\tTYPE\tOUTPUT")
	for _, m := range modules {
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", printable(m.Path), printable(m.Type), printable(m.Output))
	}
	tw.Flush()
	if more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}
