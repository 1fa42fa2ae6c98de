package record_test

import (
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Windows follow each other without a gap: of two seconds for two minutes, of ten after.
func TestWindowsFollowEachOther(t *testing.T) {
	for index, begins := range map[int64]time.Duration{0: 0, 1: 2 * time.Second, 59: 118 * time.Second, 60: 2 * time.Minute, 61: 130 * time.Second, 416: time.Hour + 80*time.Second} {
		if got := record.WindowBegins(index); got != begins {
			t.Errorf("window %d begins after %v, want %v", index, got, begins)
		}
		if got := record.WindowAt(begins); got != index {
			t.Errorf("after %v it is window %d, want %d", begins, got, index)
		}
		if got := record.WindowAt(begins - 1); got != max(0, index-1) {
			t.Errorf("just before %v it is window %d, want %d", begins, got, max(0, index-1))
		}
	}
}
