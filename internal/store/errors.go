package store

import (
	"errors"
	"fmt"

	"github.com/vigil-ml/vigil/internal/vfs"
)

// Errors that a caller tells apart with errors.Is.
var (
	// ErrExists says that a run of this name is there already.
	ErrExists = errors.New("run exists")
	// ErrNoSpace says that the disk is full. Nothing was half written: the same
	// call succeeds once there is room.
	ErrNoSpace = errors.New("no space left on disk")
	// ErrLowDisk says that too little of the disk is free, so that no raw
	// tensor is written any more.
	ErrLowDisk = errors.New("raw tensors must leave more")
	// ErrGone says that the run's directory was removed while it was written.
	// What is appended still goes to files that have no name any more.
	ErrGone = errors.New("the run's directory was removed")
	// ErrClosed says that the writer was closed.
	ErrClosed = errors.New("run is closed")
)

// typed marks an error of the file system that means a full disk.
func typed(err error) error {
	if err != nil && vfs.IsNoSpace(err) && !errors.Is(err, ErrNoSpace) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}
