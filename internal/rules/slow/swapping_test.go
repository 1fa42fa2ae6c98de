package slow_test

import (
	"maps"
	"strings"
	"testing"
)

func TestSwapping(t *testing.T) {
	// A job that does not fit: 8 GB are in use.
	bad := map[string]float64{"swap/in_per_s": 80e6, "swap/out_per_s": 60e6, "psi/memory": 50, "process/0/read_per_s": 50e6, "process/0/children_read_per_s": 20e6, "job/rss_bytes": 6e9}
	for _, c := range []struct {
		name string
		but  map[string]float64
		want string // "" or how the finding begins
	}{
		{"the job's memory comes and goes", nil, "warning 0.50 0.0 The job's memory is moved to swap and back, 80 MB a second: processes wait for it 50 % of the time."},
		{"in the job's cgroup", map[string]float64{"job/rss_bytes": 1e9, "cgroup/memory_used_percent": 99}, "warning 0.50 0.0 "},
		{"a little", map[string]float64{"psi/memory": 12}, "info 0.12 0.0 "},
		{"it is the disk that is waited for", map[string]float64{"psi/memory": 4, "psi/io": 40, "disk/vda/read_per_s": 80e6, "disk/vda/write_per_s": 60e6}, "warning 0.40 0.0 "},
		{"swap is in use, and lies there", map[string]float64{"swap/used_bytes": 4e9, "swap/in_per_s": 0, "swap/out_per_s": 0, "psi/memory": 0}, ""},
		{"what is moved out is not needed again", map[string]float64{"swap/in_per_s": 0, "psi/memory": 20}, ""},
		{"the disk is waited for, but for files", map[string]float64{"psi/memory": 4, "psi/io": 40, "disk/vda/read_per_s": 800e6, "disk/vda/write_per_s": 60e6}, ""},
		{"nobody waits", map[string]float64{"psi/memory": 3}, ""},
		{"it is not counted who waits", map[string]float64{"psi/memory": 0}, ""},
		{"most of what is read are files", map[string]float64{"process/0/read_per_s": 980e6}, ""},
		{"another process swaps", map[string]float64{"process/0/read_per_s": 1e3, "process/0/children_read_per_s": 0}, ""},
		{"another process fills the memory while the job reads data", map[string]float64{"job/rss_bytes": 1e9}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			values := maps.Clone(bad)
			maps.Copy(values, c.but)
			got := saidBy(t, "swapping", training{parts: computing, seconds: 95, cores: 2, used: 0.5, series: func(float64) map[string]float64 { return values }})
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
