package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Brief is what a run says of itself, read from run.json alone, with status Lost
// when it claims to run although its processes are gone on this host. A
// directory that holds no run is an error (fs.ErrNotExist).
func Brief(path string) (record.Run, error) {
	var run record.Run
	b, err := os.ReadFile(filepath.Join(path, layout.RunFile))
	if err == nil {
		b, err = lines.OpenDocument(b)
	}
	if err == nil {
		err = json.Unmarshal(b, &run)
	}
	if err != nil {
		return run, fmt.Errorf("read run %q: %w", path, err)
	}
	if run.Status == record.Running && gone(&run) {
		run.Status = record.Lost
	}
	labels, _ := store.ReadLabels(vfs.OS, path) // damaged ones are told by who opens the run
	run.Tags, run.Note = labels.Tags, labels.Note
	return run, nil
}

// Briefs are the runs below a root, newest first, in the order of List, without
// what was found in them. A run whose run.json is damaged has a name and nothing
// else. A root that does not exist holds no runs.
func Briefs(root string) ([]Entry, error) {
	dirs, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var list []Entry
	for _, d := range dirs {
		path := filepath.Join(root, d.Name())
		run, err := Brief(path)
		if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
			continue
		}
		if err != nil {
			run = record.Run{Name: d.Name(), Status: record.Lost}
		}
		list = append(list, Entry{Run: run, Path: path})
	}
	newestFirst(list)
	return list, nil
}

func newestFirst(list []Entry) {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Run.Started.After(list[j].Run.Started) })
}
