//go:build !linux

package capture

import (
	"fmt"
	"os"
	"runtime"
)

type ringFile = *os.File

// errUnsupported says that this system has no capture yet.
var errUnsupported = fmt.Errorf("capture is not supported on %s yet", runtime.GOOS)

// NewRing fails: the ring needs memfd and descriptor passing.
func NewRing(int64, uint64) (*Ring, error) { return nil, errUnsupported }

// OpenRing fails: the ring needs memfd and descriptor passing.
func OpenRing(*os.File) (*Ring, error) { return nil, errUnsupported }

// Close does nothing.
func (r *Ring) Close() error { return nil }

// Prefault does nothing.
func (r *Ring) Prefault(extent, func() bool) {}

func readProcess(int, [][]byte, []uint64) error { return errUnsupported }
