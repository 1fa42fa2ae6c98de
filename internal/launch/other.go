//go:build !linux

package launch

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// Supported tells whether jobs can be captured on this system, and if not why.
func Supported() error {
	return fmt.Errorf("capture is not there yet on %s: it works on Linux (x86-64 and arm64)", runtime.GOOS)
}

// Run starts nothing on this system.
func Run(*Options) (int, error) {
	err := Supported()
	return ExitCannotStart, &StartError{Code: ExitCannotStart, Message: err.Error(), What: "vigil run",
		Hint: "reading, judging and showing runs works here"}
}

// Self names this process; here nothing reads the name.
func Self() *record.Process { return nil }

// TerminalWriter is w: there is no job control to mind.
func TerminalWriter(w *os.File) io.Writer { return w }

// RequestStop cannot reach a job: jobs run on Linux only.
func RequestStop(record.Run) error { return Supported() }

// Left are no processes: jobs run on Linux only.
func Left(record.Run) []proc.ID { return nil }

// TrySocket makes no socket on this system.
func TrySocket() (string, error) { return "", Supported() }
