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

// readAlong copies what is added to a file from now on, and reports whether it can:
// nobody is between the command and its file then, and whatever becomes of the
// launcher, the command can write. What others write to the file is copied, too.
func (o *output) readAlong(to *os.File) bool {
	at, err := placeIn(to)
	if err != nil {
		return false
	}
	var from *os.File
	control(to, func(fd int) { from, err = os.Open(fmt.Sprintf("/proc/self/fd/%d", fd)) }) // it may be open for writing alone
	if err != nil || from == nil {
		return false
	}
	o.copying.Go(func() {
		defer from.Close()
		tick := time.NewTicker(readEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				at = o.take(from, at)
			case <-o.ended:
				o.take(from, at)
				return
			}
		}
	})
	return true
}

// placeIn is where the next write to a regular file goes.
func placeIn(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file", f.Name())
	}
	flags := 0
	control(f, func(fd int) { flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0) })
	if err != nil {
		return 0, err
	}
	if flags&unix.O_APPEND != 0 {
		return info.Size(), nil
	}
	return f.Seek(0, io.SeekCurrent)
}

// take copies a file from a place on, and gives the place of what comes next.
func (o *output) take(from *os.File, at int64) int64 {
	if info, err := from.Stat(); err == nil && info.Size() < at {
		at = 0 // it was cut, as by a program that rotates logs
	}
	b := make([]byte, 32<<10)
	for {
		n, err := from.ReadAt(b, at)
		_, _ = o.log.Write(b[:n])
		if at += int64(n); err != nil {
			return at
		}
	}
}
