package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Dir is the folder below a root that holds what is no run.
const Dir = ".vigil"

const (
	indexFile   = "index.jsonl"
	indexFormat = 3 // 1 had single batches of evaluations, and no verdicts; 2 the former names of checks
	saveEvery   = 5 * time.Second
	mostIndex   = 1 << 30 // bytes that are read
)

// file is the index as it lies next to the runs.
type file struct {
	fs     vfs.FS
	dir    string
	usable bool // the folder is one, or may be made
	saved  time.Time
}

// head is the first line.
type head struct {
	Format int    `json:"format"`
	What   string `json:"what"`
}

// line is the row of a run without its larger part.
type line struct {
	Run     string          `json:"run"`
	Stamp   string          `json:"stamp"` // 16 hex digits
	Over    bool            `json:"over,omitempty"`
	Host    string          `json:"host,omitempty"`
	Started *record.Process `json:"launcher,omitempty"`
	Agent   *record.Process `json:"agent,omitempty"`
	Row     *Row            `json:"row"`
}

// detailLine is the larger part, in a line of its own that is not decoded before it
// is asked for.
type detailLine struct {
	Of     string          `json:"of"`
	Detail json.RawMessage `json:"detail"`
}

func (f *file) path() string { return filepath.Join(f.dir, indexFile) }

// load reads the index. What is damaged, or of another format, is left out: it is
// made again.
func (f *file) load(root string) map[string]*entry {
	info, err := f.fs.Stat(f.path())
	if err != nil || info.Size() > mostIndex || !info.Mode().IsRegular() {
		return nil
	}
	b, err := readFile(f.fs, f.path())
	if err != nil {
		return nil
	}
	rest, ok := checkHead(b)
	if !ok {
		return nil
	}
	details := map[string][]byte{}
	var rows [][]byte
	lines.Read(rest, func(r lines.Result) {
		switch {
		case r.Err != nil:
		case bytes.HasPrefix(r.JSON, []byte(`{"of":`)):
			if name, detail, ok := cutDetail(r.JSON); ok {
				details[name] = detail
			}
		default:
			rows = append(rows, r.JSON)
		}
	})
	parts := make([]map[string]*entry, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for w := range parts {
		wait.Go(func() { parts[w] = decode(rows[w*len(rows)/len(parts):(w+1)*len(rows)/len(parts)], details, root) })
	}
	wait.Wait()
	all := make(map[string]*entry, len(rows))
	for _, part := range parts {
		for name, e := range part {
			all[name] = e
		}
	}
	return all
}

func checkHead(b []byte) (rest []byte, ok bool) {
	first, rest, found := bytes.Cut(b, []byte("\n"))
	js, err := lines.Open(first)
	var h head
	return rest, found && err == nil && json.Unmarshal(js, &h) == nil && h.Format == indexFormat
}

// tail is the length of `,"crc":"01234567"}`.
const tail = len(`,"crc":"01234567"}`)

// cutDetail finds the larger part in its line, which is whole.
func cutDetail(line []byte) (name string, detail []byte, ok bool) {
	d := json.NewDecoder(bytes.NewReader(line[len(`{"of":`):]))
	if d.Decode(&name) != nil {
		return "", nil, false
	}
	at := len(`{"of":`) + int(d.InputOffset())
	detail, ok = bytes.CutPrefix(line[at:max(len(line)-tail, at)], []byte(`,"detail":`))
	return name, detail[:len(detail):len(detail)], ok && bytes.HasPrefix(detail, []byte("{"))
}

func decode(rows [][]byte, details map[string][]byte, root string) map[string]*entry {
	all := make(map[string]*entry, len(rows))
	for _, js := range rows {
		var l line
		if json.Unmarshal(js, &l) != nil || l.Row == nil || l.Run == "" || details[l.Run] == nil {
			continue
		}
		sum, err := strconv.ParseUint(l.Stamp, 16, 64)
		if err != nil {
			continue
		}
		e := &entry{row: *l.Row, stamp: sum, settled: true, over: l.Over, writers: record.Run{Host: l.Host, Launcher: l.Started, Agent: l.Agent}}
		e.row.Name, e.row.Path, e.row.detail = l.Run, filepath.Join(root, l.Run), details[l.Run]
		all[l.Run] = e
	}
	return all
}

// adopt takes over rows that others read.
func (x *Index) adopt(all map[string]*entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name, e := range all {
		if old := x.entries[name]; old == nil {
			x.version++
			e.version = x.version
			x.entries[name] = e
		}
	}
}

// saveSoon writes the index unless that was just done. The index is locked for scans.
func (x *Index) saveSoon() {
	if x.o.Now().Sub(x.file.saved) >= saveEvery {
		x.save()
	}
}

// save writes the index, if there is anything new in it. That it cannot be written is
// no error: it is made again each time then.
func (x *Index) save() {
	x.mu.Lock()
	if !x.dirty || !x.file.usable || x.scanned.IsZero() || x.wrong != nil {
		x.mu.Unlock()
		return
	}
	x.dirty = false
	entries := make([]*entry, 0, len(x.entries))
	for _, e := range x.entries {
		if e.settled {
			entries = append(entries, e)
		}
	}
	x.mu.Unlock()
	slices.SortFunc(entries, func(a, b *entry) int { return b.row.Started.Compare(a.row.Started) })
	x.file.saved = x.o.Now()
	if b, err := encode(entries); err == nil {
		_ = x.file.write(b)
	}
}

func encode(entries []*entry) ([]byte, error) {
	var out bytes.Buffer
	put := func(v any) error {
		b, err := lines.Line(v)
		out.Write(b)
		return err
	}
	if err := put(head{indexFormat, "index of the runs beside it; re-created when lost"}); err != nil {
		return nil, fmt.Errorf("encode the index of runs: %w", err)
	}
	for _, e := range entries {
		row := e.row.Basic()
		l := line{Run: row.Name, Stamp: fmt.Sprintf("%016x", e.stamp), Over: e.over, Host: e.writers.Host, Started: e.writers.Launcher, Agent: e.writers.Agent, Row: &row}
		row.Path = ""
		if err := put(l); err != nil {
			return nil, fmt.Errorf("encode the index of runs: %w", err)
		}
		if err := put(detailLine{row.Name, e.row.detail}); err != nil {
			return nil, fmt.Errorf("encode the index of runs: %w", err)
		}
	}
	return out.Bytes(), nil
}

// write replaces the index, unless the root is gone.
func (f *file) write(b []byte) error {
	if err := makeDir(f.fs, f.dir); err != nil {
		return err
	}
	return replace(f.fs, f.path(), b, false)
}
