package provenance

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Machine is this host, as far as it tells.
func Machine() *record.Machine {
	m := &record.Machine{OS: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU()}
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(b))
	}
	m.CPU = field("/proc/cpuinfo", "model name")
	if kb, _, ok := strings.Cut(field("/proc/meminfo", "MemTotal"), " "); ok {
		if n, err := strconv.ParseInt(kb, 10, 64); err == nil {
			m.Memory = n << 10
		}
	}
	return m
}

// field is the first value of a name in a file of lines "name : value".
func field(path, name string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return cut(strings.TrimSpace(v))
		}
	}
	return ""
}
