package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// traceBytes is the most that single steps in detail take on disk. The oldest
// files go first.
const traceBytes = 64 << 20

// traces are the files of detail of a run.
type traces struct {
	mu    sync.Mutex       // held while a file is written or removed
	files map[string]int64 // by path in the run, with their lengths
	order []string         // the oldest first
	next  map[string]int   // by directory
	limit int64            // 0: traceBytes
}

// TraceLimit lets detail take n bytes instead of 64 MiB.
func (w *Writer) TraceLimit(n int64) {
	w.traces.mu.Lock()
	defer w.traces.mu.Unlock()
	w.traces.limit = n
}

// Trace stores the detail of steps of a worker as one file: Chrome's trace
// events, which Perfetto reads as they are. It is meant for some seconds of
// training at a time. What then takes more than 64 MiB in the run is removed, the
// oldest first.
func (w *Writer) Trace(worker string, intervals []record.Interval) error {
	if len(intervals) == 0 {
		return nil
	}
	worker = clean(worker)
	b, err := encodeTrace(worker, intervals)
	if err != nil {
		return fmt.Errorf("store a trace of %q: %w", worker, err)
	}
	w.traces.mu.Lock()
	defer w.traces.mu.Unlock()
	if err := w.trace(worker, b); err != nil {
		return fmt.Errorf("store a trace of %q: %w", worker, typed(err))
	}
	return nil
}

// trace writes a file of detail, then its line in the manifest, and makes room.
// w.traces.mu is held.
func (w *Writer) trace(worker string, b []byte) error {
	t := &w.traces
	dir := path.Dir(layout.Trace(worker, 1))
	rel := layout.Trace(worker, t.next[dir]+1)
	f, err := manifest.Describe(rel, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	if err := replaceBytes(w.fs, w.at(rel), b); err != nil {
		return err
	}
	t.next[dir]++
	if err := w.openEvent(manifest.Event{Trace: &f}); err != nil {
		return errors.Join(err, w.fs.Remove(w.at(rel)))
	}
	t.files[rel] = f.Bytes
	t.order = append(t.order, rel)
	return w.trimTraces()
}

// openEvent appends to the manifest of a run that is not closed.
func (w *Writer) openEvent(e manifest.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	return w.event(e)
}

// trimTraces removes the oldest detail. w.traces.mu is held.
func (w *Writer) trimTraces() error {
	t := &w.traces
	limit := t.limit
	if limit == 0 {
		limit = traceBytes
	}
	total := int64(0)
	for _, n := range t.files {
		total += n
	}
	for total > limit && len(t.order) > 1 {
		rel := t.order[0]
		// The manifest is told first, so that no reader takes the missing file
		// for a damage.
		err := w.openEvent(manifest.Event{Removed: rel})
		if err == nil {
			err = w.manifest.sync()
		}
		if err != nil {
			return err
		}
		if err := w.fs.Remove(w.at(rel)); err != nil && !missing(err) {
			return err
		}
		total -= t.files[rel]
		delete(t.files, rel)
		t.order = t.order[1:]
	}
	return nil
}

// TraceProcess and TraceThread are the numbers of a worker's main thread in a
// file of detail.
const (
	TraceProcess = 1
	TraceThread  = 1
)

// encodeTrace spells intervals as trace events: times and lengths in
// microseconds with three digits behind the point.
func encodeTrace(worker string, intervals []record.Interval) ([]byte, error) {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	out := bufio.NewWriter(zip)
	fmt.Fprintf(out, `{"displayTimeUnit":"ms","traceEvents":[`+"\n"+`{"ph":"M","name":"process_name","pid":%d,"args":{"name":%s}}`, TraceProcess, quote(worker))
	fmt.Fprintf(out, ",\n"+`{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"main thread"}}`, TraceProcess, TraceThread)
	for i := range intervals {
		v := &intervals[i]
		start, length := v.Start.UnixNano(), v.End.Sub(v.Start).Nanoseconds()
		fmt.Fprintf(out, ",\n"+`{"ph":"X","name":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{"step":%d,"mode":%s,"mode_step":%d`,
			quote(v.Part.String()), TraceProcess, TraceThread, micros(start), micros(max(length, 0)), v.Step, quote(v.Mode.String()), v.ModeStep)
		if v.MicroBatch > 0 {
			fmt.Fprintf(out, `,"micro_batch":%d`, v.MicroBatch)
		}
		_, _ = out.WriteString("}}") // Flush gives the error
	}
	_, _ = out.WriteString("\n]}\n")
	err := errors.Join(out.Flush(), zip.Close())
	return buf.Bytes(), err
}

func micros(ns int64) string { return fmt.Sprintf("%d.%03d", ns/1000, ns%1000) }

// quote spells a text as JSON.
func quote(s string) string {
	b, _ := json.Marshal(s) // a text always can be
	return string(b)
}

// traceFiles removes what an unfinished trace left, and lists files whose line in
// the manifest was lost with the power.
func (r *resumption) traceFiles() error {
	w := r.w
	type file struct {
		rel  string
		time time.Time
	}
	var list []file
	err := walkTraces(w, func(rel string, info fs.FileInfo) error {
		if strings.HasSuffix(rel, layout.TempSuffix) {
			return w.fs.Remove(w.at(rel))
		}
		n, ok := layout.TraceNumber(path.Base(rel))
		if !ok {
			return nil
		}
		t := &w.traces
		t.next[path.Dir(rel)] = max(t.next[path.Dir(rel)], n)
		list = append(list, file{rel, info.ModTime()})
		if _, listed := t.files[rel]; listed || r.broken {
			return nil
		}
		f, err := w.fs.Open(w.at(rel))
		if err != nil {
			return err
		}
		entry, err := manifest.Describe(rel, f, info.Size())
		if err = errors.Join(err, f.Close()); err == nil {
			err = w.event(manifest.Event{Trace: &entry})
		}
		t.files[rel] = entry.Bytes
		return err
	})
	slices.SortStableFunc(list, func(a, b file) int {
		if c := a.time.Compare(b.time); c != 0 {
			return c
		}
		return strings.Compare(a.rel, b.rel)
	})
	for _, f := range list {
		w.traces.order = append(w.traces.order, f.rel)
	}
	return err
}

func walkTraces(w *Writer, visit func(rel string, info fs.FileInfo) error) error {
	workers, err := w.fs.List(w.at(layout.TraceDir))
	if err != nil && !missing(err) {
		return err
	}
	for _, worker := range workers {
		if !worker.IsDir() {
			continue
		}
		dir := path.Join(layout.TraceDir, worker.Name())
		files, err := w.fs.List(w.at(dir))
		if err != nil {
			return err
		}
		for _, e := range files {
			info, err := e.Info()
			if missing(err) {
				continue
			}
			if err == nil {
				err = visit(path.Join(dir, e.Name()), info)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
