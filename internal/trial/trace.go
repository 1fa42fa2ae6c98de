package trial

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// TraceFile is a stored file of single steps in detail.
type TraceFile struct {
	Worker string
	Path   string // in the run
	Bytes  int64
}

// Traces are the files of detail of a worker (empty: of all), the oldest of each
// worker first: those that the manifest lists, and those that are there without a
// line, which gzip's own checksum covers.
func (t *Trial) Traces(worker string) []TraceFile {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	files := map[string]int64{}
	for rel, f := range t.traces {
		files[rel] = f.Bytes
	}
	t.walkTraces(func(rel string, bytes int64) {
		if _, listed := files[rel]; !listed {
			files[rel] = bytes
		}
	})
	var list []TraceFile
	for _, rel := range sortedKeys(files) {
		dir := path.Dir(rel)
		name, ok := t.manifest.workers[path.Join(layout.SeriesDir, path.Base(dir))]
		if !ok {
			name, _ = layout.Unescape(path.Base(dir))
		}
		if worker == "" || worker == name {
			list = append(list, TraceFile{Worker: name, Path: rel, Bytes: files[rel]})
		}
	}
	number := func(f TraceFile) int { n, _ := layout.TraceNumber(path.Base(f.Path)); return n }
	slices.SortStableFunc(list, func(a, b TraceFile) int {
		if c := strings.Compare(a.Worker, b.Worker); c != 0 {
			return c
		}
		return number(a) - number(b)
	})
	return list
}

// walkTraces visits the files of detail that are there.
func (t *Trial) walkTraces(visit func(rel string, bytes int64)) {
	workers, err := t.fs.List(t.at(layout.TraceDir))
	if err != nil {
		return // no detail was stored
	}
	for _, worker := range workers {
		dir := path.Join(layout.TraceDir, worker.Name())
		files, err := t.fs.List(t.at(dir))
		if err != nil {
			continue
		}
		for _, e := range files {
			if info, err := e.Info(); err == nil {
				if _, ok := layout.TraceNumber(e.Name()); ok {
					visit(path.Join(dir, e.Name()), info.Size())
				}
			}
		}
	}
}

// Trace reads a file of detail: Chrome's trace events as JSON.
func (t *Trial) Trace(f TraceFile) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, err := t.trace(f.Path)
	if err != nil {
		t.hurtBy(f.Path, err)
		return nil, fmt.Errorf("read trace %q: %w", f.Path, err)
	}
	return b, nil
}

func (t *Trial) trace(rel string) ([]byte, error) {
	entry, listed := t.traces[rel]
	b, err := t.read(rel, 0)
	if err != nil {
		return nil, err
	}
	if listed {
		if err := manifest.NewChecked(entry, bytes.NewReader(b)).Verify(int64(len(b))); err != nil {
			return nil, err
		}
	}
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}
