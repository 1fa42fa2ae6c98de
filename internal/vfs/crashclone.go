package vfs

import (
	"bytes"
	"math/rand/v2"
)

// sector is the unit in which a torn write may be partly on the disk.
const sector = 512

// CrashClone gives the file system as it may be after a loss of power now.
// The original is not changed and can be crashed again, with another outcome.
func (c *Crash) CrashClone() *Crash {
	c.mu.Lock()
	defer c.mu.Unlock()
	clone := &Crash{rng: rand.New(rand.NewPCG(c.rng.Uint64(), c.rng.Uint64())), room: -1, tick: c.tick}
	clone.root = c.lose(c.root, map[*inode]*inode{})
	return clone
}

// KillClone gives the file system as every other process sees it when the
// writing process is killed now: all that was written is there.
func (c *Crash) KillClone() *Crash {
	c.mu.Lock()
	defer c.mu.Unlock()
	clone := &Crash{rng: rand.New(rand.NewPCG(c.rng.Uint64(), c.rng.Uint64())), room: -1, tick: c.tick}
	clone.root = c.root.keep(map[*inode]*inode{})
	return clone
}

// keep copies a node with everything in it.
func (n *inode) keep(seen map[*inode]*inode) *inode {
	if m := seen[n]; m != nil {
		return m
	}
	m := &inode{dir: n.dir, tick: n.tick, data: bytes.Clone(n.data), durable: bytes.Clone(n.durable)}
	seen[n] = m
	m.pending = append([]write(nil), n.pending...)
	if n.dir {
		m.entries, m.synced = map[string]*inode{}, map[string]*inode{}
		for name, e := range n.entries {
			m.entries[name] = e.keep(seen)
		}
		for name, e := range n.synced {
			m.synced[name] = e.keep(seen)
		}
		for _, ch := range n.changes {
			d := change{}
			for name, e := range ch {
				if e != nil {
					e = e.keep(seen)
				}
				d[name] = e
			}
			m.changes = append(m.changes, d)
		}
	}
	return m
}

// lose copies a node as it may be after a loss of power; what is left is then
// all synced.
func (c *Crash) lose(n *inode, seen map[*inode]*inode) *inode {
	if m := seen[n]; m != nil {
		return m
	}
	m := &inode{dir: n.dir, tick: n.tick}
	seen[n] = m
	if !n.dir {
		m.data = bytes.Clone(n.durable)
		for _, w := range n.pending {
			if w, ok := c.tear(w); ok {
				m.data = w.apply(m.data)
			}
		}
		m.durable = bytes.Clone(m.data)
		return m
	}
	entries := map[string]*inode{}
	for name, e := range n.synced {
		entries[name] = e
	}
	for _, ch := range n.changes {
		if c.rng.IntN(2) == 0 {
			continue
		}
		for name, e := range ch {
			if e == nil {
				delete(entries, name)
			} else {
				entries[name] = e
			}
		}
	}
	m.entries, m.synced = map[string]*inode{}, map[string]*inode{}
	for _, name := range sortedNames(entries) {
		e := c.lose(entries[name], seen)
		m.entries[name], m.synced[name] = e, e
	}
	return m
}

// tear says what is left of a write that was not synced.
func (c *Crash) tear(w write) (write, bool) {
	switch p := c.rng.IntN(10); {
	case p < 4: // all of it
		return w, true
	case p < 7 || w.cut || len(w.data) == 0: // nothing
		return w, false
	case p < 9: // the first part
		return write{off: w.off, data: w.data[:c.rng.IntN(len(w.data))]}, true
	default: // some sectors, the others zero
		data := bytes.Clone(w.data)
		for i := 0; i < len(data); i += sector {
			if c.rng.IntN(2) == 0 {
				clear(data[i:min(i+sector, len(data))])
			}
		}
		return write{off: w.off, data: data}, true
	}
}
