//go:build !linux

package agent

import (
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
)

// signaller reads nothing: without capture there are no jobs here.
type signaller struct{}

func (*signaller) open(string)                         {}
func (*signaller) close()                              {}
func (*signaller) read(int, time.Time) []stacks.Thread { return nil }
func processState(int) string                          { return "" }

// processes are none here.
func (j *job) processes(map[int]*worker) []stacks.Process { return nil }
