package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
)

// processes are those of the job, before anything was read: who trains, the
// descendants, and whoever was started below the run.
func (j *job) processes(trainers map[int]*worker) []stacks.Process {
	table := proc.Table()
	in := map[int]bool{}
	for pid := range trainers {
		in[pid] = true
	}
	for _, id := range proc.Carrying("VIGIL_SOCKET=" + j.set.Socket) {
		in[id.PID] = true
	}
	for pid := range table {
		for up, steps := pid, 0; up > 1 && steps < 64; up, steps = table[up].Parent, steps+1 {
			if in[up] {
				in[pid] = true
				break
			}
		}
	}
	list := []stacks.Process{}
	for pid := range in {
		line, there := table[pid]
		if !there || line.Zombie || proc.StartedByAgent(pid) {
			continue
		}
		p := stacks.Process{PID: pid, Parent: line.Parent, Kind: stacks.Other, Rank: -1, Name: processName(pid)}
		if w := trainers[pid]; w != nil {
			p.Kind, p.Worker, p.Rank = stacks.Rank, w.name, w.rank
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b stacks.Process) int {
		if a.Rank != b.Rank && a.Rank >= 0 && b.Rank >= 0 {
			return a.Rank - b.Rank
		}
		return a.PID - b.PID
	})
	return list
}

// stacksSuffix is what the file into which Python writes stacks is called, after the
// path of the socket.
const stacksSuffix = ".stacks"

// signaller makes processes write their stacks by SIGURG, which whoever does not
// catch it ignores. They all write into one file, so one is asked after another.
type signaller struct {
	path string
	file *os.File // nil: no process has made it
	info os.FileInfo
}

func newSignaller(socket string) *signaller {
	s := &signaller{path: socket + stacksSuffix}
	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return s
	}
	info, err := f.Stat()
	if err != nil || f.Truncate(0) != nil { // the writers append
		f.Close()
		return s
	}
	s.file, s.info = f, info
	return s
}

func (s *signaller) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// How long one process may take to react: its handler runs as soon as it leaves the
// kernel.
const (
	reactTime = 500 * time.Millisecond
	maxDump   = 4 << 20 // bytes
)

// read gives the threads of a process, none when it does not react. Only a process
// that holds our file open and catches the signal gets it: elsewhere it would mean
// something else.
func (s *signaller) read(pid int, until time.Time) []stacks.Thread {
	if s.file == nil || time.Now().After(until) || !s.holds(pid) || !readSignals(pid).catches() {
		return nil
	}
	from, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	blocked := map[int]bool{}
	for tid, m := range taskSignals(pid) {
		blocked[tid] = m.blocked&urgent != 0
	}
	if syscall.Kill(pid, syscall.SIGURG) != nil {
		return nil
	}
	end := time.Now().Add(reactTime)
	for done := false; !done && time.Now().Before(end); time.Sleep(time.Millisecond) {
		done = true
		for tid, m := range taskSignals(pid) {
			// While the handler runs its signal is blocked in its thread.
			if m.pending&urgent != 0 || m.blocked&urgent != 0 && !blocked[tid] {
				done = false
			}
		}
	}
	b, err := io.ReadAll(io.NewSectionReader(s.file, from, maxDump))
	if err != nil {
		return nil
	}
	return stacks.ParseFaulthandler(string(b))
}

// holds tells whether a process has our file open.
func (s *signaller) holds(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/fd/", pid)
	list, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range list {
		link, err := os.Readlink(dir + e.Name())
		if err != nil || !strings.HasSuffix(link, stacksSuffix) {
			continue
		}
		if info, err := os.Stat(dir + e.Name()); err == nil && os.SameFile(info, s.info) {
			return true
		}
	}
	return false
}

// urgent is SIGURG in a mask of signals.
const urgent = 1 << (uint(syscall.SIGURG) - 1)

// signals are masks of a process or thread.
type signals struct{ pending, blocked, caught uint64 }

func (m signals) catches() bool { return m.caught&urgent != 0 }

func readSignals(pid int) signals { return parseSignals(fmt.Sprintf("/proc/%d/status", pid)) }

// taskSignals are the masks of the threads of a process.
func taskSignals(pid int) map[int]signals {
	dir := fmt.Sprintf("/proc/%d/task/", pid)
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	all := map[int]signals{}
	for _, e := range list {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			all[tid] = parseSignals(dir + e.Name() + "/status")
		}
	}
	return all
}

func parseSignals(path string) (m signals) {
	b, err := os.ReadFile(path)
	if err != nil {
		return m
	}
	for line := range bytes.Lines(b) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		mask, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 16, 64)
		if err != nil {
			continue
		}
		switch string(key) {
		case "SigPnd", "ShdPnd":
			m.pending |= mask
		case "SigBlk":
			m.blocked = mask
		case "SigCgt":
			m.caught = mask
		}
	}
	return m
}

// processState says what a process does, as the kernel tells.
func processState(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "it has ended, or nobody may look"
	}
	i := bytes.LastIndexByte(b, ')')
	if i < 0 || i+2 >= len(b) {
		return "not known"
	}
	where := ""
	if w, err := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", pid)); err == nil && len(w) > 0 && string(w) != "0" {
		where = " (" + string(w) + ")"
	}
	switch b[i+2] {
	case 'R':
		return "running"
	case 'S':
		return "waiting" + where
	case 'D':
		return "waiting for a disk or a device" + where
	case 'T', 't':
		return "stopped by a signal"
	case 'Z', 'X':
		return "it has ended"
	}
	return "idle" + where
}
