package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Others opens the runs that a run is compared with, each once.
type Others struct {
	fs   vfs.FS
	root string
	open map[string]*Other
}

// NewOthers looks for runs by name below root, or by path.
func NewOthers(fsys vfs.FS, root string) *Others { return &Others{fsys, root, map[string]*Other{}} }

// Open gives a run by its name or path.
func (o *Others) Open(name string) (*Other, error) {
	if t := o.open[name]; t != nil {
		return t, nil
	}
	paths := []string{filepath.Join(o.root, name), name}
	if strings.ContainsRune(name, filepath.Separator) {
		paths = []string{name, filepath.Join(o.root, name)}
	}
	for _, p := range paths {
		t, err := OpenFS(o.fs, p)
		if err == nil {
			o.open[name] = &Other{t}
			return o.open[name], nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("open run %q: there is no such run in %q, nor at that path: %w", name, o.root, fs.ErrNotExist)
}

// Close closes all that were opened.
func (o *Others) Close() {
	for name, t := range o.open {
		t.t.Close()
		delete(o.open, name)
	}
}

// Other is a run as a rule reads it that compares another one with it.
type Other struct{ t *Trial }

// Path is the run's directory.
func (o *Other) Path() string { return o.t.Path() }

// Running reports whether more may come.
func (o *Other) Running() bool { return o.t.Run().Status == record.Running }

// Workers names the workers that stored anything, the chief first.
func (o *Other) Workers() []string { return o.t.Workers() }

// Raw reads the stored values of a tensor; fs.ErrNotExist when there are none.
func (o *Other) Raw(name string, mode record.Mode, modeStep int64, worker string) (tensor.View, error) {
	return o.t.Raw(name, mode, modeStep, worker)
}

// Series reads one statistic, "value" for scalars, from a mode step on. A name
// or statistic that the run does not have has no values.
func (o *Other) Series(name, stat string, mode record.Mode, worker string, from int64) (steps []int64, values []float64, err error) {
	steps, values, err = o.t.Series(Query{Tensor: name, Stat: stat, Mode: mode, Worker: worker, From: from})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	return steps, values, err
}
