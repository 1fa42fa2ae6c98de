package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lookGap is how often limits are looked for again: they can be changed while the
// job runs.
const lookGap = 5 * time.Second

// cgroup is the family of the limits of the job's cgroup.
type cgroup struct {
	root   string // of /proc
	pid    int
	lacks  func(name, reason string)
	looked time.Time

	cores    float64 // allowed; 0: no limit
	quota    string  // the directory of that limit
	cpuStat  *file
	before   throttling
	known    bool
	memory   uint64 // allowed; 0: no limit
	usage    *file
	memStat  *file
	inactive string // what in it counts files that can be given back
	kills    *file
	killKey  string
}

// look finds the limits that hold for a process: of each kind the lowest among its
// cgroup and those above.
func (c *cgroup) look(pid int, now time.Time) {
	if pid == c.pid && now.Sub(c.looked) < lookGap {
		return
	}
	c.pid, c.looked = pid, now
	group, err := os.ReadFile(fmt.Sprintf("%s/%d/cgroup", c.root, pid))
	if err != nil {
		return // it has ended, or there are no cgroups
	}
	info, err := os.ReadFile(c.root + "/self/mountinfo")
	if err != nil {
		c.lacks("cgroup", fmt.Sprintf("the mounts of cgroups cannot be read: %v", err))
		return
	}
	g, m := parseCgroup(group), parseMountinfo(info)
	exists := func(dir string) bool { st, err := os.Stat(dir); return err == nil && st.IsDir() }
	unified := m.unified.chain(g.unified, exists)
	c.lookCPU(append(limits(unified, "cpu.max", cpuMax), limits(m.by["cpu"].chain(g.by["cpu"], exists), "cpu.cfs_quota_us", cpuQuota)...))
	c.lookMemory(
		limits(unified, "memory.max", memoryMax),
		limits(m.by["memory"].chain(g.by["memory"], exists), "memory.limit_in_bytes", memoryMax))
}

// limit is one that a directory sets.
type limit struct {
	dir   string
	value float64
}

func limits(dirs []string, name string, read func(dir string, b []byte) (float64, bool)) []limit {
	var out []limit
	for _, dir := range dirs {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			if v, ok := read(dir, b); ok {
				out = append(out, limit{dir, v})
			}
		}
	}
	return out
}

func cpuMax(_ string, b []byte) (float64, bool) { return parseCPUMax(b) }

func cpuQuota(dir string, quota []byte) (float64, bool) {
	period, err := os.ReadFile(filepath.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return 0, false
	}
	q, _, ok := next(quota) // -1: no limit
	p, _, ok2 := next(period)
	if !ok || !ok2 || p == 0 {
		return 0, false
	}
	return float64(q) / float64(p), true
}

func memoryMax(_ string, b []byte) (float64, bool) {
	n, ok := parseLimit(b)
	return float64(n), ok
}

func lowest(list []limit) (l limit) {
	for i, x := range list {
		if i == 0 || x.value < l.value {
			l = x
		}
	}
	return l
}

func (c *cgroup) lookCPU(list []limit) {
	l := lowest(list)
	if c.cores = l.value; l.dir == c.quota {
		return
	}
	c.cpuStat.close()
	c.quota, c.cpuStat, c.known = l.dir, nil, false
	if l.dir != "" {
		c.cpuStat = newFile(filepath.Join(l.dir, "cpu.stat"), true)
	}
}

func (c *cgroup) lookMemory(two, one []limit) {
	l, key, usage, kills := lowest(two), "inactive_file", "memory.current", "memory.events"
	if l.dir == "" {
		l, key, usage, kills = lowest(one), "total_inactive_file", "memory.usage_in_bytes", "memory.oom_control"
	}
	c.memory = uint64(l.value)
	c.inactive, c.killKey = key, "oom_kill"
	if l.dir == "" || c.usage != nil && c.usage.path == filepath.Join(l.dir, usage) {
		if l.dir == "" {
			c.closeMemory()
		}
		return
	}
	c.closeMemory()
	c.usage, c.memStat, c.kills = newFile(filepath.Join(l.dir, usage), true), newFile(filepath.Join(l.dir, "memory.stat"), true), newFile(filepath.Join(l.dir, kills), true)
}

func (c *cgroup) closeMemory() {
	c.usage.close()
	c.memStat.close()
	c.kills.close()
	c.usage, c.memStat, c.kills = nil, nil, nil
}

// sample adds the limits, and how they hold the job back.
func (c *cgroup) sample(pid int, now time.Time, o *output) {
	c.look(pid, now)
	if c.cores > 0 {
		o.add("cgroup/cpu_limit_cores", c.cores)
	}
	if c.cpuStat != nil {
		if b, err := c.cpuStat.read(); err == nil {
			if t, ok := parseCPUStat(b); ok {
				if c.known && o.since > 0 && t.periods >= c.before.periods && t.throttled >= c.before.throttled && t.seconds >= c.before.seconds {
					periods := float64(t.periods - c.before.periods)
					if periods == 0 { // nobody wanted to run
						o.add("cgroup/throttled_percent", 0)
					}
					o.percent("cgroup/throttled_percent", float64(t.throttled-c.before.throttled), periods)
					o.add("cgroup/throttled_cores", (t.seconds-c.before.seconds)/o.since)
				}
				c.before, c.known = t, true
			}
		}
	}
	if c.memory == 0 || c.usage == nil {
		return
	}
	o.add("cgroup/memory_limit_bytes", float64(c.memory))
	if b, err := c.usage.read(); err == nil {
		if used, _, ok := next(b); ok {
			// Files that were read fill the limit without doing harm: what of
			// them can be given back at once does not count.
			if b, err := c.memStat.read(); err == nil {
				if n, ok := valueOf(b, c.inactive); ok && n <= used {
					used -= n
				}
			}
			o.add("cgroup/memory_used_bytes", float64(used))
			o.percent("cgroup/memory_used_percent", float64(used), float64(c.memory))
		}
	}
	if b, err := c.kills.read(); err == nil {
		if n, ok := valueOf(b, c.killKey); ok {
			o.add("cgroup/oom_kills", float64(n))
		}
	}
}

func (c *cgroup) close() {
	c.cpuStat.close()
	c.closeMemory()
}
