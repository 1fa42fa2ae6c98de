package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/doctor"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
)

// interpreter is the Python that rules run with when they name none: that of a
// command, else the one on the PATH; "" when there is none.
func interpreter(command []string) string {
	if len(command) > 0 {
		if p, err := doctor.FindPython(command); err == nil {
			return p.Path
		}
	}
	p, err := doctor.FindPython(nil)
	if err != nil {
		return ""
	}
	return p.Path
}

// pythonFor is what rules that are Python classes run with; nil when there are
// none among the configurations. folder is where a configuration may write files;
// nil: nowhere.
func pythonFor(configs []rules.Config, run record.Run, folder func(string) string) (*pyrule.Host, error) {
	for _, c := range configs {
		if rules.IsPython(c) {
			_, lib, err := extractPython()
			if err != nil {
				return nil, err
			}
			self, _ := os.Executable()
			return &pyrule.Host{Python: interpreter(run.Command), Lib: lib, Binary: self, Run: run.Name, Folder: folder}, nil
		}
	}
	return nil, nil
}

// maxPrints is how many lines that rules print are shown.
const maxPrints = 1000

// printsTo shows what rules print.
func printsTo(w io.Writer) func(configuration, line string) {
	if w == nil {
		return nil
	}
	var mu sync.Mutex
	n := 0
	return func(configuration, line string) {
		mu.Lock()
		defer mu.Unlock()
		switch n++; {
		case n <= maxPrints:
			fmt.Fprintf(w, "%s: %s\n", printable(configuration), printable(line))
		case n == maxPrints+1:
			fmt.Fprintln(w, "vigil: further output of rules is left out")
		}
	}
}

// configsOf are configurations as the engine takes them.
func configsOf(list []config.RuleConfig) []rules.Config {
	var out []rules.Config
	for _, rc := range list {
		out = append(out, rules.Config{Rule: rc.Rule, Configuration: rc.Configuration, Params: rc.Params})
	}
	return out
}

// parsePython reads a --rule that is a Python class, a new one or one of the
// configuration file; is reports whether it is one.
func parsePython(spec string) (rc rules.Config, is bool, err error) {
	name, _, _ := strings.Cut(spec, ":")
	if _, builtin := rules.Lookup(name); builtin {
		return rc, false, nil
	}
	known, _ := control.FileRules()
	for _, k := range known {
		is = is || (k.Rule == name || k.Configuration == name) && rules.IsPython(rules.Config{Params: k.Params})
	}
	if !is && !strings.Contains(spec, pyrule.Key+"=") {
		return rc, false, nil
	}
	parsed, err := config.ParseRule(spec, "--rule", agent.Known(), known)
	if err != nil {
		return rc, true, err
	}
	rc = rules.Config{Rule: parsed.Rule, Configuration: parsed.Configuration, Params: parsed.Params}
	if err := rules.Check(rc); err != nil {
		return rc, true, ruleError(spec, err)
	}
	return rc, true, nil
}
