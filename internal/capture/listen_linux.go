package capture

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Listener accepts hooks and commands on a unix socket.
type Listener struct {
	ln   *net.UnixListener
	opts Options
	uid  int // the user who may talk

	mu   sync.Mutex
	done bool
	work sync.WaitGroup
}

// Listen opens the socket. The directory must belong to the user and be closed
// to everybody else, since whoever can reach the socket can try to talk. A
// socket that an earlier agent left is replaced.
func Listen(path string, o Options) (*Listener, error) {
	if len(path) > MaxSocketPath {
		return nil, fmt.Errorf("listen on %q: the path is longer than %d bytes", path, MaxSocketPath)
	}
	dir := filepath.Dir(path)
	st, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", path, err)
	}
	if !st.IsDir() || st.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("listen on %q: %s must be a directory that is closed to others (mode 0700, not %04o)", path, dir, st.Mode().Perm())
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("listen on %q: %w", path, err)
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", path, err)
	}
	return &Listener{ln: ln, opts: o.withDefaults(), uid: os.Getuid()}, nil
}

// Inherit takes over a descriptor that listens already. The path stays: it
// belongs to who made the socket.
func Inherit(fd int, o Options) (*Listener, error) {
	f := os.NewFile(uintptr(fd), "listener")
	defer f.Close()
	ln, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("listen on descriptor %d: %w", fd, err)
	}
	u, ok := ln.(*net.UnixListener)
	if !ok {
		ln.Close()
		return nil, fmt.Errorf("listen on descriptor %d: it is not a unix socket", fd)
	}
	u.SetUnlinkOnClose(false)
	return &Listener{ln: u, opts: o.withDefaults(), uid: os.Getuid()}, nil
}

// Serve accepts until the listener is closed or ctx is done. When ctx is done,
// every session reads its ring to the end and closes; Serve returns after the
// last one did.
func (l *Listener) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, l.Close)
	defer stop()
	for {
		uc, err := l.ln.AcceptUnix()
		if err != nil {
			l.mu.Lock()
			done := l.done
			l.mu.Unlock()
			if done {
				break
			}
			if errors.Is(err, net.ErrClosed) {
				return err
			}
			time.Sleep(10 * time.Millisecond) // out of descriptors: others may close
			continue
		}
		c, err := newConn(uc)
		if err != nil {
			uc.Close()
			continue
		}
		l.work.Go(func() { l.serve(ctx, c) })
	}
	l.work.Wait()
	return nil
}

// Close stops accepting. Sessions go on until Serve's context is done.
func (l *Listener) Close() {
	l.mu.Lock()
	l.done = true
	l.mu.Unlock()
	l.ln.Close()
}

func (l *Listener) serve(ctx context.Context, c *conn) {
	defer c.close()
	p, err := c.peer()
	if err != nil {
		return
	}
	if p.UID != l.uid {
		l.opts.Handler.TurnedAway(fmt.Sprintf("it came from user %d, and only user %d may", p.UID, l.uid))
		return
	}
	m, err := c.message(10 * time.Second)
	if err != nil {
		// One that closes, or says nothing, may only have looked whether
		// somebody listens.
		if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
			l.opts.Handler.TurnedAway(err.Error())
		}
		return
	}
	switch m.Type {
	case TypeControl:
		var v Control
		if m.Decode(&v) == nil {
			if b, err := AppendMessage(nil, TypeControl, l.opts.Handler.Control(v, p)); err == nil {
				_ = c.write(b) // a peer that is gone needs no answer
			}
		}
	case TypeHello:
		s, err := l.open(c, p, m)
		if errors.Is(err, ErrBusy) {
			return
		}
		if err != nil {
			refuse(c, err)
			return
		}
		s.run(ctx)
	default:
		err := fmt.Errorf("the first message is %.80q, not a hello", m.Type)
		l.opts.Handler.TurnedAway(err.Error())
		refuse(c, err)
	}
}

func refuse(c *conn, err error) {
	r := &Refused{}
	if !errors.As(err, &r) {
		r = &Refused{Reason: err.Error()}
	}
	if b, err := AppendMessage(nil, TypeRefused, r); err == nil {
		_ = c.write(b) // a peer that is gone needs no answer
	}
}

// open answers a hello and makes the session.
func (l *Listener) open(c *conn, p Peer, m Message) (*Session, error) {
	h, err := decode[Hello](m)
	if err != nil {
		return nil, err
	}
	if h.V != Version {
		return nil, &Refused{
			fmt.Sprintf("the hook speaks version %d of the protocol, this agent version %d", h.V, Version),
			"use the Python package and the vigil program of one release",
		}
	}
	if id, err := hex.DecodeString(h.Session); err != nil || len(id) != 16 {
		return nil, fmt.Errorf("take hello: session %.64q is not 32 hex digits", h.Session)
	}
	for _, text := range []*string{&h.Framework.Name, &h.Framework.Version, &h.Language.Name, &h.Language.Version, &h.Script} {
		*text, _ = cutName(*text)
	}
	f := c.file()
	if !h.Takeover && f != nil {
		f.Close()
	}
	s := &Session{Hello: h, Peer: p, conn: c, opts: l.opts}
	if h.Takeover {
		if f == nil {
			return nil, errors.New("take hello: a takeover without the ring's descriptor")
		}
		s.ring, err = OpenRing(f)
	} else {
		s.ring, err = NewRing(l.opts.RingBytes, l.opts.Slots)
	}
	if err != nil {
		return nil, err
	}
	if err := s.begin(l.opts.Handler); err != nil {
		s.ring.Close()
		return nil, err
	}
	return s, nil
}

// begin asks the handler, places the marks and sends the welcome.
func (s *Session) begin(h Handler) error {
	s.names = newTables(s.ring.DataBytes)
	a, err := h.Open(s)
	if err != nil {
		return err
	}
	s.sink = a.Sink
	s.out.conn, s.out.ring = s.conn, s.ring
	if s.Hello.Takeover {
		if err := s.resume(); err != nil {
			s.sink.Closed(false)
			return err
		}
	}
	s.ring.setAgentPID(os.Getpid())
	s.ring.setFilled(s.asked) // after the pid: a hook that sees this knows who says it
	w := Welcome{Version, a.Run, a.Worker, RingInfo{int64(s.ring.DataBytes)}, a.Place, true, true, a.Windows}
	b, err := AppendMessage(nil, TypeWelcome, w)
	if err == nil {
		if s.Hello.Takeover {
			err = s.conn.write(b)
		} else {
			err = s.conn.writeWithFile(b, s.ring.file)
		}
	}
	if err != nil {
		s.sink.Closed(false)
		return fmt.Errorf("send welcome: %w", err)
	}
	s.welcomed.Store(true)
	return nil
}

// resume goes on where the earlier agent stopped acknowledging. Steps that it
// had stored, but not acknowledged any more, come once more; the sink knows
// them by the number of their record.
func (s *Session) resume() error {
	acked, consumed, head := s.ring.Acked(), s.ring.Consumed(), s.ring.Head()
	if acked > consumed || consumed > head || head-consumed > s.ring.Slots {
		return fmt.Errorf("take over ring: marks acked %d, consumed %d, head %d do not fit", acked, consumed, head)
	}
	s.tail, s.acked, s.lost = acked, acked, consumed
	s.asked = head // what was to be filled before is the hook's own to copy
	if head-acked > s.ring.Slots {
		s.tail = head - s.ring.Slots
		s.sink.Refuse("record overwritten before it was stored", int64(s.tail-acked))
	}
	s.late = time.Now().Add(s.opts.Announce)
	s.out.version = s.ring.PlanVersion()
	return nil
}

// run reads until the process is gone, then to the end of the ring.
func (s *Session) run(ctx context.Context) {
	defer s.ring.Close()
	defer s.out.close()
	defer s.conn.close()
	if err := s.guarded(ctx); err != nil {
		s.sink.Refuse(err.Error(), 1)
		s.sink.Failed(err.Error())
	}
	s.sink.Closed(s.bye || s.ring.Ended())
}

// guarded ends a session in which something of ours failed, and no other.
func (s *Session) guarded(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the agent failed: %v", r)
		}
	}()
	return s.loop(ctx)
}

func (s *Session) loop(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { s.conn.uc.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	busy, looked, poll := time.Now(), time.Now(), s.opts.Poll
	if err := s.messages(); err != nil { // what came together with the hello
		return err
	}
	if s.Hello.Takeover && s.Hello.Facts {
		// What waits in the ring is to be judged with them.
		s.catchUp(func() bool { return s.facts })
	}
	for {
		any, err := s.drain()
		if err != nil {
			return err
		}
		s.answer()
		now := time.Now()
		if any {
			busy = now
		} else {
			s.idle()
		}
		ending := s.bye || s.conn.eof || ctx.Err() != nil
		if !ending && now.Sub(looked) > time.Second {
			looked = now
			ending = !s.Peer.Alive()
		}
		if ending {
			return s.finish()
		}
		poll = s.pace(poll)
		wait := poll
		if now.Sub(busy) > 500*time.Millisecond {
			wait = s.opts.Idle
		}
		if err := s.listen(wait); err != nil {
			return err
		}
	}
}

// pace is the time to the next look at a busy ring. A hook has few frames; when
// more than one came since the last look, it may be about to run out of them, and
// while it waits for room every look counts.
func (s *Session) pace(last time.Duration) time.Duration {
	n := s.frames
	s.frames = 0
	if n > 1 || s.wanted() {
		return max(last/2, s.opts.Poll/8)
	}
	return min(last*5/4, s.opts.Poll)
}

// finish takes what is left on the socket and in the ring.
func (s *Session) finish() error {
	if err := s.listen(0); err != nil {
		return err
	}
	_, err := s.drain()
	s.idle()
	return err
}

// idle gives the sink a turn when the ring is empty.
func (s *Session) idle() { s.advance(s.sink.Records(nil), 0, false) }
