package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// resumes fills in what it takes to go on with an earlier run.
func (c runCmd) resumes(o *launch.Options, settings config.Run) error {
	path, _, err := findRun(settings.Dir, settings.Resume)
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("find run %q: %w", settings.Resume, err)
	}
	if settings.Name != "" && settings.Name != filepath.Base(path) {
		return &usage{Message: fmt.Sprintf("the run is %q, but --name is %q", filepath.Base(path), settings.Name), What: "--name", Hint: "a resumed run keeps its name: leave --name out"}
	}
	if err := resumable(path, settings.Resume); err != nil {
		return err
	}
	o.Settings.Name, o.Settings.Dir, o.Settings.Config.Dir = filepath.Base(path), filepath.Dir(path), filepath.Dir(path)
	o.Settings.Resume = &agent.Resume{Step: settings.ResumeStep}
	o.Claim = func(string) (string, func(), error) { return path, func() {}, nil }
	return nil
}

// resumable refuses a run that cannot go on.
func resumable(path, name string) error {
	t, err := trial.Open(path)
	if err != nil {
		return fmt.Errorf("read run %q: %w", name, err)
	}
	defer t.Close()
	run := t.Run()
	refuse := func(hint, format string, args ...any) error {
		return &usage{Message: fmt.Sprintf("run %q cannot be resumed: ", name) + fmt.Sprintf(format, args...), What: name, Hint: hint}
	}
	host, _ := os.Hostname()
	switch info, err := os.Stat(filepath.Join(path, "run.json")); {
	case err != nil:
		return fmt.Errorf("read run %q: %w", name, err)
	case run.Format != record.RunFormat:
		return refuse("use the release of Vigil that wrote it", "its format is %d, but this program writes %d", run.Format, record.RunFormat)
	case run.Status == record.Running && (run.Host == host || time.Since(info.ModTime()) < control.QuietFor):
		return refuse("`vigil stop "+name+"` ends its job", "it is still running on %s", run.Host)
	}
	for mode := record.Train; mode <= record.Global; mode++ {
		if len(t.Steps(mode)) > 0 {
			return nil
		}
	}
	return refuse("start the job without --resume", "nothing of it is stored")
}
