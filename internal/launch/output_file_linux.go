package launch

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readEvery is how often a file is looked at that the command writes to.
const readEvery = 200 * time.Millisecond

// grown is a file that the command writes to, read as it grows.
type grown struct {
	file     *os.File
	at       int64 // of what comes next
	appended bool  // who writes does so at its end
}

// readAlong copies what is added to a file from now on, and reports whether it can:
// nobody is between the command and its file then, and whatever becomes of the
// launcher, the command can write. What others write to the file is copied, too.
func (o *output) readAlong(to *os.File) bool {
	g, err := reading(to)
	if err != nil {
		return false
	}
	o.copying.Go(func() {
		defer g.file.Close()
		tick := time.NewTicker(readEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				g.copyTo(o.log)
			case <-o.ended:
				g.copyTo(o.log)
				return
			}
		}
	})
	return true
}

// reading opens a regular file where the next write to it goes.
func reading(to *os.File) (*grown, error) {
	info, err := to.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %q along: it is not a regular file", to.Name())
	}
	g, flags := &grown{}, 0
	control(to, func(fd int) {
		if flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil {
			g.file, err = os.Open(fmt.Sprintf("/proc/self/fd/%d", fd)) // it may be open for writing alone
		}
	})
	if err != nil {
		return nil, err
	}
	if g.appended = flags&unix.O_APPEND != 0; g.appended {
		g.at = info.Size()
	} else if g.at, err = to.Seek(0, io.SeekCurrent); err != nil {
		g.file.Close()
		return nil, err
	}
	return g, nil
}

// copyTo copies what has been added so far. Where the file was cut, as by a program that rotates
// logs, what is appended comes at its beginning; others go on writing where they were.
func (g *grown) copyTo(w io.Writer) {
	info, err := g.file.Stat()
	if err != nil {
		return
	}
	if g.appended && info.Size() < g.at {
		g.at = 0
	}
	n, _ := io.Copy(w, io.NewSectionReader(g.file, g.at, max(0, info.Size()-g.at))) // it is looked at again
	g.at += n
}
