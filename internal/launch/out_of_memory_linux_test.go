package launch

import (
	"os"
	"path/filepath"
	"testing"
)

// The count is that of our own control group where the kernel has one.
func TestGroupKills(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int64 // -1: not known
	}{
		{"version 2", map[string]string{"proc/self/cgroup": "0::/user/job\n", "sys/fs/cgroup/user/job/memory.events": "low 0\noom 3\noom_kill 2\n", "proc/vmstat": "oom_kill 9\n"}, 2},
		{"version 2 in a container that sees the host's path", map[string]string{"proc/self/cgroup": "0::/../../docker/x\n", "sys/fs/cgroup/memory.events": "oom_kill 1\n"}, 1},
		{"version 1", map[string]string{"proc/self/cgroup": "5:cpu:/x\n4:memory:/job\n0::/\n", "sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n"}, 7},
		{"version 1, an old kernel without the count", map[string]string{"proc/self/cgroup": "4:memory:/job\n", "sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n", "proc/vmstat": "pgfault 1\noom_kill 4\n"}, 4},
		{"no control groups", map[string]string{"proc/vmstat": "oom_kill 5\n"}, 5},
		{"nothing", nil, -1},
		{"no number", map[string]string{"proc/vmstat": "oom_kill x\n"}, -1},
	} {
		root := t.TempDir()
		for name, text := range tt.files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		n, ok := groupKills(root)()
		if !ok {
			n = -1
		}
		if n != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, n, tt.want)
		}
	}
}

// Only a kill at the end of the job is its end.
func TestKillsLately(t *testing.T) {
	for _, tt := range []struct {
		name  string
		known bool
		looks []int64 // the count at each look
		now   int64
		want  bool
	}{
		{"none", true, []int64{5, 5, 5}, 5, false},
		{"since the last look", true, []int64{5, 5, 5}, 6, true},
		{"just before the last look", true, []int64{5, 5, 6}, 6, true},
		{"long ago", true, []int64{5, 6, 6, 6}, 6, false},
		{"before the job", true, []int64{6}, 6, false},
		{"at once", true, []int64{6}, 7, true},
		{"not known", false, []int64{0}, 7, false},
	} {
		n := tt.looks[0]
		known := tt.known
		k := newOOMKills(func() (int64, bool) { return n, known })
		for _, n = range tt.looks[1:] {
			k.look()
		}
		n, known = tt.now, true
		if got := k.lately(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
