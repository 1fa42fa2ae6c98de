//go:build !linux

package capture

import "time"

type link struct{}

// Dial fails: capture is not supported on this system yet.
func Dial(ClientOptions) (*Client, error) { return nil, errUnsupported }

// Say does nothing.
func (c *Client) Say(string, any) error { return errUnsupported }

// Wait does nothing.
func (c *Client) Wait(time.Duration) bool { return false }

// Reach does nothing.
func (c *Client) Reach(time.Duration) bool { return false }

// End does nothing.
func (c *Client) End() {}

// Close does nothing.
func (c *Client) Close() error { return nil }
