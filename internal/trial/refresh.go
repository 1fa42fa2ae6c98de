package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// series is what one worker stored, or the decisions: sealed chunks and the
// journals after them, all numbered.
type series struct {
	dir    string
	worker string
	chunks map[int]*sealed
	tails  map[int]*tail
	infos  infos
}

// tail is an unsealed journal, as far as it was read.
type tail struct {
	off       int64
	steps     []journal.Lazy
	decisions []*journal.Decision
	machine   journal.Machine
	times     []record.StepTime
	events    []record.Event
	dec       journal.Decoder
	clocks    map[drawingKey]*tailKnots // when they were needed
	places    byMode
	placed    int // steps that are in places
}

func sortedKeys[K int | string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// numbers are the numbers of chunks and journals, ascending.
func (s *series) numbers() []int {
	list := slices.AppendSeq(sortedKeys(s.chunks), maps.Keys(s.tails))
	slices.Sort(list)
	return list
}

// all lists the workers' series by name.
func (t *Trial) all() []*series {
	list := slices.Collect(maps.Values(t.series))
	sort.Slice(list, func(i, j int) bool { return list[i].worker < list[j].worker })
	return list
}

// allHosts lists the hosts' series by name.
func (t *Trial) allHosts() []*series {
	list := slices.Collect(maps.Values(t.hosts))
	sort.Slice(list, func(i, j int) bool { return list[i].worker < list[j].worker })
	return list
}

// everything are all series, those of hosts and the decisions included.
func (t *Trial) everything() []*series { return append(append(t.all(), t.allHosts()...), t.complete) }

// hidden reports whether a step was taken back when the run was rewound.
func (t *Trial) hidden(s *series, n int, mode record.Mode, modeStep int64) bool {
	for _, r := range t.rewound {
		if r.Hides(s.dir, n, mode, modeStep) {
			return true
		}
	}
	return false
}

// refreshQuietly is for answers that have no error: what cannot be read is
// named as damage.
func (t *Trial) refreshQuietly() {
	if err := t.refresh(); err != nil {
		t.hurt(".", "%v", err)
	}
}

// refresh takes in what was stored since the last call.
func (t *Trial) refresh() error {
	if t.final {
		t.readLabels()
		return nil
	}
	t.readRun()
	ended := t.run.Over()
	// The manifest decides whether a journal or its chunk counts. A journal
	// that is sealed and removed between the reading of the manifest and the
	// listing of the directory would be in neither, so the manifest is read
	// once more and everything again when it grew.
	for range 100 {
		if _, err := t.readManifest(); err != nil {
			return err
		}
		if err := t.readSeries(); err != nil {
			return err
		}
		grew, err := t.readManifest()
		if err != nil {
			return err
		}
		if !grew {
			break
		}
	}
	if t.run.Status == record.Lost && !ended {
		t.countSteps()
	}
	t.final = ended && !t.hasTails()
	return nil
}

// countSteps makes up for what run.json does not say: who wrote it from time to time
// was killed before he could write what came last.
func (t *Trial) countSteps() {
	steps := maps.Clone(t.run.Steps)
	if steps == nil {
		steps = map[string]int64{}
	}
	t.eachStep("", func(s *record.Step) {
		mode := s.Mode.String()
		steps[mode] = max(steps[mode], s.ModeStep+1)
	})
	t.run.Steps = steps
}

func (t *Trial) hasTails() bool {
	n := 0
	for _, s := range t.everything() {
		n += len(s.tails)
	}
	return n > 0
}

// read gives the bytes of a file from an offset on.
func (t *Trial) read(rel string, off int64) ([]byte, error) {
	f, err := t.fs.Open(t.at(rel))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil || size <= off {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, off, size-off))
}

// readRun reads run.json; when it is damaged what was read before stays.
func (t *Trial) readRun() {
	b, err := t.read(layout.RunFile, 0)
	if err == nil {
		b, err = lines.OpenDocument(b)
	}
	var run record.Run
	if err == nil {
		err = json.Unmarshal(b, &run)
	}
	if err != nil {
		t.hurt(layout.RunFile, "cannot be read: %v", err)
		if t.run.Name == "" {
			t.run = record.Run{Format: record.RunFormat, Name: filepath.Base(t.path), Status: record.Lost}
		}
		return
	}
	if run.Status == record.Running && gone(&run) {
		run.Status = record.Lost
	}
	t.run, t.labels.own = run, run.Mutes
	t.writeLabels()
	t.readLabels()
}

// readManifest takes in the manifest's new lines and says whether there were
// any.
func (t *Trial) readManifest() (grew bool, err error) {
	m := &t.manifest
	b, err := t.read(layout.Manifest, m.off)
	if errors.Is(err, fs.ErrNotExist) {
		t.hurt(layout.Manifest, "is missing")
		m.damaged = true
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the manifest: %w", err)
	}
	torn := manifest.Read(b, t.event, func(off int64) {
		t.hurt(layout.Manifest, "the line at byte %d does not match its checksum", m.off+off)
		m.damaged = true
	})
	m.off += int64(len(b) - torn)
	t.tail(layout.Manifest, int64(torn))
	if torn > 0 && t.run.Status != record.Running {
		m.damaged = true
	}
	return len(b) > torn, nil
}

func (t *Trial) event(e manifest.Event) {
	switch {
	case e.Worker != nil:
		t.manifest.workers[e.Worker.Dir] = e.Worker.Name
	case e.Sealed != nil:
		dir := path.Dir(e.Sealed.Journal)
		n, ok := layout.JournalNumber(path.Base(e.Sealed.Journal))
		if s := t.seriesAt(dir); ok && s != nil && s.chunks[n] == nil {
			c := &sealed{n: n, dir: dir, count: int(e.Sealed.Steps), span: e.Sealed.Span, tables: map[string]*table{}}
			for _, f := range e.Sealed.Files {
				if t.removed[f.Path] {
					continue
				}
				name, _, _ := layout.ChunkNumber(path.Base(f.Path))
				c.tables[name] = &table{entry: f}
			}
			s.chunks[n] = c
			delete(s.tails, n)
			t.tail(e.Sealed.Journal, 0)
		}
	case e.Raw != nil:
		t.raw[e.Raw.Path] = append(t.raw[e.Raw.Path], *e.Raw)
	case e.Profile != nil:
		t.profiles[e.Profile.Path] = *e.Profile
	case e.Removed != "":
		delete(t.raw, e.Removed)
		delete(t.traces, e.Removed)
		t.forget(e.Removed)
	case e.Trace != nil:
		t.traces[e.Trace.Path] = *e.Trace
	case e.Replaced != nil:
		l := append(t.replaced[e.Replaced.Path], *e.Replaced)
		t.replaced[e.Replaced.Path] = l[max(0, len(l)-8):]
	case e.Rewound != nil:
		if !e.Rewound.Done {
			t.rewound = append(t.rewound, e.Rewound)
		}
	case e.Damaged != nil:
		t.hurt(e.Damaged.File, "%s", e.Damaged.Reason)
	}
}

// seriesAt finds the series of a directory, or begins it.
func (t *Trial) seriesAt(dir string) *series {
	all := t.series
	if path.Dir(dir) == layout.SystemDir {
		all = t.hosts
	}
	s := all[dir]
	switch {
	case dir == layout.Complete:
		s = t.complete
	case path.Dir(dir) != layout.SeriesDir && path.Dir(dir) != layout.SystemDir:
		return nil
	case s == nil:
		s = &series{dir: dir}
		all[dir] = s
	}
	if s.chunks == nil {
		s.chunks, s.tails = map[int]*sealed{}, map[int]*tail{}
	}
	if dir != layout.Complete {
		name, ok := t.manifest.workers[dir]
		if !ok {
			name, _ = layout.Unescape(path.Base(dir))
		}
		s.worker = name
	}
	return s
}

// readSeries lists the directories and reads the journals on.
func (t *Trial) readSeries() error {
	dirs := []string{layout.Complete}
	for _, parent := range []string{layout.SystemDir, layout.SeriesDir} {
		list, err := t.fs.List(t.at(parent))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("list %q: %w", parent, err)
		}
		for _, e := range list {
			if e.IsDir() {
				dirs = append(dirs, path.Join(parent, e.Name()))
			}
		}
	}
	for _, dir := range dirs {
		list, err := t.fs.List(t.at(dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("list %q: %w", dir, err)
		}
		s := t.seriesAt(dir)
		if t.manifest.damaged {
			t.adopt(s)
		}
		for _, e := range list {
			n, ok := layout.JournalNumber(e.Name())
			if !ok || s.chunks[n] != nil {
				continue
			}
			if err := t.readTail(s, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// adopt takes in chunks that a damaged manifest does not name any more, from
// the copy of its lines that lies next to them.
func (t *Trial) adopt(s *series) {
	rel := path.Join(s.dir, layout.SealedCopy)
	b, err := t.read(rel, 0)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.hurt(rel, "%v", err)
		}
		return
	}
	manifest.Read(b, func(e manifest.Event) {
		if e.Sealed != nil && path.Dir(e.Sealed.Journal) == s.dir {
			t.event(e)
		}
	}, func(off int64) { t.hurt(rel, "the line at byte %d does not match its checksum", off) })
}

// readTail reads a journal on from where it was left.
func (t *Trial) readTail(s *series, n int) error {
	rel := path.Join(s.dir, layout.Journal(n))
	j := s.tails[n]
	if j == nil {
		j = &tail{}
		s.tails[n] = j
	}
	b, err := t.read(rel, j.off)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // sealed in this moment: the manifest says so next
	}
	if err != nil {
		return fmt.Errorf("read journal %q: %w", rel, err)
	}
	next, rest := journal.Scan(b, j.off, func(off int64, payload []byte) {
		steps, decision, err := j.dec.Decode(payload)
		switch {
		case err != nil:
			t.hurt(rel, "the record at byte %d: %v", off, err)
		case decision != nil:
			j.decisions = append(j.decisions, decision)
		case steps.Samples != nil:
			if err := j.machine.Add(steps.Samples); err != nil {
				t.hurt(rel, "the record at byte %d: %v", off, err)
			}
		case steps.Times != nil:
			j.times, j.events = append(j.times, steps.Times.Times...), append(j.events, steps.Times.Events...)
		default:
			j.steps = append(j.steps, steps.Steps...)
		}
	}, func(off, n int64) {
		t.hurt(rel, "%d bytes at byte %d do not match their checksum", n, off)
	})
	j.off = next
	t.tail(rel, rest.Bytes)
	return nil
}
