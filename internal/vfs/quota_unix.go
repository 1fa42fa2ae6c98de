//go:build unix

package vfs

import "syscall"

var errQuota error = syscall.EDQUOT
