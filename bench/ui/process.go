//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which the kernel counts CPU time.
const tick = 10 * time.Millisecond

// tree are a process and its descendants.
func tree(root int) []int {
	children := map[int][]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(b, []byte(") "))
		fields := strings.Fields(string(rest))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || len(fields) < 2 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], pid)
	}
	list := []int{root}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}

// renderers are those of a browser's processes that draw pages.
func renderers(browser int) (list []int) {
	for _, pid := range tree(browser) {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && bytes.Contains(b, []byte("--type=renderer")) {
			list = append(list, pid)
		}
	}
	return list
}

// spent is the CPU time of processes so far.
func spent(pids ...int) (sum time.Duration) {
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(b, []byte(") "))
		if fields := strings.Fields(string(rest)); len(fields) > 12 {
			user, _ := strconv.Atoi(fields[11])
			system, _ := strconv.Atoi(fields[12])
			sum += time.Duration(user+system) * tick
		}
	}
	return sum
}

// memory is what processes hold in memory now, in MB: field is VmRSS, or VmHWM for
// the most they held.
func memory(field string, pids ...int) (sum float64) {
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(b), field+":")
		if fields := strings.Fields(rest); len(fields) > 0 {
			kb, _ := strconv.ParseFloat(fields[0], 64)
			sum += kb * 1024 / 1e6
		}
	}
	return sum
}

// load is how busy the machine is.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}
