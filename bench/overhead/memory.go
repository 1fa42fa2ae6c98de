package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// agentMemory watches the agent that a process starts and remembers the most
// memory it had of its own, in bytes: anonymous pages, without the ring it
// shares with the training and without mapped files.
type agentMemory struct {
	mu   sync.Mutex
	peak int64
	done chan struct{}
}

func watchAgent(launcher int) *agentMemory {
	m := &agentMemory{done: make(chan struct{})}
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-m.done:
				return
			case <-tick.C:
				m.look(launcher)
			}
		}
	}()
	return m
}

// stop ends the watch and gives the peak.
func (m *agentMemory) stop() int64 {
	close(m.done)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.peak
}

func (m *agentMemory) look(launcher int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		dir := filepath.Dir(path)
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !strings.Contains(string(args), "\x00agent\x00") {
			continue
		}
		status := fields(filepath.Join(dir, "status"))
		if status["PPid"] != int64(launcher) {
			continue
		}
		m.mu.Lock()
		m.peak = max(m.peak, status["RssAnon"]<<10)
		m.mu.Unlock()
	}
}

// fields reads the numbers of /proc/PID/status.
func fields(path string) map[string]int64 {
	f, err := os.Open(path)
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
