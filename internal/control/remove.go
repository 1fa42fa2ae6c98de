package control

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/record"
)

// QuietFor is how long a run of another machine must not have been written to before
// it counts as one that does not run.
const QuietFor = 5 * time.Minute

// Touched is when a run ended, or was written last.
func Touched(path string, run *record.Run) time.Time {
	if run.Ended != nil {
		return *run.Ended
	}
	if info, err := os.Stat(filepath.Join(path, "run.json")); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// Busy says why a run may still be written; "" when it is not. What another machine
// writes counts as running until it was quiet for a while.
func Busy(path string, run *record.Run) string {
	host, _ := os.Hostname()
	switch {
	case run.Status == record.Running && run.Host == host:
		return "its job has not ended"
	case run.Status == record.Running && time.Since(Touched(path, run)) < QuietFor:
		return fmt.Sprintf("its job runs on %s", run.Host)
	case run.Status == record.Lost && len(launch.Left(*run)) > 0:
		return "processes of its job are still there"
	}
	return ""
}

// Remove removes a run's directory. It stops being a run at once, so that one that is
// removed half is not taken for a damaged one.
func Remove(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, _ := filepath.EvalSymlinks(path)
		return fmt.Errorf("it is a link to %q; name that run instead", target)
	}
	aside := filepath.Join(filepath.Dir(path), fmt.Sprintf(".removed-%d-%s", os.Getpid(), filepath.Base(path)))
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	for _, name := range []string{"run.json", "manifest.jsonl"} {
		if err := os.Remove(filepath.Join(aside, name)); err != nil && !os.IsNotExist(err) {
			_ = os.Rename(aside, path)
			return err
		}
	}
	return os.RemoveAll(aside)
}
