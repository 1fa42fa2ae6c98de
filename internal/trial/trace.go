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
// worker first.
func (t *Trial) Traces(worker string) []TraceFile {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	var list []TraceFile
	for _, rel := range sortedKeys(t.traces) {
		dir := path.Dir(rel)
		name, ok := t.manifest.workers[path.Join(layout.SeriesDir, path.Base(dir))]
		if !ok {
			name, _ = layout.Unescape(path.Base(dir))
		}
		if worker == "" || worker == name {
			list = append(list, TraceFile{Worker: name, Path: rel, Bytes: t.traces[rel].Bytes})
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
