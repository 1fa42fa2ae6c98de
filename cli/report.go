package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/report/boosting"
)

// reportCmd writes the HTML report.
type reportCmd struct {
	runArg
	Out     string `name:"out" short:"o" placeholder:"FILE" help:"Where to write it (default: reports/report.html in the run, or reports/xgboost_report.html)."`
	XGBoost bool   `name:"xgboost" help:"The report on an XGBoost training: labels, metrics, features, confusion or residuals."`
	JSON    bool   `name:"json" help:"Print the file's path and size as JSON."`
}

// Help teaches the command.
func (reportCmd) Help() string {
	return "Examples:\n\n    vigil report\n    vigil report latest -o report.html\n\nOne HTML file that needs no network; with --xgboost on a training with XGBoost, there also a notebook, if FILE ends in .ipynb. Exit codes: 0, or 1 when the run cannot be read or the file not be written."
}

// Run writes the report and says where it is.
func (c reportCmd) Run(a *app) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	out, err := c.write(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"report": out, "bytes": info.Size()})
	}
	_, err = fmt.Fprintf(a.stdout, "wrote %s (%d KB)\n", out, (info.Size()+1023)/1024)
	return err
}

// write writes the report of the run at path.
func (c reportCmd) write(path string) (string, error) {
	if !c.XGBoost {
		return writeReport(path, c.Out)
	}
	t, err := openRun(path, path)
	if err != nil {
		return "", err
	}
	defer t.Close()
	out := c.Out
	if out == "" {
		out = filepath.Join(path, "reports", "xgboost_report.html")
	}
	err = boosting.WriteFile(out, t, boosting.Options{Now: time.Now()})
	if errors.Is(err, boosting.ErrNothing) {
		return "", &usage{
			Message: fmt.Sprintf("the run %q has nothing of XGBoost to report", t.Run().Name), What: "--xgboost",
			Hint: "it has no metrics, feature importance, labels or predictions; leave out --xgboost for the general report",
		}
	}
	return out, err
}

// writeReport writes the report of the run at path to out, or into the run.
func writeReport(path, out string) (string, error) {
	return control.Run{Path: path, Name: path}.Report(out)
}
