package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// ReadLabels reads what is written on a run; a run without labels, and one of a
// version that knew none, has none.
func ReadLabels(fsys vfs.FS, run string) (record.Labels, error) {
	var l record.Labels
	b, err := readFile(fsys, filepath.Join(run, layout.Labels))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		b, err = lines.OpenDocument(b)
	}
	if err == nil {
		err = json.Unmarshal(b, &l)
	}
	if err != nil {
		return record.Labels{}, fmt.Errorf("read %s: %w", layout.Labels, err)
	}
	return l, nil
}

// WriteLabels replaces what is written on a run, atomically.
func WriteLabels(fsys vfs.FS, run string, l record.Labels) error {
	if l.Tags == nil {
		l.Tags = map[string]string{}
	}
	b, err := lines.Document(&l)
	if err == nil {
		err = replaceBytes(fsys, filepath.Join(run, layout.Labels), b)
	}
	if err != nil {
		return typed(fmt.Errorf("write %s: %w", layout.Labels, err))
	}
	return nil
}

// LockLabels has others who change what is written on a run wait until release is
// called: who reads it to write it again holds this meanwhile.
func LockLabels(run string) (release func()) { return lockFile(filepath.Join(run, layout.Manifest)) }

// Lock has others that lock the same file, which is there, wait until release is
// called, or this process ends. Where the lock cannot be had, nobody waits.
func Lock(path string) (release func()) { return lockFile(path) }
