//go:build !linux

package capture

import (
	"context"
	"time"
)

// RingBytes is the size of a ring; there is none here.
func RingBytes() int64 { return 0 }

// Listener is not there on this system.
type Listener struct{}

// Listen fails: capture is not supported on this system yet.
func Listen(string, Options) (*Listener, error) { return nil, errUnsupported }

// Inherit fails: capture is not supported on this system yet.
func Inherit(int, Options) (*Listener, error) { return nil, errUnsupported }

// Serve does nothing.
func (l *Listener) Serve(context.Context) error { return errUnsupported }

// Close does nothing.
func (l *Listener) Close() {}

type conn struct {
	split splitter
}

func (c *conn) fill(time.Duration) (bool, error) { return false, errUnsupported }
func (c *conn) write([]byte) error               { return errUnsupported }
func (c *conn) end()                             {}
