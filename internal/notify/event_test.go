package notify

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// Consumers of the original's events know fewer words for the end of a job: what
// nobody saw end well is no success.
func TestJobStatus(t *testing.T) {
	for run, want := range map[string]string{
		record.Running: "InProgress", record.Completed: "Completed", record.Stopped: "Stopped",
		record.Failed: "Failed", record.Ended: "Failed", record.Lost: "Failed",
	} {
		if got, _ := jobStatus(run); got != want {
			t.Errorf("%s: %s, want %s", run, got, want)
		}
	}
}
