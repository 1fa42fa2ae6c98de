package training

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Agent is the pid of the agent that a launcher started; 0 when there is none.
func Agent(launcher int) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		dir := filepath.Dir(path)
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !strings.Contains(string(args), "\x00agent\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && fields(pid)["PPid"] == int64(launcher) {
			return pid
		}
	}
	return 0
}

// Memory is what a process has of its own, in bytes: without the ring
// it shares with the training and without mapped files.
func Memory(pid int) int64 {
	if pid == 0 {
		return 0
	}
	return fields(pid)["RssAnon"] << 10
}

// fields reads the numbers of /proc/PID/status.
func fields(pid int) map[string]int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return nil
	}
	defer f.Close()
	out := map[string]int64{}
	for s := bufio.NewScanner(f); s.Scan(); {
		key, rest, _ := strings.Cut(s.Text(), ":")
		number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			out[key] = n
		}
	}
	return out
}
