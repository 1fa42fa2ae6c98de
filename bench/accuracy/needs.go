package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// find is what the interpreter is asked: which of the packages it is given it
// cannot import. It looks for them and imports none.
const find = `
import importlib.util, sys
for name in sys.argv[1:]:
    try:
        found = importlib.util.find_spec(name) is not None
    except ImportError:
        found = False
    if not found:
        print(name)
`

// lacking gives the packages that programs need and an interpreter has not.
func lacking(python string, programs []Program) (map[string]bool, error) {
	var names []string
	for _, p := range programs {
		for _, n := range p.Needs {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	out, err := exec.Command(python, append([]string{"-c", find}, names...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("ask %q for packages: %w", python, err)
	}
	missing := map[string]bool{}
	for _, name := range strings.Fields(string(out)) {
		missing[name] = true
	}
	return missing, nil
}

// possible trains programs whose packages are there, and says of the others
// that they were not run.
func possible(missing map[string]bool, train func(Program, int) verdict) func(Program, int) verdict {
	return func(p Program, seed int) verdict {
		var names []string
		for _, n := range p.Needs {
			if missing[n] {
				names = append(names, n)
			}
		}
		if len(names) > 0 {
			return verdict{Program: p, Seed: seed, NotRun: "needs " + strings.Join(names, " and ")}
		}
		return train(p, seed)
	}
}
