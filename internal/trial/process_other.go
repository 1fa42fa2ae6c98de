//go:build !linux

package trial

import "github.com/vigil-ml/vigil/internal/record"

// alive cannot tell here: runs are written on Linux only.
func alive(*record.Process) bool { return true }
