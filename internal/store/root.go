package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/vigil-ml/vigil/internal/vfs"
)

// ignored keeps runs out of version control: the folder that holds them often
// lies next to the script.
const ignored = "# Made by Vigil. Runs are not for version control.\n*\n"

// makeRoot makes the folder of runs, with a .gitignore in it. A folder that is
// there already is the user's and stays as it is.
func makeRoot(fsys vfs.FS, root string) error {
	_, err := fsys.Stat(root)
	made := errors.Is(err, fs.ErrNotExist)
	if err := fsys.MkdirAll(root); err != nil {
		return err
	}
	if made {
		// A run is worth more than this file: that it cannot be written is no error.
		_ = replaceBytes(fsys, filepath.Join(root, ".gitignore"), []byte(ignored))
	}
	return nil
}
