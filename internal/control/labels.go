package control

import (
	"fmt"
	"maps"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Labels reads what is written on a run.
func (r Run) Labels() (record.Labels, error) {
	labels, err := store.ReadLabels(vfs.OS, r.Path)
	if err != nil {
		return labels, fmt.Errorf("read the tags of run %q: %w", r.Name, err)
	}
	if labels.Tags == nil {
		labels.Tags = map[string]string{}
	}
	return labels, nil
}

// Label changes what is written on a run. Two that do so at once do not undo each
// other.
func (r Run) Label(change func(*record.Labels) error) (record.Labels, error) {
	release := store.LockLabels(r.Path)
	defer release()
	labels, err := r.Labels()
	if err != nil {
		return labels, err
	}
	if err := change(&labels); err != nil {
		return labels, err
	}
	if n := len(labels.Tags); n > config.MaxTags {
		return labels, &usage{Message: fmt.Sprintf("run %q would have %d tags; the limit is %d", r.Name, n, config.MaxTags), What: r.Name, Hint: "K= removes a tag"}
	}
	if err := store.WriteLabels(vfs.OS, r.Path, labels); err != nil {
		return labels, fmt.Errorf("tag run %q: %w", r.Name, err)
	}
	return labels, nil
}

// Tag sets and removes tags, whose words were checked.
func Tag(l *record.Labels, set map[string]string, remove []string) {
	for _, key := range remove {
		delete(l.Tags, key)
	}
	maps.Copy(l.Tags, set)
}
