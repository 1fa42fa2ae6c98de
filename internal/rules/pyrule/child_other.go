//go:build !linux

package pyrule

import (
	"fmt"
	"os"
	"runtime"
)

// child is a started process; there is none on this system.
type child struct{}

func startChild(string, []string, []string, []*os.File) (*child, error) {
	return nil, fmt.Errorf("rules in Python run on Linux; this is %s", runtime.GOOS)
}

func (*child) wait()          {}
func (*child) kill()          {}
func (*child) interrupt()     {}
func (*child) ending() string { return "" }
