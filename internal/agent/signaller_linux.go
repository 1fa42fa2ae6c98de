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

	"github.com/vigil-ml/vigil/internal/profile/stacks"
)

// stacksSuffix is what the file into which Python writes stacks is called, after the
// path of the socket.
const stacksSuffix = ".stacks"

// signaller makes processes write their stacks by SIGURG, which whoever does not
// catch it ignores. They all write into one file, so one is asked after another, and
// what a process writes too late is not taken for that of the next.
type signaller struct {
	file *os.File // nil: no process has made it
	info os.FileInfo
	late []signalled // have not written yet
}

// signalled is a process that has been sent the signal.
type signalled struct {
	pid     int
	blocked map[int]bool // threads that blocked the signal before
}

// open begins a round of questions. Who was late in an earlier round may still write.
func (s *signaller) open(socket string) {
	f, err := os.OpenFile(socket+stacksSuffix, os.O_RDWR, 0)
	if err != nil {
		return
	}
	info, err := f.Stat()
	if err != nil || f.Truncate(0) != nil { // the writers append
		f.Close()
		return
	}
	s.file, s.info = f, info
}

func (s *signaller) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
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
	for range 2 {
		s.await()
		if threads, alone := s.ask(pid); alone {
			return threads
		}
	}
	return nil
}

// ask sends the signal to one process and gives what was written. alone is false when
// another one, asked before, wrote in the same time.
func (s *signaller) ask(pid int) (threads []stacks.Thread, alone bool) {
	from, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, true
	}
	asked := signalled{pid: pid, blocked: map[int]bool{}}
	for tid, m := range taskSignals(pid) {
		asked.blocked[tid] = m.blocked&urgent != 0
	}
	s.late = slices.DeleteFunc(s.late, func(l signalled) bool { return l.pid == pid }) // two pending signals are one
	if syscall.Kill(pid, syscall.SIGURG) != nil {
		return nil, true
	}
	for end := time.Now().Add(reactTime); !s.grown(from) || asked.state() != idle; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.late = append(s.late, asked)
			return nil, true
		}
	}
	b, err := io.ReadAll(io.NewSectionReader(s.file, from, maxDump))
	if err != nil {
		return nil, true
	}
	text := string(b)
	if !s.waiting() || stacks.Dumps(text) > 1 {
		return nil, false
	}
	return stacks.ParseFaulthandler(text), true
}

// grown reports whether something was written after from. Who has written nothing is
// not done: between taking a signal and blocking it the kernel shows neither.
func (s *signaller) grown(from int64) bool {
	end, err := s.file.Seek(0, io.SeekEnd)
	return err == nil && end > from
}

// await gives those that are writing the time to end.
func (s *signaller) await() {
	for end := time.Now().Add(reactTime); !s.waiting() && time.Now().Before(end); time.Sleep(time.Millisecond) {
		s.late = slices.DeleteFunc(s.late, func(l signalled) bool { return l.state() == idle })
	}
}

// waiting reports whether none of those who are late has begun to write.
func (s *signaller) waiting() bool {
	return !slices.ContainsFunc(s.late, func(l signalled) bool { return l.state() != pending })
}

// What a signal is to a process: in this order.
const (
	pending = iota // it has not reached the process
	handled        // the process writes
	idle           // the process has written, or has ended
)

func (p signalled) state() int {
	state := idle
	for tid, m := range taskSignals(p.pid) {
		if m.pending&urgent != 0 {
			return pending
		}
		// While the handler runs its signal is blocked in its thread.
		if m.blocked&urgent != 0 && !p.blocked[tid] {
			state = handled
		}
	}
	return state
}

// holds reports whether a process has our file open.
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
