package agent

import (
	"errors"
	"io/fs"

	"github.com/vigil-ml/vigil/internal/store"
)

// actionState is the store as the actions see it: no state yet is no error to
// them.
type actionState struct{ *store.Writer }

// LoadState gives nothing when there is nothing.
func (s actionState) LoadState(name string) ([]byte, error) {
	b, err := s.Writer.LoadState(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}
