package server

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/store/layout"
)

// stamp tells from the sizes and times of a run's files whether anything was stored
// since it was looked at last. That costs some twenty calls of the system and reads
// nothing.
type stamp struct {
	dir   string
	seen  map[string]mark
	lists map[string]listed // what lies in a directory, while its time stays
}

type mark struct {
	size int64
	at   time.Time
}

type listed struct {
	at    time.Time
	names []string
}

// changed says which parts of a run are not as they were.
type changed struct{ any, findings, rules bool }

func newStamp(dir string) *stamp {
	return &stamp{dir: dir, seen: map[string]mark{}, lists: map[string]listed{}}
}

// look compares, and remembers. The first time everything is new.
func (s *stamp) look() (c changed) {
	for _, name := range []string{layout.RunFile, layout.Manifest, layout.Labels, layout.Statuses, layout.Summary} {
		if s.differs(name) {
			c.any = true
			c.rules = c.rules || name == layout.Statuses
			c.findings = c.findings || name == layout.Summary
		}
	}
	for _, name := range s.list(layout.Findings) {
		if strings.HasSuffix(name, ".jsonl") && s.differs(filepath.Join(layout.Findings, name)) {
			c.any, c.findings = true, true
		}
	}
	c.any = s.journals(layout.Complete) || c.any
	for _, of := range []string{layout.SeriesDir, layout.SystemDir} {
		for _, worker := range s.list(of) {
			c.any = s.journals(filepath.Join(of, worker)) || c.any
		}
	}
	return c
}

// journals reports whether a journal of a directory has grown.
func (s *stamp) journals(dir string) (grew bool) {
	for _, name := range s.list(dir) {
		if _, ok := layout.JournalNumber(name); ok && s.differs(filepath.Join(dir, name)) {
			grew = true
		}
	}
	return grew
}

// differs reports whether a file is not as it was.
func (s *stamp) differs(name string) bool {
	now := mark{size: -1}
	if info, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
		now = mark{info.Size(), info.ModTime()}
	}
	old, known := s.seen[name]
	s.seen[name] = now
	return !known || old != now
}

// list is what lies in a directory.
func (s *stamp) list(dir string) []string {
	path := filepath.Join(s.dir, dir)
	info, err := os.Stat(path)
	if err != nil {
		delete(s.lists, dir)
		return nil
	}
	// The time of a directory that was changed just now may stay the same once more.
	if l, ok := s.lists[dir]; ok && l.at.Equal(info.ModTime()) && time.Since(l.at) > 2*time.Second {
		return l.names
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	l := listed{at: info.ModTime()}
	for _, e := range entries {
		if _, chunk, _ := layout.ChunkNumber(e.Name()); chunk == 0 {
			l.names = append(l.names, e.Name())
		}
	}
	s.lists[dir] = l
	return l.names
}
