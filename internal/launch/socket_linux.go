package launch

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// maxSocketPath is the longest path a hook accepts; the kernel's limit is 107.
const maxSocketPath = 100

// listener is the socket hooks connect to. The launcher holds it for the whole
// run, so that a hook is never refused while one agent follows another: it
// waits in the socket's queue.
type listener struct {
	dir  string
	path string
	file *os.File // what agents inherit
}

// listen makes a private directory with the socket in it.
func listen() (*listener, error) {
	var last error
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if base == "" {
			continue
		}
		dir, err := os.MkdirTemp(base, "vigil-") // mode 0700
		if err != nil {
			last = err
			continue
		}
		path := filepath.Join(dir, "s")
		if len(path) > maxSocketPath {
			os.Remove(dir)
			last = fmt.Errorf("%q is longer than %d bytes", path, maxSocketPath)
			continue
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			os.RemoveAll(dir)
			last = err
			continue
		}
		l.SetUnlinkOnClose(false)
		file, err := l.File()
		l.Close()
		if err != nil {
			os.RemoveAll(dir)
			last = err
			continue
		}
		return &listener{dir: dir, path: path, file: file}, nil
	}
	return nil, fmt.Errorf("make the socket's directory: %w", last)
}

func (l *listener) close() {
	l.file.Close()
	os.RemoveAll(l.dir)
}

// TrySocket makes the socket's directory and socket, removes them, and says
// where they were.
func TrySocket() (path string, err error) {
	l, err := listen()
	if err != nil {
		return "", err
	}
	l.close()
	return l.path, nil
}
