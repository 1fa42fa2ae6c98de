package launch

import (
	"os"
	"syscall"
	"testing"
)

// The shell may continue the group before the launcher has stopped itself.
func TestContinuedBeforeItStopped(t *testing.T) {
	for _, tt := range []struct {
		name string
		came []syscall.Signal
		want bool
	}{
		{"nothing came", nil, false},
		{"continued", []syscall.Signal{syscall.SIGCONT}, true},
		{"Ctrl-Z twice", []syscall.Signal{syscall.SIGTSTP}, false},
		{"Ctrl-Z twice, and continued", []syscall.Signal{syscall.SIGTSTP, syscall.SIGCONT}, true},
	} {
		l := &launcher{where: shared, signals: make(chan os.Signal, 8)}
		for _, s := range tt.came {
			l.signals <- s
		}
		if got := l.continuedAlready(); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
		if n := len(l.signals); n > 0 {
			t.Errorf("%s: %d signals are left", tt.name, n)
		}
	}
}
