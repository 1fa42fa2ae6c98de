package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/proc"
)

func TestJob(t *testing.T) {
	table := map[int]proc.Process{}
	for _, p := range []struct {
		pid, parent int
		start       uint64
		zombie      bool
	}{
		{1, 0, 1, false},
		{10, 1, 5, false},   // the launcher
		{11, 10, 6, false},  // the agent
		{12, 11, 7, false},  // what the agent runs
		{20, 10, 8, false},  // the command
		{21, 20, 9, false},  // its child
		{22, 21, 10, true},  // a zombie
		{30, 10, 11, false}, // an orphan of the job
		{31, 30, 12, false}, // its child
		{40, 10, 13, false}, // an orphan of the agent
		{50, 1, 14, false},  // somebody else's
	} {
		table[p.pid] = proc.Process{ID: proc.ID{PID: p.pid, Start: p.start}, Parent: p.parent, Zombie: p.zombie}
	}
	got := job(table, 10, 20, 11, func(pid int) bool { return pid == 40 })
	slices.SortFunc(got, func(a, b proc.ID) int { return a.PID - b.PID })
	want := []proc.ID{{PID: 20, Start: 8}, {PID: 21, Start: 9}, {PID: 30, Start: 11}, {PID: 31, Start: 12}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("processes of the job (-want +got):\n%s", d)
	}
}

// family plays processes that die of some signals.
type family struct {
	living map[int]map[syscall.Signal]bool // signals that end it
	born   map[int]int                     // a child that appears when its parent dies
	sent   []syscall.Signal
}

func (f *family) members() (out []proc.ID) {
	for pid := range f.living {
		out = append(out, proc.ID{PID: pid})
	}
	return out
}

func (f *family) kill(pid int, s syscall.Signal) {
	f.sent = append(f.sent, s)
	if f.living[pid][s] {
		delete(f.living, pid)
		if c := f.born[pid]; c != 0 {
			f.living[c] = map[syscall.Signal]bool{syscall.SIGKILL: true}
		}
	}
}

func TestStopper(t *testing.T) {
	term := map[syscall.Signal]bool{syscall.SIGTERM: true, syscall.SIGKILL: true}
	deaf := map[syscall.Signal]bool{syscall.SIGKILL: true}
	for _, c := range []struct {
		name  string
		f     family
		force bool
	}{
		{"none", family{}, false},
		{"obedient", family{living: map[int]map[syscall.Signal]bool{1: term, 2: term}}, false},
		{"deaf", family{living: map[int]map[syscall.Signal]bool{1: term, 2: deaf}}, true},
		{"one that leaves a child", family{living: map[int]map[syscall.Signal]bool{1: term}, born: map[int]int{1: 2}}, true},
	} {
		s := stopper{members: c.f.members, kill: c.f.kill, grace: 30 * time.Millisecond, poll: time.Millisecond}
		if !s.run() || len(c.f.living) > 0 {
			t.Errorf("%s: some are left: %v", c.name, c.f.living)
		}
		if got := slices.Contains(c.f.sent, syscall.SIGKILL); got != c.force {
			t.Errorf("%s: SIGKILL was sent: %v, want %v", c.name, got, c.force)
		}
	}
}

func TestSocketDirectory(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/no/such/directory")
	long := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	l, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(l.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory of the socket: %v, %v", info, err)
	}
	if len(l.path) > maxSocketPath {
		t.Errorf("path %q is too long", l.path)
	}
	l.close()
	if _, err := os.Stat(l.dir); !os.IsNotExist(err) {
		t.Errorf("the directory %q is left", l.dir)
	}
}
