package trial

import (
	"io/fs"
	"os"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// labels are what people wrote on a run. They may change when nothing else does any
// more.
type labels struct {
	record.Labels
	file fs.FileInfo   // that was read; nil: none
	own  []record.Mute // those that run.json has
}

// readLabels takes in what was written on the run, if that changed.
func (t *Trial) readLabels() {
	info, err := t.fs.Stat(t.at(layout.Labels))
	if err != nil {
		info = nil
	}
	if old := t.labels.file; info == nil && old == nil || info != nil && old != nil && os.SameFile(info, old) && info.Size() == old.Size() && info.ModTime().Equal(old.ModTime()) {
		return
	}
	l, err := store.ReadLabels(t.fs, t.path)
	if err != nil {
		t.hurt(layout.Labels, "cannot be read: %v", err)
	}
	t.labels.Labels, t.labels.file = l, info
	t.writeLabels()
}

// writeLabels puts what people wrote into the run as readers see it.
func (t *Trial) writeLabels() {
	t.run.Tags, t.run.Note = t.labels.Tags, t.labels.Note
	t.run.Mutes = slices.Concat(t.labels.own, t.labels.AsMutes())
}
