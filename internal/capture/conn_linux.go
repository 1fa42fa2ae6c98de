package capture

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/proc"
)

// conn is one connection of the agent. Reading is done by the session's
// goroutine, writing by its plan writer.
type conn struct {
	uc    *net.UnixConn
	raw   syscall.RawConn
	split splitter
	buf   []byte
	files []*os.File // descriptors that came and were not taken
	keep  bool       // descriptors are welcome still
	eof   bool
}

func newConn(uc *net.UnixConn) (*conn, error) {
	raw, err := uc.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &conn{uc: uc, raw: raw, buf: make([]byte, 64<<10), keep: true}, nil
}

// fill reads what has arrived into the splitter. It waits up to d for the
// first byte and reports whether any came; io.EOF when the peer closed.
func (c *conn) fill(d time.Duration) (bool, error) {
	if c.eof {
		return false, io.EOF
	}
	if d > 0 {
		c.uc.SetReadDeadline(time.Now().Add(d))
		defer c.uc.SetReadDeadline(time.Time{})
	}
	var n, oobn int
	var rerr error
	oob := make([]byte, unix.CmsgSpace(4*8))
	receive := func(fd uintptr) {
		for {
			n, oobn, _, _, rerr = unix.Recvmsg(int(fd), c.buf, oob, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
			if rerr != unix.EINTR {
				break
			}
		}
	}
	var err error
	if d <= 0 {
		// Not by Read, which refuses to look when a deadline has passed: what
		// has come must be read also when the job is ending.
		err = c.raw.Control(receive)
	} else {
		err = c.raw.Read(func(fd uintptr) bool {
			receive(fd)
			return rerr != unix.EAGAIN
		})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(rerr, unix.EAGAIN) && err == nil {
		return false, nil
	}
	if err == nil {
		err = rerr
	}
	if err != nil {
		c.eof = true
		if errors.Is(err, unix.ECONNRESET) || errors.Is(err, net.ErrClosed) {
			err = io.EOF
		}
		return false, err
	}
	c.takeFiles(oob[:oobn])
	if n == 0 {
		c.eof = true
		return false, io.EOF
	}
	c.split.add(c.buf[:n])
	return true, nil
}

func (c *conn) takeFiles(oob []byte) {
	if len(oob) == 0 {
		return
	}
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	for _, m := range msgs {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			f := os.NewFile(uintptr(fd), "received")
			if !c.keep || len(c.files) > 0 {
				f.Close()
				continue
			}
			c.files = append(c.files, f)
		}
	}
}

// file gives out the descriptor that came first, nil when none did. Later ones
// are closed as they come.
func (c *conn) file() *os.File {
	c.keep = false
	if len(c.files) == 0 {
		return nil
	}
	f := c.files[0]
	c.files = nil
	return f
}

// message reads one whole message within d.
func (c *conn) message(d time.Duration) (Message, error) {
	end := time.Now().Add(d)
	for {
		m, ok, err := c.split.next()
		if ok || err != nil {
			return m, err
		}
		left := time.Until(end)
		if left <= 0 {
			return m, os.ErrDeadlineExceeded
		}
		if _, err := c.fill(left); err != nil {
			return m, err
		}
	}
}

// end makes the connection one from which nothing comes any more.
func (c *conn) end() { c.eof = true }

func (c *conn) write(b []byte) error {
	c.uc.SetWriteDeadline(time.Now().Add(30 * time.Second))
	_, err := c.uc.Write(b)
	return err
}

// writeWithFile writes b with a descriptor attached to its first bytes.
func (c *conn) writeWithFile(b []byte, f *os.File) error {
	c.uc.SetWriteDeadline(time.Now().Add(5 * time.Second))
	n, _, err := c.uc.WriteMsgUnix(b, unix.UnixRights(int(f.Fd())), nil)
	if err == nil && n < len(b) {
		_, err = c.uc.Write(b[n:])
	}
	return err
}

func (c *conn) close() {
	c.uc.Close()
	for _, f := range c.files {
		f.Close()
	}
	c.files = nil
}

// peer asks the kernel who is at the other end.
func (c *conn) peer() (Peer, error) {
	var cred *unix.Ucred
	var cerr error
	if err := c.raw.Control(func(fd uintptr) {
		cred, cerr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return Peer{}, err
	}
	if cerr != nil {
		return Peer{}, cerr
	}
	p := Peer{PID: int(cred.Pid), UID: int(cred.Uid)}
	if q, err := proc.Read(p.PID); err == nil {
		p.Start = q.Start
	}
	return p, nil
}
