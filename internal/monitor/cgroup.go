package monitor

import (
	"bytes"
	"path"
	"strings"
)

// groups are the cgroups of a process.
type groups struct {
	unified string            // its path in version 2; empty: it is in none
	by      map[string]string // its path by controller of version 1
}

// parseCgroup reads /proc/PID/cgroup.
func parseCgroup(b []byte) groups {
	g := groups{by: map[string]string{}}
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		id, rest, ok := bytes.Cut(l, []byte(":"))
		controllers, at, ok2 := bytes.Cut(rest, []byte(":"))
		if !ok || !ok2 || len(at) == 0 || at[0] != '/' {
			continue
		}
		if string(id) == "0" && len(controllers) == 0 {
			g.unified = string(at)
			continue
		}
		for _, c := range strings.Split(string(controllers), ",") {
			if c != "" && !strings.HasPrefix(c, "name=") {
				g.by[c] = string(at)
			}
		}
	}
	return g
}

// mount is where a hierarchy of cgroups is seen.
type mount struct {
	root string // what of the hierarchy is mounted there
	at   string
}

// mounts are those of /proc/self/mountinfo.
type mounts struct {
	unified mount
	by      map[string]mount
}

// parseMountinfo reads the mounts of cgroups out of /proc/self/mountinfo.
func parseMountinfo(b []byte) mounts {
	m := mounts{by: map[string]mount{}}
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		front, back, ok := bytes.Cut(l, []byte(" - "))
		if !ok {
			continue
		}
		f, t := strings.Fields(string(front)), strings.Fields(string(back))
		if len(f) < 5 || len(t) < 3 {
			continue
		}
		here := mount{unescape(f[3]), unescape(f[4])}
		switch t[0] {
		case "cgroup2":
			if m.unified.at == "" {
				m.unified = here
			}
		case "cgroup":
			for _, c := range strings.Split(t[2], ",") {
				if _, there := m.by[c]; !there {
					m.by[c] = here
				}
			}
		}
	}
	return m
}

// unescape gives back the characters that mountinfo writes as octal numbers.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// chain are the directories of a cgroup and of those above it, as far as they can
// be seen, the innermost first. Inside a container the path may be one of the
// host's, which is not there: then it is what is mounted.
func (m mount) chain(group string, exists func(dir string) bool) []string {
	if m.at == "" || group == "" {
		return nil
	}
	rest, below := strings.CutPrefix(group, strings.TrimSuffix(m.root, "/"))
	if !below || rest != "" && rest[0] != '/' {
		rest = "/"
	}
	dir := path.Join(m.at, path.Clean("/"+rest))
	if !exists(dir) {
		dir = m.at
	}
	var dirs []string
	for ; len(dirs) < 64; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == m.at || dir == "/" || dir == "." {
			break
		}
	}
	return dirs
}

// parseCPUMax reads cpu.max: how many cores' time a group may use; ok is false
// when it may use all.
func parseCPUMax(b []byte) (cores float64, ok bool) {
	quota, rest, ok := next(b)
	period, _, ok2 := next(rest)
	if !ok || !ok2 || period == 0 {
		return 0, false // "max 100000"
	}
	return float64(quota) / float64(period), true
}

// parseLimit reads a file with one number; ok is false for "max" and for what
// stands for no limit in version 1 (the largest number of whole pages).
func parseLimit(b []byte) (n uint64, ok bool) {
	n, _, ok = next(b)
	return n, ok && n < 1<<62
}

// throttling is what cpu.stat says of a group that has a limit.
type throttling struct {
	periods, throttled uint64
	seconds            float64 // that its threads waited, over all cores
}

// parseCPUStat reads cpu.stat of version 2, and of version 1.
func parseCPUStat(b []byte) (t throttling, ok bool) {
	keyed(b, func(key []byte, v uint64) {
		switch string(key) {
		case "nr_periods":
			t.periods, ok = v, true
		case "nr_throttled":
			t.throttled = v
		case "throttled_usec":
			t.seconds = float64(v) / 1e6
		case "throttled_time":
			t.seconds = float64(v) / 1e9
		}
	})
	return t, ok
}

// valueOf is the value of one key of a text of lines "key value".
func valueOf(b []byte, wanted string) (n uint64, ok bool) {
	keyed(b, func(key []byte, v uint64) {
		if !ok && string(key) == wanted {
			n, ok = v, true
		}
	})
	return n, ok
}
