//go:build linux || darwin

package runs

import (
	"os"
	"os/user"
	"strconv"
	"sync"
	"syscall"
)

var owners sync.Map // by number

// owner is the name of whom a directory belongs to, or his number; "" where that
// cannot be known.
func owner(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	id := strconv.FormatUint(uint64(stat.Uid), 10)
	if name, known := owners.Load(id); known {
		return name.(string)
	}
	name := id
	if u, err := user.LookupId(id); err == nil {
		name = u.Username
	}
	owners.Store(id, name)
	return name
}
