package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/logfile"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// output copies what the command writes into the run. A file is read while it grows,
// and the command writes to it as ever. Anything else is handed on: where that is a
// terminal the command gets another one (a pty) of the same size, so that it writes as
// it does to the first, and otherwise a pipe.
type output struct {
	log     *logfile.File
	copying sync.WaitGroup
	sizing  sync.WaitGroup
	command atomic.Int64 // to be told of a new size, or its group; 0: not started
	theirs  []*os.File   // for the command, closed here once it has them
	ours    []*os.File
	ended   chan struct{} // the command has ended
	done    chan struct{}
	end     sync.Once
}

// outputTime is how long the end of a job waits for what processes that outlive
// the command still write.
const outputTime = time.Second

// keepsOutput reports whether the output of the job is copied into its run: as it was
// asked, else where no terminal shows it and nobody has thrown it away.
func keepsOutput(asked *bool, stdout *os.File) bool {
	if asked != nil {
		return *asked
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return false
	}
	defer null.Close()
	return stdout != nil && terminalOf(stdout) < 0 && !same(stdout, null)
}

// keepOutput begins to copy into a run, and gives the streams for the command.
func keepOutput(run string, stdout, stderr *os.File) (o *output, out, err *os.File, failed error) {
	o = &output{ended: make(chan struct{}), done: make(chan struct{})}
	if o.log, failed = logfile.Open(filepath.Join(run, filepath.FromSlash(layout.OutputLog))); failed != nil {
		return nil, nil, nil, fmt.Errorf("keep the output: %w", failed)
	}
	if out, failed = o.stream(stdout); failed == nil {
		switch {
		case !same(stdout, stderr):
			err, failed = o.stream(stderr)
		case out == stdout: // a file, which is read once
			err = stderr
		default:
			err = out
		}
	}
	if failed != nil {
		o.started(0)
		o.finish()
		return nil, nil, nil, fmt.Errorf("keep the output: %w", failed)
	}
	return o, out, err, nil
}

// same reports whether two streams are the same file: what is written to both
// stays in its order then.
func same(a, b *os.File) bool {
	one, err := a.Stat()
	if err != nil {
		return false
	}
	other, err := b.Stat()
	return err == nil && os.SameFile(one, other)
}

// stream is what the command writes to instead of to, or to itself.
func (o *output) stream(to *os.File) (*os.File, error) {
	if o.readAlong(to) {
		return to, nil
	}
	var from, theirs *os.File
	var err error
	if terminalOf(to) >= 0 {
		from, theirs, err = o.pty(to)
	} else {
		from, theirs, err = os.Pipe()
	}
	if err != nil {
		return nil, err
	}
	o.ours, o.theirs = append(o.ours, from), append(o.theirs, theirs)
	screen := NewScreen(to) // writes also while the terminal is the command's
	o.copying.Go(func() {
		b := make([]byte, 32<<10)
		for {
			n, err := from.Read(b)
			if n > 0 {
				_, _ = o.log.Write(b[:n])
				if _, err := screen.Write(b[:n]); err != nil {
					// Nobody reads: the command is to see that, as it would have.
					from.Close()
					return
				}
			}
			if err != nil {
				return // EIO: no process has the pty any more
			}
		}
	})
	return theirs, nil
}

// pty opens a terminal like another one.
func (o *output) pty(like *os.File) (master, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil {
		err = rawModes(int(slave.Fd()))
	}
	if err != nil {
		master.Close()
		return nil, nil, err
	}
	o.follow(like, master)
	return master, slave, nil
}

// rawModes lets what is written through as it is: the terminal behind it does
// with line ends what it is set to.
func rawModes(fd int) error {
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	modes.Oflag &^= unix.OPOST
	modes.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, unix.TCSETS, modes)
}

// sizeEvery is how often the terminal's size is looked at: where the terminal
// belongs to the command, the kernel tells the command alone of a new one.
const sizeEvery = 100 * time.Millisecond

// follow gives a pty the size of the terminal, and each new one, of which the
// command is told.
func (o *output) follow(like, master *os.File) {
	var now unix.Winsize
	size := func() (changed bool) {
		s, err := unix.IoctlGetWinsize(int(like.Fd()), unix.TIOCGWINSZ)
		if err != nil || *s == now {
			return false
		}
		now = *s
		control(master, func(fd int) { _ = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, s) })
		return true
	}
	size()
	o.sizing.Go(func() {
		tick := time.NewTicker(sizeEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if pid := int(o.command.Load()); size() && pid != 0 {
					_ = unix.Kill(pid, unix.SIGWINCH)
				}
			case <-o.done:
				return
			}
		}
	})
}

// control uses a descriptor without making it block, as Fd would.
func control(f *os.File, use func(fd int)) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { use(int(fd)) })
	}
}

// started closes what the command has by now. command is its process, or minus
// its group; 0: there is none.
func (o *output) started(command int) {
	o.command.Store(int64(command))
	for _, f := range o.theirs {
		f.Close()
	}
	o.theirs = nil
}

// finish waits for what the command has written. A process that outlives it and
// holds its output is not waited for any longer than a moment.
func (o *output) finish() { o.end.Do(o.finishOnce) }

func (o *output) finishOnce() {
	close(o.ended)
	ended := make(chan struct{})
	go func() {
		o.copying.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(outputTime):
		for _, f := range o.ours {
			_ = f.SetReadDeadline(time.Now())
		}
		<-ended
	}
	close(o.done)
	o.sizing.Wait()
	for _, f := range o.ours {
		f.Close()
	}
	o.log.Close()
}
