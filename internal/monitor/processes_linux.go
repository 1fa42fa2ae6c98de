package monitor

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/proc"
)

const (
	mostRead     = 32   // processes besides trainers that are read for one sample; of more, these take turns
	mostChildren = 16   // of one trainer that have series of their own
	mostTrainers = 64   // likewise
	mostKnown    = 4096 // processes of a job that are followed
	mainLabel    = "main"
	ticksPerS    = 100 // USER_HZ, the same on all machines that we build for
	openFilesGap = 5 * time.Second
)

// process is one of the job.
type process struct {
	proc.ID
	up    *process // who started it, as far as known; it may have ended
	label string   // of a trainer, or main; else empty
	owner *process // the nearest labelled one above; nil: none
	of    string   // the owner's label when names were made
	slot  int      // its number among the owner's children; -1: it has none
	gone  bool
	names *processNames

	stat, status, io *file
	files            *directory

	read     time.Time // when last
	last     processStat
	lastIO   transfer
	lastSw   switches
	counted  time.Time // when its open files were
	unit     reading
	noIO     bool
	noFiles  bool
	noStatus bool
}

// reading is what the last read of a process gave; a value not known is negative.
type reading struct {
	cpu, rss, threads, files, read, written, waited, preempted, cores float64
}

var nothing = reading{-1, -1, -1, -1, -1, -1, -1, -1, -1}

type processNames struct {
	cpu, rss, threads, files, read, written, waited, preempted, cores, gpu string
	children, childrenCPU, childrenRSS, childrenRead, childrenWritten      string
}

func namesOf(prefix string) *processNames {
	return &processNames{
		prefix + "cpu_percent", prefix + "rss_bytes", prefix + "threads", prefix + "open_files", prefix + "read_per_s", prefix + "write_per_s",
		prefix + "waits_per_s", prefix + "preempted_per_s", prefix + "cores", prefix + "gpu_memory_bytes",
		prefix + "children", prefix + "children_cpu_percent", prefix + "children_rss_bytes", prefix + "children_read_per_s", prefix + "children_write_per_s",
	}
}

// processes is the family of the job's processes.
type processes struct {
	root     string
	real     bool // the kernel's own files
	launcher proc.ID
	self     int
	trainers func() []Trainer
	lacks    func(name, reason string)
	page     float64

	table    *directory
	members  map[int]*process
	order    []*process // by when they were seen first
	others   map[int]bool
	labels   []Trainer // as they were given last
	main     *process
	turn     int // who of those that take turns is next
	scanned  time.Time
	renewed  time.Time
	gap      time.Duration
	forks    uint64
	children map[*process]*sums
}

type sums struct{ n, cpu, rss, read, written, threads float64 }

func newProcesses(o Options, root string, self int, lacks func(name, reason string)) *processes {
	var st unix.Statfs_t
	real := unix.Statfs(root, &st) == nil && st.Type == unix.PROC_SUPER_MAGIC
	return &processes{
		root: root, real: real, launcher: o.Launcher, self: self, trainers: o.Trainers, lacks: lacks, page: float64(unix.Getpagesize()),
		table: newDirectory(root), members: map[int]*process{}, others: map[int]bool{}, children: map[*process]*sums{},
	}
}

// sample reads the job's processes. forks is the machine's count of them.
func (p *processes) sample(now time.Time, forks uint64, o *output) {
	p.relabel()
	p.readAll(now) // who has ended leaves its place to others
	if p.scanned.IsZero() || now.Sub(p.scanned) >= p.gap && (forks != p.forks || forks == 0) {
		began := time.Now()
		p.scan(now)
		p.scanned, p.forks = now, forks
		// Looking for new processes takes at most a five-hundredth of the time.
		p.gap = min(max(500*time.Since(began), time.Second/2), 30*time.Second)
	}
	p.readNew(now)
	p.write(o)
}

func (p *processes) path(pid int, name string) string {
	return p.root + "/" + strconv.Itoa(pid) + "/" + name
}

// scan looks for processes that are new. One that once was the job's stays so:
// whose parent ended is a child of the launcher, or of another.
func (p *processes) scan(now time.Time) {
	if now.Sub(p.renewed) > time.Minute { // a pid may have been given again
		clear(p.others)
		p.renewed = now
	}
	seen := make(map[int]bool, len(p.others)+len(p.members))
	found := map[int]processStat{}
	visible := p.launcher.PID == 0 || len(p.members) > 0
	err := p.table.numbers(func(n uint64) {
		pid := int(n)
		visible = visible || pid == p.launcher.PID
		if p.members[pid] != nil {
			return
		}
		if p.others[pid] {
			seen[pid] = true
			return
		}
		f := newFile(p.path(pid, "stat"), true)
		defer f.close()
		if b, err := f.read(); err == nil {
			if st, ok := parseProcessStat(b); ok {
				found[pid] = st
			}
		}
	})
	if err != nil {
		p.lacks("process", fmt.Sprintf("the list of processes cannot be read: %v", err))
		return
	}
	if !visible {
		p.lacks("process", p.root+" does not show the processes of the job (it may be mounted with hidepid)")
	}
	var pids []int
	for pid := range found {
		pids = append(pids, pid)
	}
	slices.SortFunc(pids, func(a, b int) int { // parents began before their children
		if found[a].start != found[b].start {
			if found[a].start < found[b].start {
				return -1
			}
			return 1
		}
		return a - b
	})
	for again := true; again; {
		again = false
		for _, pid := range pids {
			st, new := found[pid]
			if new && p.join(pid, st) {
				delete(found, pid)
				again = true
			}
		}
	}
	for pid := range found {
		seen[pid] = true
	}
	p.others = seen
}

// foreign tells a process that an agent started: its own helpers, left behind by
// one that was killed.
func (p *processes) foreign(pid int) bool { return p.real && proc.StartedByAgent(pid) }

// join takes a process in if it is the job's.
func (p *processes) join(pid int, st processStat) bool {
	parent := int(st.parent)
	up := p.members[parent]
	switch {
	case pid == p.self || st.zombie || len(p.members) >= mostKnown:
		return false
	case up != nil:
	case p.launcher.PID == 0 || parent != p.launcher.PID || p.foreign(pid):
		return false
	}
	p.add(pid, st, up)
	return true
}

func (p *processes) add(pid int, st processStat, up *process) *process {
	m := &process{ID: proc.ID{PID: pid, Start: st.start}, up: up, slot: -1, unit: nothing,
		stat: newFile(p.path(pid, "stat"), true), status: newFile(p.path(pid, "status"), true), io: newFile(p.path(pid, "io"), true),
		files: newDirectory(p.path(pid, "fd"))}
	p.members[pid] = m
	p.order = append(p.order, m)
	delete(p.others, pid)
	if p.main == nil && up == nil && p.launcher.PID != 0 {
		p.main = m
		p.label(m, mainLabel)
	} else {
		p.place(m)
	}
	return m
}

func (p *processes) label(m *process, label string) {
	m.label, m.owner, m.slot = label, nil, -1
	m.names = namesOf("process/" + label + "/")
}

// place finds the owner of a process, and its number among the owner's.
func (p *processes) place(m *process) {
	owner := (*process)(nil)
	for up := m.up; up != nil && owner == nil; up = up.up {
		if up.label != "" && !up.gone {
			owner = up
		}
	}
	if owner == nil {
		owner = p.main
	}
	switch {
	case m.label != "":
		return
	case owner == nil:
		m.owner, m.slot, m.names = nil, -1, nil
		return
	case m.owner == owner:
		if m.of != owner.label && m.slot >= 0 {
			m.named()
		}
		return
	}
	m.owner, m.slot, m.names = owner, -1, nil
	var taken [mostChildren]bool
	for _, o := range p.order {
		if o != m && o.owner == owner && o.slot >= 0 {
			taken[o.slot] = true
		}
	}
	if i := slices.Index(taken[:], false); i >= 0 {
		m.slot = i
		m.named()
	}
}

// named gives a child the names of its series.
func (m *process) named() {
	m.of = m.owner.label
	m.names = namesOf("process/" + m.of + "/child/" + strconv.Itoa(m.slot) + "/")
}

// relabel gives the trainers their names, where they have changed.
func (p *processes) relabel() {
	if p.trainers == nil {
		return
	}
	list := p.trainers()
	if len(list) > mostTrainers {
		p.lacks("process", fmt.Sprintf("only the first %d training processes have their own series", mostTrainers))
		list = list[:mostTrainers]
	}
	if slices.Equal(list, p.labels) {
		return
	}
	p.labels = append(p.labels[:0], list...)
	for _, m := range p.order {
		if m.label != "" && m != p.main {
			m.label, m.names = "", nil
		}
	}
	if p.main != nil {
		p.label(p.main, mainLabel)
	}
	for _, t := range list {
		m := p.members[t.PID]
		if m == nil {
			f := newFile(p.path(t.PID, "stat"), true)
			b, err := f.read()
			st, ok := parseProcessStat(b)
			f.close()
			if err != nil || !ok || st.zombie || t.Start != 0 && st.start != t.Start {
				continue // it has ended
			}
			m = p.add(t.PID, st, p.members[int(st.parent)])
			clear(p.others) // its children were seen before and were nobody's
			p.scanned = time.Time{}
		}
		if m.label == "" || m.label == mainLabel {
			p.label(m, t.Label)
		}
	}
	for _, m := range p.order {
		p.place(m)
	}
}

// readAll reads trainers, and of the others as many as there is time for.
func (p *processes) readAll(now time.Time) {
	others := 0
	for _, m := range p.order {
		if m.label == "" {
			others++
		}
	}
	first, n := 0, others
	if others > mostRead {
		first, n = p.turn%others, mostRead
		p.turn = (first + n) % others
	}
	gone, i := false, 0
	for _, m := range p.order {
		if m.label == "" {
			mine := (i - first + others) % others
			i++
			if mine >= n {
				continue
			}
		}
		if !p.readOne(m, now) {
			m.gone, gone = true, true
		}
	}
	if gone {
		p.leave()
	}
}

// readNew reads those that were found just now.
func (p *processes) readNew(now time.Time) {
	gone, n := false, 0
	for _, m := range slices.Backward(p.order) {
		if m.read.IsZero() && n < mostRead {
			n++
			if !p.readOne(m, now) {
				m.gone, gone = true, true
			}
		}
	}
	if gone {
		p.leave()
	}
}

// leave lets go of the processes that have ended. What they started stays the
// job's, under who is left.
func (p *processes) leave() {
	p.order = slices.DeleteFunc(p.order, func(m *process) bool {
		if m.gone {
			m.close()
			delete(p.members, m.PID)
		}
		return m.gone
	})
	if p.main != nil && p.main.gone {
		p.main = nil
		for _, m := range p.order {
			if m.label == "" && (m.up == nil || m.up.gone) {
				p.main = m
				p.label(m, mainLabel)
				break
			}
		}
	}
	for _, m := range p.order {
		p.place(m)
	}
}

// readOne reads a process; false when it has ended.
func (p *processes) readOne(m *process, now time.Time) bool {
	b, err := m.stat.read()
	if err != nil {
		if denied(err) {
			p.lacks("process", fmt.Sprintf("processes of the job cannot be read: %v", err))
			return true
		}
		return !errors.Is(err, unix.ESRCH) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errEmpty)
	}
	st, ok := parseProcessStat(b)
	if !ok || st.zombie || st.start != m.Start {
		return false
	}
	since := now.Sub(m.read).Seconds()
	known := !m.read.IsZero() && since > 0
	r := nothing
	r.rss, r.threads = float64(st.pages)*p.page, float64(st.threads)
	if known && st.ticks >= m.last.ticks {
		r.cpu = 100 * float64(st.ticks-m.last.ticks) / ticksPerS / since
	}
	if !m.noIO {
		if b, err := m.io.read(); denied(err) {
			m.noIO = true
			p.lacks("process/read_per_s", "no permission to see what processes of the job read and write (/proc/PID/io)")
		} else if t, ok := parseIO(b); err == nil && ok {
			if known && t.read >= m.lastIO.read && t.written >= m.lastIO.written {
				r.read, r.written = float64(t.read-m.lastIO.read)/since, float64(t.written-m.lastIO.written)/since
			}
			m.lastIO = t
		}
	}
	if !m.noStatus {
		if b, err := m.status.read(); denied(err) {
			m.noStatus = true
		} else if s, ok := parseSwitches(b); err == nil && ok {
			if known && s.waited >= m.lastSw.waited && s.preempted >= m.lastSw.preempted {
				r.waited, r.preempted = float64(s.waited-m.lastSw.waited)/since, float64(s.preempted-m.lastSw.preempted)/since
			}
			m.lastSw = s
		}
	}
	p.countFiles(m, now, &r)
	if m.label != "" {
		var set unix.CPUSet
		if p.real && unix.SchedGetaffinity(m.PID, &set) == nil {
			r.cores = float64(set.Count())
		}
	}
	m.last, m.read, m.unit = st, now, r
	return true
}

func (p *processes) countFiles(m *process, now time.Time, r *reading) {
	if m.noFiles {
		return
	}
	n, exact, err := m.files.count()
	switch {
	case denied(err):
		m.noFiles = true
		p.lacks("process/open_files", "no permission to count the open files of the job's processes (/proc/PID/fd)")
	case err != nil:
	case exact && p.real:
		r.files = float64(n)
	case now.Sub(m.counted) >= openFilesGap:
		m.counted = now
		n = 0
		if m.files.numbers(func(uint64) { n++ }) == nil {
			r.files = float64(n)
		}
	default:
		r.files = m.unit.files
	}
}

func (m *process) close() {
	m.stat.close()
	m.status.close()
	m.io.close()
	m.files.close()
}

// write adds what was read last of each, and sums.
func (p *processes) write(o *output) {
	if len(p.order) == 0 {
		return
	}
	var all sums
	clear(p.children)
	for _, m := range p.order {
		r := m.unit
		if m.names != nil {
			o.known(m.names.cpu, r.cpu)
			o.known(m.names.rss, r.rss)
			o.known(m.names.threads, r.threads)
			o.known(m.names.files, r.files)
			o.known(m.names.read, r.read)
			o.known(m.names.written, r.written)
			o.known(m.names.waited, r.waited)
			o.known(m.names.preempted, r.preempted)
			o.known(m.names.cores, r.cores)
		}
		all.take(r)
		if m.owner != nil {
			s := p.children[m.owner]
			if s == nil {
				s = &sums{}
				p.children[m.owner] = s
			}
			s.take(r)
		}
	}
	for _, m := range p.order {
		if m.label == "" {
			continue
		}
		s := p.children[m]
		if s == nil {
			o.add(m.names.children, 0)
			continue
		}
		o.add(m.names.children, s.n)
		o.add(m.names.childrenCPU, s.cpu)
		o.add(m.names.childrenRSS, s.rss)
		if !m.noIO {
			o.add(m.names.childrenRead, s.read)
			o.add(m.names.childrenWritten, s.written)
		}
	}
	o.add("job/processes", all.n)
	o.add("job/threads", all.threads)
	o.add("job/rss_bytes", all.rss)
	if o.since > 0 {
		o.add("job/cpu_percent", all.cpu)
	}
}

func (s *sums) take(r reading) {
	s.n++
	s.cpu += max(r.cpu, 0)
	s.rss += max(r.rss, 0)
	s.read += max(r.read, 0)
	s.written += max(r.written, 0)
	s.threads += max(r.threads, 0)
}

// known adds a value unless it is not known.
func (o *output) known(name string, v float64) {
	if v >= 0 {
		o.add(name, v)
	}
}

func (p *processes) close() {
	p.table.close()
	for _, m := range p.order {
		m.close()
	}
}

// first is the job's first process, whose cgroup is the job's; nil when there is
// none.
func (p *processes) first() *process {
	if p.main != nil {
		return p.main
	}
	if len(p.order) > 0 {
		return p.order[0]
	}
	return nil
}
