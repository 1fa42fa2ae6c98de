package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// table is a made-up list of processes.
type table struct {
	t    *testing.T
	root string
	jobs Options
}

func newTable(t *testing.T) *table {
	t.Helper()
	root, err := os.MkdirTemp("/dev/shm", "") // in memory, as the kernel's own files are
	if err != nil {
		root = t.TempDir()
	} else {
		t.Cleanup(func() { os.RemoveAll(root) })
	}
	p := &table{t: t, root: root}
	p.jobs = Options{Launcher: proc.ID{PID: launcherPID}, Proc: p.root, Sys: t.TempDir()}
	p.put(launcherPID, 1, 100, 0)
	return p
}

// put makes a process, or changes it.
func (p *table) put(pid, parent, start, ticks int) {
	p.t.Helper()
	dir := filepath.Join(p.root, fmt.Sprint(pid))
	if err := os.MkdirAll(filepath.Join(dir, "fd"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	for name, text := range map[string]string{
		"stat":   fmt.Sprintf("%d (python) S %d 1 1 0 -1 0 0 0 0 0 %d 0 0 0 20 0 3 0 %d 1 1000 1\n", pid, parent, ticks, start),
		"status": "Name:\tpython\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n",
		"io":     "read_bytes: 0\nwrite_bytes: 0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}

// end removes a process; who has its files open reads nothing from them any more.
func (p *table) end(pid int) {
	p.t.Helper()
	dir := filepath.Join(p.root, fmt.Sprint(pid))
	for _, name := range []string{"stat", "status", "io"} {
		if err := os.Truncate(filepath.Join(dir, name), 0); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		p.t.Fatal(err)
	}
}

// processSeries are those of processes in a sample, without the figures that every
// process of a table has.
func processSeries(s record.Sample) []string {
	var names []string
	for _, v := range s.Values {
		if strings.HasPrefix(v.Name, "process/") && (strings.HasSuffix(v.Name, "/rss_bytes") || strings.HasSuffix(v.Name, "/children")) {
			names = append(names, fmt.Sprintf("%s=%g", strings.TrimPrefix(v.Name, "process/"), v.Value))
		}
	}
	slices.Sort(names)
	return names
}

func value(t *testing.T, s record.Sample, name string) float64 {
	t.Helper()
	for _, v := range s.Values {
		if v.Name == name {
			return v.Value
		}
	}
	t.Fatalf("%s is not in %+v", name, s.Values)
	return 0
}

func has(s record.Sample, name string) bool {
	return slices.ContainsFunc(s.Values, func(v record.Scalar) bool { return v.Name == name })
}

// The life of a job: its command is known before it trains, two ranks come, a rank
// starts loader workers, who end and are replaced; other processes are not the job's.
func TestProcessesOfAJob(t *testing.T) {
	p := newTable(t)
	var trainers []Trainer
	p.jobs.Trainers = func() []Trainer { return trainers }
	s := New(p.jobs)
	defer s.Close()
	s.processes.self, s.processes.page = agentPID, 1
	now := time.Now()
	sample := func() []string {
		now = now.Add(time.Minute) // longer than new processes are looked for
		return processSeries(s.Sample(now))
	}
	const command, rank0, rank1, worker, next, stranger = launcherPID + 10, launcherPID + 11, launcherPID + 12, launcherPID + 13, launcherPID + 14, launcherPID + 15
	p.put(agentPID, launcherPID, 101, 0)
	p.put(stranger, 1, 102, 0)
	p.put(stranger+1, agentPID, 103, 0)
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"nothing has started", func() {}, nil},
		{"the command", func() { p.put(command, launcherPID, 110, 0) }, []string{"main/children=0", "main/rss_bytes=1000"}},
		{"it starts two processes", func() { p.put(rank0, command, 111, 0); p.put(rank1, command, 112, 0) },
			[]string{"main/child/0/rss_bytes=1000", "main/child/1/rss_bytes=1000", "main/children=2", "main/rss_bytes=1000"}},
		{"which are ranks", func() {
			trainers = []Trainer{{proc.ID{PID: rank0}, "0"}, {proc.ID{PID: rank1}, "1"}}
		}, []string{"0/children=0", "0/rss_bytes=1000", "1/children=0", "1/rss_bytes=1000", "main/children=0", "main/rss_bytes=1000"}},
		{"one of them loads", func() { p.put(worker, rank1, 113, 0) },
			[]string{"0/children=0", "0/rss_bytes=1000", "1/child/0/rss_bytes=1000", "1/children=1", "1/rss_bytes=1000", "main/children=0", "main/rss_bytes=1000"}},
		{"the loader is started anew", func() { p.end(worker); p.put(next, rank1, 114, 0) },
			[]string{"0/children=0", "0/rss_bytes=1000", "1/child/0/rss_bytes=1000", "1/children=1", "1/rss_bytes=1000", "main/children=0", "main/rss_bytes=1000"}},
		{"a rank is none any more and ends, its worker is the launcher's child now", func() {
			trainers = trainers[:1]
			p.end(rank1)
			p.put(next, launcherPID, 114, 0)
		}, []string{"0/children=0", "0/rss_bytes=1000", "main/child/1/rss_bytes=1000", "main/children=1", "main/rss_bytes=1000"}},
		{"the command is killed", func() { p.end(command) }, []string{"0/children=0", "0/rss_bytes=1000", "main/children=0", "main/rss_bytes=1000"}},
		{"all have ended", func() { trainers = nil; p.end(rank0); p.end(next) }, nil},
	} {
		step.do()
		sample() // it is found
		if got := sample(); !slices.Equal(got, step.want) {
			t.Errorf("%s:\n got %q\nwant %q", step.name, got, step.want)
		}
	}
}

// A command that trains itself is the rank, with all that it started before.
func TestTheCommandTrains(t *testing.T) {
	p := newTable(t)
	var trainers []Trainer
	p.jobs.Trainers = func() []Trainer { return trainers }
	p.put(trainerPID, launcherPID, 110, 0)
	p.put(workerPID, trainerPID, 111, 0)
	s := New(p.jobs)
	defer s.Close()
	now := time.Now()
	if got := s.Sample(now); !has(got, "process/main/child/0/threads") {
		t.Errorf("before it trains: %+v", got.Values)
	}
	trainers = []Trainer{{proc.ID{PID: trainerPID, Start: 110}, "0"}}
	got := s.Sample(now.Add(time.Second))
	if !has(got, "process/0/threads") || !has(got, "process/0/child/0/threads") || value(t, got, "process/0/children") != 1 {
		t.Errorf("when it trains: %+v", got.Values)
	}
	for _, v := range got.Values {
		if strings.HasPrefix(v.Name, "process/main/") {
			t.Errorf("when it trains there is still %s", v.Name)
		}
	}
}

// Without a launcher (a script that brings its own agent) the trainers and what
// they start are the job. A trainer whose pid another process has is not there.
func TestProcessesWithoutLauncher(t *testing.T) {
	p := newTable(t)
	p.jobs.Launcher = proc.ID{}
	p.jobs.Trainers = func() []Trainer {
		return []Trainer{{proc.ID{PID: trainerPID, Start: 110}, "0"}, {proc.ID{PID: launcherPID, Start: 999}, "1"}}
	}
	p.put(trainerPID, 1, 110, 0)
	p.put(workerPID, trainerPID, 111, 0)
	s := New(p.jobs)
	defer s.Close()
	s.processes.page = 1
	now := time.Now()
	s.Sample(now)
	want := []string{"0/child/0/rss_bytes=1000", "0/children=1", "0/rss_bytes=1000"}
	if got := processSeries(s.Sample(now.Add(time.Minute))); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of 500 loader workers the first have series of their own, a few are read at a
// time, and the sums are those of all.
func TestManyWorkers(t *testing.T) {
	const workers = 500
	p := newTable(t)
	p.jobs.Trainers = func() []Trainer { return []Trainer{{proc.ID{PID: trainerPID}, "0"}} }
	p.put(trainerPID, launcherPID, 110, 0)
	for i := range workers {
		p.put(launcherPID+1000+i, trainerPID, 200+i, 0)
	}
	s := New(p.jobs)
	defer s.Close()
	s.processes.page = 1
	began := time.Now()
	now := began
	next := func() record.Sample {
		now = now.Add(time.Second)
		return s.Sample(now)
	}
	next()
	for range workers / mostRead {
		next()
	}
	read := 0
	for _, m := range s.processes.order {
		if !m.read.IsZero() {
			read++
		}
	}
	if read != workers+1 {
		t.Errorf("%d of %d processes were read", read, workers+1)
	}
	before := map[int]time.Time{}
	for _, m := range s.processes.order {
		before[m.PID] = m.read
	}
	got := next()
	read = 0
	for _, m := range s.processes.order {
		if !m.read.Equal(before[m.PID]) {
			read++
		}
	}
	if read != mostRead+1 {
		t.Errorf("%d processes were read for one sample, want %d and the trainer", read, mostRead)
	}
	if n := value(t, got, "process/0/children"); n != workers {
		t.Errorf("there are %v children, want %d", n, workers)
	}
	if n := value(t, got, "process/0/children_rss_bytes"); n != workers*1000 {
		t.Errorf("they have %v bytes, want %d", n, workers*1000)
	}
	named := 0
	for _, v := range got.Values {
		if strings.Contains(v.Name, "/child/") && strings.HasSuffix(v.Name, "/threads") {
			named++
		}
	}
	if named != mostChildren || len(got.Values) > 300 {
		t.Errorf("%d of them have series of their own, want %d; there are %d values", named, mostChildren, len(got.Values))
	}
}

// A process that ends between two of its files leaves out what was not read, and
// the others are sampled.
func TestProcessEndsInMidSample(t *testing.T) {
	p := newTable(t)
	p.jobs.Trainers = func() []Trainer { return []Trainer{{proc.ID{PID: trainerPID}, "0"}} }
	p.put(trainerPID, launcherPID, 110, 0)
	p.put(workerPID, trainerPID, 111, 0)
	s := New(p.jobs)
	defer s.Close()
	now := time.Now()
	s.Sample(now)
	for _, name := range []string{"status", "io"} {
		if err := os.Truncate(filepath.Join(p.root, fmt.Sprint(workerPID), name), 0); err != nil {
			t.Fatal(err)
		}
	}
	got := s.Sample(now.Add(time.Second))
	if !has(got, "process/0/child/0/rss_bytes") || has(got, "process/0/child/0/waits_per_s") || has(got, "process/0/child/0/read_per_s") || !has(got, "process/0/read_per_s") {
		t.Errorf("a process of which only the first file could be read: %+v", got.Values)
	}
	p.put(workerPID, trainerPID, 999, 0) // another one has its pid
	if got := s.Sample(now.Add(2 * time.Second)); has(got, "process/0/child/0/cpu_percent") {
		t.Errorf("a later process of the same pid is taken for it: %+v", got.Values)
	}
	p.end(trainerPID)
	p.end(workerPID)
	got = s.Sample(now.Add(3 * time.Second))
	if has(got, "process/0/rss_bytes") || has(got, "job/processes") {
		t.Errorf("after all have ended: %+v", got.Values)
	}
}

// A clock that is set back, or forward, changes neither the order of samples nor
// the rates, and the shift is known.
func TestClock(t *testing.T) {
	var c clock
	began := time.Now()
	first, since := c.at(began)
	if since != 0 || !first.Equal(began) {
		t.Errorf("the first sample is %v, %v after nothing", first, since)
	}
	// A time without a monotonic reading is what a wall clock says.
	back := began.Round(0).Add(-time.Hour)
	at, since := c.at(back)
	if at.Before(first) || since != 0 {
		t.Errorf("an hour back: %v after %v, %v s", at, first, since)
	}
	if c.shift != -time.Hour {
		t.Errorf("the shift is %v", c.shift)
	}
	at, since = c.at(began.Add(time.Second))
	if at.Sub(first) != time.Second || since != 1 || c.shift != 0 {
		t.Errorf("a second later: %v, %v s, shift %v", at.Sub(first), since, c.shift)
	}
}
