//go:build !unix

package vfs

import "syscall"

var errNotDir error = syscall.ENOTDIR

// SyncDir does nothing: these systems write directory entries through.
func (osFS) SyncDir(string) error { return nil }

// usage does not know: it reports an empty disk of unlimited size, so that
// nothing is refused for want of room.
func usage(string) (Usage, error) { return Usage{Free: 1 << 62, Total: 1 << 62}, nil }
