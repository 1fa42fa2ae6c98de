package store

// cachedRaw is how many bytes of the raw tensors written last stay in the
// system's cache: rules read them soon after they were written, if ever.
const cachedRaw = 128 << 20

// cache is what may still be in memory of the raw files that were written.
type cache struct {
	files []cached // the newest last
	bytes int64
}

type cached struct {
	path  string
	bytes int64
}

// wrote notes a synced raw file and lets go of older ones. A training that
// stores gigabytes would else push its own data out of memory, file by file,
// for tensors that nobody reads; and pages that are taken again cost the system
// far less than new ones. It is advice: what fails costs nothing.
func (w *Writer) wrote(path string, bytes int64) {
	w.mu.Lock()
	c := &w.cached
	c.files = append(c.files, cached{path, bytes})
	c.bytes += bytes
	n := 0
	for c.bytes > cachedRaw && n < len(c.files)-1 {
		c.bytes -= c.files[n].bytes
		n++
	}
	old := append([]cached(nil), c.files[:n]...)
	c.files = append(c.files[:0], c.files[n:]...)
	w.mu.Unlock()
	for _, f := range old {
		_ = w.fs.Uncache(f.path)
	}
}
