//go:build !linux

package launch

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// Supported reports whether jobs can be captured on this system, and if not why.
func Supported() error {
	return fmt.Errorf("capture is not supported on %s yet: it works on Linux (x86-64 and arm64)", runtime.GOOS)
}

// Run starts nothing on this system.
func Run(*Options) (int, error) {
	err := Supported()
	return ExitCannotStart, &StartError{Code: ExitCannotStart, Message: err.Error(), What: "vigil run",
		Hint: "reading, judging and showing runs works here"}
}

// Self names this process; here nothing reads the name.
func Self() *record.Process { return nil }

// Screen is the stream that a job is shown on; here jobs do not run.
type Screen struct{ *os.File }

// NewScreen shows on f.
func NewScreen(f *os.File) *Screen { return &Screen{f} }

// Size is not known here.
func (*Screen) Size() (columns, rows int) { return 0, 0 }

// Free is never said here.
func (*Screen) Free() bool { return false }

// Leave has nothing to leave.
func (*Screen) Leave() {}

// RequestStop cannot reach a job: jobs run on Linux only.
func RequestStop(record.Run) error { return Supported() }

// Ask cannot reach an agent: agents run on Linux only.
func Ask(string, capture.Control, any) error { return Supported() }

// AskWithin asks nobody on this system.
func AskWithin(time.Duration, string, capture.Control, any) error { return Supported() }

// Left are no processes: jobs run on Linux only.
func Left(record.Run) []proc.ID { return nil }

// TrySocket makes no socket on this system.
func TrySocket() (string, error) { return "", Supported() }
