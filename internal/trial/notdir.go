package trial

import "syscall"

var errNotDir error = syscall.ENOTDIR
