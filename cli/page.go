package cli

import (
	"cmp"
	"fmt"
	"io"
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

// terminal reports whether standard output is a terminal, and how wide that is; 0
// where that is not known.
func (a *app) terminal() (columns int, is bool) { return terminal(a.stdout) }

func terminal(w io.Writer) (columns int, is bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		columns = 0
	}
	return columns, true
}

// aside is what is said on standard error next to the output of a command.
func aside(w io.Writer, format string, args ...any) {
	columns, _ := terminal(w)
	fmt.Fprintln(w, live.Page{Width: columns}.Hang("vigil: ", fmt.Sprintf(format, args...)))
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

// called is how the script calls the tensors of a run: `4.weight`, the gradient
// of `4.weight`, the output of ReLU `3`.
func called(infos []record.TensorInfo) func(string) string {
	names := map[string]string{}
	for i := range infos {
		what, name, known := infos[i].Called()
		if !known {
			continue
		}
		switch name = "`" + name + "`"; {
		case infos[i].Kind == record.Gradient:
			name = what + " of " + name
		case what != "":
			name = what + " " + name
		}
		names[infos[i].Name] = name
	}
	return func(stored string) string { return cmp.Or(names[stored], stored) }
}
