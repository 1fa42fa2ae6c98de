//go:build !unix

package vfs

import "errors"

// errQuota matches nothing where quotas have no error of their own.
var errQuota = errors.New("disk quota exceeded")
