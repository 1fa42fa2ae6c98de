package agent

import (
	"maps"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
)

// label writes the tags and the note that a run is started with. A run that goes on
// keeps what is written on it, but for what is given again.
func label(w *store.Writer, set Settings) error {
	given := record.Labels{Tags: set.Config.Tags, Note: set.Config.Note}
	if set.Takeover || given.Empty() {
		return nil
	}
	defer store.LockLabels(w.Path())() // `vigil tag` may be quick
	l, err := store.ReadLabels(w.FS(), w.Path())
	if err != nil {
		return err
	}
	if l.Tags == nil {
		l.Tags = map[string]string{}
	}
	maps.Copy(l.Tags, given.Tags)
	if given.Note != "" {
		l.Note = given.Note
	}
	return store.WriteLabels(w.FS(), w.Path(), l)
}
