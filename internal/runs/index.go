package runs

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Options of an Index. The zero value is what a server takes.
type Options struct {
	Fresh    time.Duration    // for how long what was seen is not looked at again; 0: a second
	Patience time.Duration    // how long List reads runs before it leaves the rest for later; 0: 0.3 s
	Share    float64          // of a core that reads values of a run that goes on; 0: 0.02, below 0: as often as it changes
	Now      func() time.Time // nil: time.Now
	Links    bool             // also runs that symbolic links outside of the root lead to
}

// Index lists the runs below a root. Its methods may be called from several
// goroutines; several processes may have an index of the same root.
type Index struct {
	fs   vfs.FS
	root string
	o    Options
	stop context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	scanning sync.Mutex // held by who looks at the root
	loaded   bool       // the file was read
	scanned  time.Time
	wrong    error // why the root cannot be read
	file     file

	mu      sync.Mutex
	entries map[string]*entry
	open    map[string]*trial.Trial // runs that go on
	pending []string                // runs to be read, the newest ones last
	waiting map[string]bool
	of      int // that were to be read when the building began
	builder bool
	version uint64
	gone    []gone
	lost    uint64 // changes up to this version are not remembered
	dirty   bool   // the file lacks rows
}

type gone struct {
	name    string
	version uint64
}

// Building is how far the reading of runs has come that are not in the index yet.
type Building struct {
	Done int `json:"done"`
	Of   int `json:"of"`
}

// Listing is the runs below a root, newest first.
type Listing struct {
	Rows     []Row
	Building *Building // nil: all runs are there
	Version  uint64    // for Changes
}

// Changes is what is different since a version.
type Changes struct {
	Rows     []Row
	Gone     []string // names of runs
	Building *Building
	Version  uint64
	All      bool // so much is different, or so long ago, that Rows are all runs
}

// Open opens the index of a root. Neither the root nor its index need be there.
func Open(fsys vfs.FS, root string, o Options) *Index {
	if o.Fresh == 0 {
		o.Fresh = time.Second
	}
	if o.Patience == 0 {
		o.Patience = 300 * time.Millisecond
	}
	if o.Share == 0 {
		o.Share = 0.02
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	x := &Index{fs: fsys, root: root, o: o, entries: map[string]*entry{}, open: map[string]*trial.Trial{}, waiting: map[string]bool{}}
	x.stop, x.end = context.WithCancel(context.Background())
	x.file = file{fs: fsys, dir: filepath.Join(root, Dir)}
	return x
}

// Close waits for what is being read and writes the index.
func (x *Index) Close() error {
	x.end()
	x.work.Wait()
	x.scanning.Lock()
	defer x.scanning.Unlock()
	x.mu.Lock()
	clear(x.open)
	x.mu.Unlock()
	x.save()
	return nil
}

// List gives the rows that are ready; the others are read meanwhile. A root that
// does not exist has no runs; one that cannot be read is an error.
func (x *Index) List() (Listing, error) {
	if err := x.look(false); err != nil {
		return Listing{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return Listing{Rows: x.rows(0), Building: x.building(), Version: x.version}, nil
}

// All is List when every run was read.
func (x *Index) All(ctx context.Context) (Listing, error) {
	for {
		l, err := x.List()
		if err != nil || l.Building == nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return l, ctx.Err()
		case <-x.stop.Done():
			return l, fs.ErrClosed
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Changes gives what is different since a version of a Listing or of Changes.
func (x *Index) Changes(since uint64) (Changes, error) {
	if err := x.look(false); err != nil {
		return Changes{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c := Changes{Building: x.building(), Version: x.version, All: since < x.lost || since > x.version}
	if c.All {
		since = 0
	}
	c.Rows = x.rows(since)
	for _, g := range x.gone {
		if _, back := x.entries[g.name]; g.version > since && !c.All && !back {
			c.Gone = append(c.Gone, g.name)
		}
	}
	return c, nil
}

// Row is one run as its files are now. fs.ErrNotExist when there is no run of this name.
func (x *Index) Row(name string) (Row, error) {
	if !proper(name) || !x.within(name, fs.ModeSymlink) {
		return Row{}, &fs.PathError{Op: "find run", Path: name, Err: fs.ErrNotExist}
	}
	x.mu.Lock()
	e := x.entries[name]
	x.mu.Unlock()
	if !x.holds(name, e) {
		var err error
		e, err = x.read(name)
		x.put(name, e, err)
		if err != nil {
			return Row{}, err
		}
	}
	row := e.row
	row.now(x.o.Now())
	return row, nil
}

// holds reports whether an entry is what a run's files say, beyond doubt.
func (x *Index) holds(name string, e *entry) bool {
	if e == nil || !e.settled {
		return false
	}
	_, _, differs := x.differs(name, e)
	return !differs
}

// proper tells a name that a run below the root may have.
func proper(name string) bool {
	return name != "" && name != "." && name != Dir && !strings.ContainsAny(name, "/\\\x00") && filepath.IsLocal(name)
}

// rows are the runs that changed since a version, newest first.
func (x *Index) rows(since uint64) []Row {
	now := x.o.Now()
	list := make([]Row, 0, len(x.entries))
	for _, e := range x.entries {
		if e.version > since {
			list = append(list, e.row)
			list[len(list)-1].now(now)
		}
	}
	slices.SortFunc(list, func(a, b Row) int {
		if d := b.Started.Compare(a.Started); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

func (x *Index) building() *Building {
	if len(x.waiting) == 0 {
		return nil
	}
	return &Building{Done: x.of - len(x.waiting), Of: x.of}
}

// mostGone bounds the names that are remembered of runs that went.
const mostGone = 1000

// put takes over what was read of a run; an error says that it is gone.
func (x *Index) put(name string, e *entry, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.waiting, name)
	old := x.entries[name]
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && old != nil {
			x.drop(name)
		}
		return
	}
	if e.version = old.unchanged(e); e.version == 0 {
		x.version++
		e.version = x.version
	}
	x.dirty = x.dirty || e.settled && (old == nil || !old.settled || old.stamp != e.stamp)
	x.entries[name] = e
}

// drop forgets a run that is gone.
func (x *Index) drop(name string) {
	x.version++
	x.dirty = x.dirty || x.entries[name].settled
	delete(x.entries, name)
	delete(x.open, name)
	if x.gone = append(x.gone, gone{name, x.version}); len(x.gone) > mostGone {
		x.lost = x.gone[0].version
		x.gone = x.gone[1:]
	}
}
