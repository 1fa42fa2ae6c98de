package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// entry is what is known of one run.
type entry struct {
	row     Row
	stamp   uint64
	newest  time.Time // of the times of its files
	settled bool
	over    bool       // the run is closed
	writers record.Run // the processes that write it, of one that is not over
	version uint64
	read    time.Time     // when the larger part of the row was read
	took    time.Duration // that reading
	behind  bool          // the larger part is older than the rest
}

// fresh tells that the larger part of a run that goes on need not be read again: that
// takes no more than its share of the time.
func (e *entry) fresh(x *Index, now time.Time) bool {
	return e != nil && e.row.detail != nil && x.o.Share > 0 && now.Sub(e.read).Seconds()*x.o.Share < e.took.Seconds()
}

// read makes the entry of a run.
func (x *Index) read(name string) (*entry, error) {
	path := filepath.Join(x.root, name)
	at := x.o.Now()
	s, err := stampOf(x.fs, path, true)
	var t *trial.Trial
	if err == nil {
		t, err = x.openRun(name)
	}
	if err != nil {
		if _, gone := stampOf(x.fs, path, false); errors.Is(gone, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		e := &entry{row: unread(x.root, name, err), stamp: s.open, newest: s.newest}
		return e, e.row.pack()
	}
	run := t.Run()
	x.keepOpen(name, t, run.Status == record.Running)
	e := &entry{row: rowOf(t, run, name), over: run.Over(), newest: s.newest, settled: s.settled(at), read: at}
	x.mu.Lock()
	old := x.entries[name]
	x.mu.Unlock()
	if run.Status == record.Running && old.fresh(x, at) {
		e.row.detail, e.read, e.took = old.row.detail, old.read, old.took
		e.behind, e.settled = true, false
	} else {
		began := time.Now()
		if err := e.row.readDetail(t, run); err != nil {
			return nil, err
		}
		e.took = time.Since(began)
	}
	e.row.damage(t)
	// A run that was removed meanwhile is none, however much of it was read.
	if _, err := stampOf(x.fs, path, false); err != nil {
		return nil, err
	}
	e.stamp = s.of(e.over)
	if !e.over {
		e.writers = record.Run{Host: run.Host, Launcher: run.Launcher, Agent: run.Agent}
		host, err := os.Hostname()
		e.row.Live = run.Status == record.Running && run.Control != "" && err == nil && host == run.Host
	}
	return e, nil
}

// mostOpen bounds the runs that are kept open.
const mostOpen = 32

// openRun opens a run, or gives the one that is kept open: to read it again costs
// what came since.
func (x *Index) openRun(name string) (*trial.Trial, error) {
	x.mu.Lock()
	t := x.open[name]
	x.mu.Unlock()
	if t != nil {
		return t, nil
	}
	return trial.OpenFS(x.fs, filepath.Join(x.root, name))
}

// keepOpen keeps a run open while it goes on.
func (x *Index) keepOpen(name string, t *trial.Trial, running bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, kept := x.open[name]; running && (kept || len(x.open) < mostOpen) {
		x.open[name] = t
		return
	}
	delete(x.open, name)
}

// unchanged is the version of the old entry when nothing that is shown is different.
func (e *entry) unchanged(now *entry) uint64 {
	if e == nil || !bytes.Equal(e.row.detail, now.row.detail) {
		return 0
	}
	a, errA := json.Marshal(e.row.Basic())
	b, errB := json.Marshal(now.row.Basic())
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return 0
	}
	return e.version
}
