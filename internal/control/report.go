package control

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/report"
	"github.com/vigil-ml/vigil/internal/trial"
)

// Report writes the HTML report of a run to out, or into the run, and gives the file.
func (r Run) Report(out string) (string, error) {
	t, err := trial.Open(r.Path)
	if err != nil {
		return "", fmt.Errorf("read run %q: %w", r.Name, err)
	}
	defer t.Close()
	if out == "" {
		out = filepath.Join(r.Path, "reports", "report.html")
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return "", fmt.Errorf("make report directory: %w", err)
		}
	}
	return out, report.WriteFile(out, t, time.Now())
}
