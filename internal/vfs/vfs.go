// Package vfs is the file system below the local store. It is an interface so
// that tests can crash it, fill it up and make any operation fail; programs
// use OS.
package vfs

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// FS is what the store needs of a file system. Paths are those of the host.
//
// What is promised about loss of power is what POSIX promises and no more: the
// bytes of a file are safe after File.Sync, its name after SyncDir of the
// directory that holds it.
type FS interface {
	// Create makes a file for writing and empties one that is there.
	Create(name string) (File, error)
	// CreateOnce is Create for a file that is written once and that nobody is
	// about to read. Where the system can, pieces that lie in memory at, and
	// whose lengths are, multiples of Unit go to the disk past its cache, until
	// a piece does not. What is promised is the same.
	CreateOnce(name string) (File, error)
	// Append opens a file for writing at its end and makes it when missing.
	Append(name string) (File, error)
	// Open opens a file for reading.
	Open(name string) (File, error)
	// Mkdir makes one directory; an existing one is an error (fs.ErrExist).
	Mkdir(name string) error
	// MkdirAll makes a directory and those above it, and syncs every
	// directory in which it made an entry.
	MkdirAll(name string) error
	// Rename replaces newName atomically.
	Rename(oldName, newName string) error
	Remove(name string) error
	// List names the entries of a directory, sorted by name.
	List(dir string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
	// SyncDir makes the entries of a directory survive a loss of power.
	SyncDir(dir string) error
	// Uncache says that nobody is about to read a synced file, so that its
	// bytes need not take memory. Its content stays; where the system has no
	// such advice, nothing happens.
	Uncache(name string) error
	// Usage says how much room the disk that holds path has.
	Usage(path string) (Usage, error)
}

// Unit is what pieces written past the cache are multiples of, in bytes.
const Unit = 4096

// File is an open file. Reading and writing may go on at the same time from
// different handles.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	// Sync makes all bytes written so far survive a loss of power.
	Sync() error
	// Truncate cuts the file to size bytes.
	Truncate(size int64) error
	// Size is the length of the file now.
	Size() (int64, error)
}

// Usage is the room on a disk in bytes: Free is what this user may still take.
type Usage struct {
	Free, Total int64
}

// IsNoSpace reports whether an error means that the disk, or the user's quota
// on it, is full.
func IsNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota)
}
