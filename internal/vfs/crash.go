package vfs

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Crash is a file system in memory that can lose its power. It remembers for
// every file which bytes were synced and for every directory which entries
// were, and CrashClone gives one of the states that a disk may be in when the
// power comes back: every write since the last sync is kept, lost or torn,
// every new name is there or not.
//
// It can also be given a size, to be full.
type Crash struct {
	mu   sync.Mutex
	rng  *rand.Rand
	root *inode
	room int64 // bytes that may still be written; -1: no limit
	tick int64 // stands for modification times
}

// inode is a file or a directory.
type inode struct {
	dir     bool
	tick    int64
	data    []byte // what a reader sees
	durable []byte // what was there at the last sync
	pending []write

	entries map[string]*inode
	synced  map[string]*inode
	changes []change // of entries since the last sync, in order
}

// write is a change of a file's bytes; with cut set it is a truncation to off.
type write struct {
	off  int64
	data []byte
	cut  bool
}

// change is one change of a directory: names to set, nil to remove. A rename
// inside a directory is one change of two names, so that it is atomic.
type change map[string]*inode

// NewCrash makes an empty file system. All chance in its crashes comes from
// the seed.
func NewCrash(seed uint64) *Crash {
	return &Crash{rng: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), root: newDir(), room: -1}
}

func newDir() *inode {
	return &inode{dir: true, entries: map[string]*inode{}, synced: map[string]*inode{}}
}

// SetRoom lets n more bytes be written before the disk is full; -1 lifts the
// limit. What is removed or truncated gives no room back.
func (c *Crash) SetRoom(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room = n
}

func split(name string) []string {
	name = filepath.ToSlash(filepath.Clean(name))
	name = strings.TrimPrefix(name[len(filepath.VolumeName(name)):], "/")
	if name == "" || name == "." {
		return nil
	}
	return strings.Split(name, "/")
}

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// find looks a node up.
func (c *Crash) find(name string) (*inode, error) {
	n := c.root
	for _, p := range split(name) {
		if !n.dir {
			return nil, syscall.ENOTDIR
		}
		next, ok := n.entries[p]
		if !ok {
			return nil, fs.ErrNotExist
		}
		n = next
	}
	return n, nil
}

// parent finds the directory of a name and the name in it.
func (c *Crash) parent(name string) (*inode, string, error) {
	p := split(name)
	if len(p) == 0 {
		return nil, "", fs.ErrInvalid
	}
	last := p[len(p)-1]
	if len(last) > 255 {
		return nil, "", syscall.ENAMETOOLONG
	}
	d, err := c.find(strings.Join(p[:len(p)-1], "/"))
	if err == nil && !d.dir {
		err = syscall.ENOTDIR
	}
	return d, last, err
}

func (d *inode) set(ch change) {
	for name, n := range ch {
		if n == nil {
			delete(d.entries, name)
		} else {
			d.entries[name] = n
		}
	}
	d.changes = append(d.changes, ch)
}

func (c *Crash) open(op, name string, create, empty, appending bool) (File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, base, err := c.parent(name)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	n, ok := d.entries[base]
	switch {
	case !ok && !create:
		return nil, pathError(op, name, fs.ErrNotExist)
	case !ok:
		c.tick++
		n = &inode{tick: c.tick}
		d.set(change{base: n})
	case n.dir:
		return nil, pathError(op, name, syscall.EISDIR)
	case empty:
		c.truncate(n, 0)
	}
	return &crashFile{c: c, n: n, name: name, append: appending, write: create}, nil
}

// Create implements FS.
func (c *Crash) Create(name string) (File, error) { return c.open("open", name, true, true, false) }

// CreateOnce implements FS: past a cache or not, what was not synced may be lost.
func (c *Crash) CreateOnce(name string) (File, error) { return c.Create(name) }

// Append implements FS.
func (c *Crash) Append(name string) (File, error) { return c.open("open", name, true, false, true) }

// Open implements FS.
func (c *Crash) Open(name string) (File, error) { return c.open("open", name, false, false, false) }

// Mkdir implements FS.
func (c *Crash) Mkdir(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, base, err := c.parent(name)
	if err == nil && d.entries[base] != nil {
		err = fs.ErrExist
	}
	if err != nil {
		return pathError("mkdir", name, err)
	}
	d.set(change{base: newDir()})
	return nil
}

// MkdirAll implements FS.
func (c *Crash) MkdirAll(name string) error { return mkdirAll(c, name) }

// Rename implements FS.
func (c *Crash) Rename(oldName, newName string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, a, err := c.parent(oldName)
	if err != nil {
		return pathError("rename", oldName, err)
	}
	to, b, err := c.parent(newName)
	if err != nil {
		return pathError("rename", newName, err)
	}
	n := from.entries[a]
	if n == nil {
		return pathError("rename", oldName, fs.ErrNotExist)
	}
	if from == to {
		if a != b {
			from.set(change{a: nil, b: n})
		}
		return nil
	}
	to.set(change{b: n})
	from.set(change{a: nil})
	return nil
}

// Remove implements FS.
func (c *Crash) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, base, err := c.parent(name)
	if err == nil && d.entries[base] == nil {
		err = fs.ErrNotExist
	}
	if err == nil && len(d.entries[base].entries) > 0 {
		err = syscall.ENOTEMPTY
	}
	if err != nil {
		return pathError("remove", name, err)
	}
	d.set(change{base: nil})
	return nil
}

// List implements FS.
func (c *Crash) List(dir string) ([]fs.DirEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.find(dir)
	if err == nil && !d.dir {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, pathError("open", dir, err)
	}
	var list []fs.DirEntry
	for name, n := range d.entries {
		list = append(list, fs.FileInfoToDirEntry(n.info(name)))
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, nil
}

// Stat implements FS.
func (c *Crash) Stat(name string) (fs.FileInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.find(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n.info(filepath.Base(name)), nil
}

// SyncDir implements FS.
func (c *Crash) SyncDir(dir string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.find(dir)
	if err != nil {
		return pathError("sync", dir, err)
	}
	d.synced = make(map[string]*inode, len(d.entries))
	for name, n := range d.entries {
		d.synced[name] = n
	}
	d.changes = nil
	return nil
}

// Uncache implements FS: everything is memory.
func (c *Crash) Uncache(string) error { return nil }

// Usage implements FS: a disk of 1 GB, or what SetRoom says.
func (c *Crash) Usage(string) (Usage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.room < 0 {
		return Usage{Free: 1 << 29, Total: 1 << 30}, nil
	}
	return Usage{Free: c.room, Total: 1 << 30}, nil
}

func (n *inode) info(name string) fs.FileInfo {
	return crashInfo{name: name, size: int64(len(n.data)), dir: n.dir, tick: n.tick}
}

type crashInfo struct {
	name string
	size int64
	dir  bool
	tick int64
}

func (i crashInfo) Name() string       { return i.name }
func (i crashInfo) Size() int64        { return i.size }
func (i crashInfo) ModTime() time.Time { return time.Unix(i.tick, 0) }
func (i crashInfo) IsDir() bool        { return i.dir }
func (i crashInfo) Sys() any           { return nil }

func (i crashInfo) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o755
	}
	return 0o644
}
