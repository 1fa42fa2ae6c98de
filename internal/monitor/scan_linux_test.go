package monitor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/prometheus/procfs"
)

// parsers are all that read a file of the kernel's.
var parsers = map[string]func(b []byte){
	"stat":       func(b []byte) { parseStat(b, &cores{}) },
	"meminfo":    func(b []byte) { parseMeminfo(b) },
	"vmstat":     func(b []byte) { parseVmstat(b) },
	"diskstats":  func(b []byte) { parseDiskstats(b, func([]byte, disk) {}) },
	"net/dev":    func(b []byte) { parseNetDev(b, func([]byte, traffic) {}) },
	"pid/stat":   func(b []byte) { parseProcessStat(b) },
	"pid/status": func(b []byte) { parseSwitches(b) },
	"pid/io":     func(b []byte) { parseIO(b) },
	"getdents":   func(b []byte) { entries(b, func(uint64) {}) },
}

// FuzzKernelFiles: no content of a file makes reading it fail otherwise than by
// leaving values out.
func FuzzKernelFiles(f *testing.F) {
	for _, pattern := range []string{"testdata/*/1/proc/*", "testdata/*/1/proc/*/*"} {
		files, _ := filepath.Glob(pattern)
		for _, name := range files {
			if b, err := os.ReadFile(name); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, parse := range parsers {
			parse(b)
		}
	})
}

// FuzzPressure: a file of pressure gives counters, or nothing.
func FuzzPressure(f *testing.F) {
	f.Add([]byte("some avg10=1.10 avg60=1.06 avg300=15.16 total=21070704400\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"))
	f.Add([]byte("some total=18446744073709551616"))
	f.Add([]byte("full total=1\nsome"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, ok := parsePressure(b); !ok && s.some != 0 {
			t.Errorf("%q: %+v without a reading", b, s)
		}
	})
}

// FuzzCgroup: limits are positive, and directories stay below the mount.
func FuzzCgroup(f *testing.F) {
	f.Add([]byte("12:cpu,cpuacct:/docker/abc\n0::/user.slice/job.scope\n"), []byte("60 50 0:27 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"), []byte("150000 100000\n"))
	f.Add([]byte("0::/../../x\n"), []byte("35 24 0:30 /.. /a\\040b rw - cgroup2 cgroup2 rw\n"), []byte("max 100000\n"))
	f.Fuzz(func(t *testing.T, group, info, limit []byte) {
		g, m := parseCgroup(group), parseMountinfo(info)
		for _, c := range [][]string{m.unified.chain(g.unified, everywhere), m.by["cpu"].chain(g.by["cpu"], everywhere)} {
			for _, dir := range c {
				at := m.unified.at
				if !slices.Contains(m.unified.chain(g.unified, everywhere), dir) {
					at = m.by["cpu"].at
				}
				if rel, err := filepath.Rel(filepath.Clean(at), dir); err == nil && (rel == ".." || len(rel) > 2 && rel[:3] == "../") {
					t.Errorf("%q is not below %q", dir, at)
				}
			}
		}
		if n, ok := parseCPUMax(limit); ok && n < 0 {
			t.Errorf("%q is %v cores", limit, n)
		}
		parseLimit(limit)
		parseCPUStat(limit)
		valueOf(limit, "oom_kill")
	})
}

func everywhere(string) bool { return true }

// Where limits are looked for.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		name  string
		mount mount
		group string
		there []string // nil: everything
		want  []string
	}{
		{"a service", mount{"/", "/sys/fs/cgroup"}, "/a/b", nil, []string{"/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"}},
		{"the root", mount{"/", "/sys/fs/cgroup"}, "/", nil, []string{"/sys/fs/cgroup"}},
		{"a container that sees its own", mount{"/docker/x", "/sys/fs/cgroup"}, "/docker/x", nil, []string{"/sys/fs/cgroup"}},
		{"below a container", mount{"/docker/x", "/sys/fs/cgroup"}, "/docker/x/y", nil, []string{"/sys/fs/cgroup/y", "/sys/fs/cgroup"}},
		{"a name that begins alike", mount{"/docker/x", "/cg"}, "/docker/xy", nil, []string{"/cg"}},
		{"a container with a name of the host", mount{"/", "/cg"}, "/host/only", []string{"/cg"}, []string{"/cg"}},
		{"above the mount", mount{"/", "/cg"}, "/../../etc", nil, []string{"/cg/etc", "/cg"}},
		{"no cgroups", mount{}, "/a", nil, nil},
		{"in no group", mount{"/", "/cg"}, "", nil, nil},
	} {
		exists := func(dir string) bool { return c.there == nil || slices.Contains(c.there, dir) }
		if got := c.mount.chain(c.group, exists); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Pressure of this machine as procfs reads it, where the kernel tells it.
func TestPressureAsProcfsReadsIt(t *testing.T) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		t.Skip(err)
	}
	for _, resource := range []string{"cpu", "memory", "io"} {
		before, err := fs.PSIStatsForResource(resource)
		if err != nil || before.Some == nil {
			t.Skip("the kernel does not tell pressure: ", err)
		}
		b, err := os.ReadFile("/proc/pressure/" + resource)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := parsePressure(b)
		after, err := fs.PSIStatsForResource(resource)
		if err != nil {
			t.Fatal(err)
		}
		if !ok || got.some < before.Some.Total || got.some > after.Some.Total {
			t.Errorf("%s: %+v is not between %d and %d", resource, got, before.Some.Total, after.Some.Total)
		}
	}
}

// Numbers that do not fit, and lines that end too early, are none.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]struct {
		n  uint64
		ok bool
	}{
		"0": {0, true}, "18446744073709551615": {1<<64 - 1, true}, "18446744073709551616": {0, false}, "99999999999999999999": {0, false},
		"": {0, false}, "-1": {0, false}, "12x": {0, false}, "007": {7, true},
	} {
		if n, ok := number([]byte(text)); ok != want.ok || ok && n != want.n {
			t.Errorf("%q is %d, %v; want %d, %v", text, n, ok, want.n, want.ok)
		}
	}
}
