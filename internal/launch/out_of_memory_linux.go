package launch

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// oomKills counts processes that the kernel killed for lack of memory: those of
// our control group, or of the whole machine where the group does not tell. It
// is looked at now and then, so that a job that dies is not told to have died
// of what happened hours ago.
type oomKills struct {
	read func() (int64, bool)
	kept [2]int64 // the counts at the last two looks
	ok   bool
}

// oomEvery is the time between two looks.
const oomEvery = 2 * time.Second

func newOOMKills(read func() (int64, bool)) *oomKills {
	k := &oomKills{read: read}
	var n int64
	n, k.ok = read()
	k.kept = [2]int64{n, n}
	return k
}

// look is called every oomEvery.
func (k *oomKills) look() {
	if n, ok := k.read(); ok && k.ok {
		k.kept = [2]int64{k.kept[1], n}
	}
}

// lately reports whether there was a kill since the look before the last one.
func (k *oomKills) lately() bool {
	n, ok := k.read()
	return ok && k.ok && n > k.kept[0]
}

// groupKills reads the count of the control group that we are in, version 2 or
// 1, else that of the machine. root is "/".
func groupKills(root string) func() (int64, bool) {
	for _, file := range append(groupFiles(root), filepath.Join(root, "proc/vmstat")) {
		if _, ok := field(file, "oom_kill"); ok {
			return func() (int64, bool) { return field(file, "oom_kill") }
		}
	}
	return func() (int64, bool) { return 0, false }
}

// groupFiles are where the count of our control group may be. In a container the
// path that the kernel gives may be that of the host, and the group itself is at
// the root.
func groupFiles(root string) []string {
	b, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil
	}
	mount := filepath.Join(root, "sys/fs/cgroup")
	var files []string
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) < 3:
		case parts[0] == "0" && parts[1] == "":
			for _, dir := range []string{mount, filepath.Join(mount, "unified")} {
				files = append(files, filepath.Join(dir, parts[2], "memory.events"), filepath.Join(dir, "memory.events"))
			}
		case parts[1] == "memory":
			dir := filepath.Join(mount, "memory")
			files = append(files, filepath.Join(dir, parts[2], "memory.oom_control"), filepath.Join(dir, "memory.oom_control"))
		}
	}
	return files
}

// field reads one number of a file with a name and a number in each line.
func field(file, name string) (int64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		if key, value, ok := strings.Cut(sc.Text(), " "); ok && key == name {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
