package testenv

import (
	"os"
	"os/signal"
	"syscall"
)

// DefaultSignals gives the processes that tests start the ordinary actions of
// SIGHUP, SIGINT and SIGQUIT, also where the tests themselves run under nohup
// or in the background of a script and have them ignored: what is ignored is
// inherited, what is handled is not.
func DefaultSignals() {
	ignored := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			signal.Notify(ignored, s) // and nobody reads it: still without effect here
		}
	}
}
