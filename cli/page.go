package cli

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// page is how text is laid out on standard output: as wide as its terminal, and
// in the style that suits it.
func (a *app) page() live.Page {
	columns, terminal := a.terminal()
	return live.Page{Style: live.StyleFor(terminal, false), Width: columns, Explain: explain}
}

// terminal tells whether standard output is a terminal, and how wide that is; 0
// where that is not known.
func (a *app) terminal() (columns int, is bool) {
	if a.stdout != os.Stdout || !term.IsTerminal(int(os.Stdout.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		columns = 0
	}
	return columns, true
}

// explain is the command that explains a finding; "" for a rule that Vigil does
// not know by its name.
func explain(f *record.Finding) string {
	d, ok := rules.Lookup(f.Rule)
	if !ok {
		return ""
	}
	name := d.Name
	if c, ok := d.Check(f.Check); ok {
		name = c.ID
	}
	return fmt.Sprintf("%s rules describe %s", live.Program(), name)
}
