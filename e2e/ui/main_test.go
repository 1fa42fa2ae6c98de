// Package ui looks at the dashboard from outside: the built program, recorded runs,
// and a real browser.
package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/browser"
)

// What all tests share next to a browser: the program, the runs, a dashboard over them.
var (
	binary string
	root   string // of the recorded runs
	shared *dashboard
)

func TestMain(m *testing.M) {
	testenv.DefaultSignals()
	os.Exit(func() int {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(filepath.Dir(binary))
		defer shared.end()
		defer func() {
			for _, d := range dashboards {
				d.end()
			}
		}()
		if flag.Parse(); flag.Lookup("test.run").Value.String() == "" {
			generated()
		}
		return browser.Main(m)
	}())
}

func prepare() error {
	dir, err := os.MkdirTemp("", "vigil-ui-")
	if err != nil {
		return fmt.Errorf("make a directory for the tests: %w", err)
	}
	binary, root = filepath.Join(dir, "vigil"), filepath.Join(dir, "runs")
	if err := testenv.Build(binary); err != nil {
		return err
	}
	if err := recordRuns(dir, root); err != nil {
		return err
	}
	shared, err = serve(dir, root)
	return err
}
