package capture

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	maxRing = int64(4) << 30
	minRing = int64(64) << 20
)

// RingBytes is the size of a ring that suits the machine: a quarter of the
// memory that is free, or of what the control group allows, at most 4 GiB. It
// is virtual; what is used follows the plan.
func RingBytes() int64 {
	n := maxRing
	if avail, ok := available(); ok {
		n = min(n, avail/4)
	}
	if limit, ok := groupLimit("/sys/fs/cgroup", "/proc/self/cgroup"); ok {
		n = min(n, limit/4)
	}
	return max(n, minRing) &^ 4095
}

func available() (int64, bool) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		f := strings.Fields(sc.Text())
		if len(f) >= 2 && f[0] == "MemAvailable:" {
			kb, err := strconv.ParseInt(f[1], 10, 64)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// groupLimit is the lowest memory limit of the control groups this process is
// in, versions 1 and 2.
func groupLimit(root, self string) (limit int64, ok bool) {
	b, err := os.ReadFile(self)
	if err != nil {
		return 0, false
	}
	take := func(file string) {
		b, err := os.ReadFile(file)
		if err != nil {
			return
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
		if err == nil && n > 0 && n < 1<<60 && (!ok || n < limit) {
			limit, ok = n, true
		}
	}
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		parts := strings.SplitN(sc.Text(), ":", 3)
		if len(parts) != 3 {
			continue
		}
		dir, name := "", ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			dir, name = root, "memory.max"
		case parts[1] == "memory":
			dir, name = filepath.Join(root, "memory"), "memory.limit_in_bytes"
		default:
			continue
		}
		for path := parts[2]; ; path = filepath.Dir(path) {
			take(filepath.Join(dir, path, name))
			if path == "/" || path == "." {
				break
			}
		}
	}
	return limit, ok
}
