package capture

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// link is the client's side of the socket. What was said is kept, because a
// new agent has to be told everything again.
type link struct {
	opts ClientOptions

	mu   sync.Mutex
	uc   *net.UnixConn // nil while there is no agent
	said []byte        // all announcements, ready for the wire
	wake chan struct{} // closed with the client
	done sync.WaitGroup

	facts bool // are among what was said
}

// Dial says hello. The error is a *Refused when the agent turned the hook
// down.
func Dial(o ClientOptions) (*Client, error) {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	o.Hello.V = Version
	c := &Client{}
	c.link.opts = o
	c.link.wake = make(chan struct{})
	if o.Patience > 0 {
		o.Timeout = o.Patience
	}
	uc, w, file, err := hello(o, nil)
	if err != nil {
		return nil, err
	}
	if file == nil {
		uc.Close()
		return nil, errors.New("say hello: the welcome came without a ring")
	}
	if c.ring, err = OpenRing(file); err != nil {
		uc.Close()
		return nil, err
	}
	c.welcome = w
	c.area.size = min(c.ring.DataBytes, 16<<20)
	c.open.Store(true)
	c.link.uc = uc
	c.link.done.Go(func() { c.listen(uc) })
	return c, nil
}

// hello connects and waits for the answer. With a ring it is a takeover.
func hello(o ClientOptions, ring *Ring) (*net.UnixConn, Welcome, *os.File, error) {
	var w Welcome
	uc, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: o.Socket, Net: "unix"})
	if err != nil {
		return nil, w, nil, fmt.Errorf("reach the agent: %w", err)
	}
	fail := func(err error) (*net.UnixConn, Welcome, *os.File, error) {
		uc.Close()
		return nil, w, nil, fmt.Errorf("say hello: %w", err)
	}
	uc.SetDeadline(time.Now().Add(o.Timeout))
	o.Hello.Takeover = ring != nil
	b, err := AppendMessage(nil, TypeHello, o.Hello)
	if err != nil {
		return fail(err)
	}
	var oob []byte
	if ring != nil {
		oob = unix.UnixRights(int(ring.file.Fd()))
	}
	n, _, err := uc.WriteMsgUnix(b, oob, nil)
	if err == nil && n < len(b) {
		_, err = uc.Write(b[n:])
	}
	if err != nil {
		return fail(err)
	}
	cn, err := newConn(uc)
	if err != nil {
		return fail(err)
	}
	// One message only: what follows is read by listen.
	m, err := cn.exactly(o.Timeout)
	if err != nil {
		return fail(err)
	}
	uc.SetDeadline(time.Time{})
	switch m.Type {
	case TypeWelcome:
		if err := m.Decode(&w); err != nil {
			return fail(err)
		}
		return uc, w, cn.file(), nil
	case TypeRefused:
		r := &Refused{}
		if err := m.Decode(r); err != nil {
			return fail(err)
		}
		return fail(r)
	}
	return fail(fmt.Errorf("the answer is a %q", m.Type))
}

// exactly reads one message and not a byte more.
func (c *conn) exactly(d time.Duration) (Message, error) {
	end := time.Now().Add(d)
	whole := c.buf
	defer func() { c.buf = whole }()
	for {
		m, ok, err := c.split.next()
		if ok || err != nil {
			return m, err
		}
		c.buf = whole[:min(len(whole), c.split.missing())]
		left := time.Until(end)
		if left <= 0 {
			return m, os.ErrDeadlineExceeded
		}
		if _, err := c.fill(left); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return m, err
		}
	}
}

// listen reads plans until the connection ends, then finds the next agent.
func (c *Client) listen(uc *net.UnixConn) {
	pause := firstPause
	for {
		began := time.Now()
		for {
			m, err := ReadMessage(uc)
			if err != nil {
				break
			}
			if m.Type != TypePlan {
				continue
			}
			p := &Plan{}
			if m.Decode(p) == nil {
				c.plan.Store(p)
			}
		}
		c.link.drop(uc)
		if time.Since(began) > steady {
			pause = firstPause
		}
		if uc = c.again(&pause); uc == nil {
			return
		}
	}
}

// Pauses between attempts to connect. A connection that lasted less than steady
// does not make the next pause short again, so that an agent that takes a hook
// and drops it at once is not asked without end.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
	steady       = 5 * time.Second
)

// again connects to the next agent, nil when the client was closed. The pause
// before each attempt is longer than the one before.
func (c *Client) again(pause *time.Duration) *net.UnixConn {
	for {
		select {
		case <-c.link.wake:
			return nil
		case <-time.After(*pause):
		}
		*pause = min(2**pause, longestPause)
		uc, _, file, err := hello(c.link.again(), c.ring)
		if file != nil {
			file.Close()
		}
		var r *Refused
		if errors.As(err, &r) {
			c.refused.Store(true)
			return nil // for good: the ring fills up and values are dropped
		}
		if err != nil {
			continue
		}
		if c.link.adopt(uc) {
			return uc
		}
		uc.Close()
	}
}

// again is what the next hello says.
func (l *link) again() ClientOptions {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.opts
	o.Hello.Facts = l.facts
	return o
}

func (l *link) drop(uc *net.UnixConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	uc.Close()
	if l.uc == uc {
		l.uc = nil
	}
}

// adopt tells a new agent everything that was said.
func (l *link) adopt(uc *net.UnixConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.wake:
		return false
	default:
	}
	uc.SetWriteDeadline(time.Now().Add(l.opts.Timeout))
	if _, err := uc.Write(l.said); err != nil {
		return false
	}
	uc.SetWriteDeadline(time.Time{})
	l.uc = uc
	return true
}

// Say sends a message. Announcements are kept for the agent after this one;
// without an agent they wait for it. It blocks for the time out at most.
func (c *Client) Say(t string, v any) error {
	b, err := AppendMessage(nil, t, v)
	if err != nil {
		return err
	}
	l := &c.link
	l.mu.Lock()
	defer l.mu.Unlock()
	switch t {
	case TypeModules, TypeTensors, TypeShapes, TypeLayout, TypeCollection, TypeFacts:
		l.said = append(l.said, b...)
		l.facts = l.facts || t == TypeFacts
	}
	if l.uc == nil {
		return nil
	}
	l.uc.SetWriteDeadline(time.Now().Add(l.opts.Timeout))
	if _, err := l.uc.Write(b); err != nil {
		l.uc.Close() // listen sees it and looks for the next agent
		l.uc = nil
	}
	return nil
}

// Wait waits until the agent has stored every record, or d has passed.
func (c *Client) Wait(d time.Duration) bool {
	for end := time.Now().Add(d); c.ring.Acked() < c.head; {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

// Reach waits until an agent is connected, or d has passed: after the death of
// one the next may be on its way.
func (c *Client) Reach(d time.Duration) bool {
	for end := time.Now().Add(d); ; time.Sleep(time.Millisecond) {
		c.link.mu.Lock()
		there := c.link.uc != nil
		c.link.mu.Unlock()
		if there || c.refused.Load() || time.Now().After(end) {
			return there
		}
	}
}

// End leaves word in the ring that the hook closes in good order: an agent that
// its bye does not reach knows it all the same. Bye and Close follow.
func (c *Client) End() {
	if c.open.Load() {
		c.ring.setEnded()
	}
}

// Close ends the session; the agent reads what was published.
func (c *Client) Close() error {
	if !c.open.CompareAndSwap(true, false) {
		return nil
	}
	l := &c.link
	l.mu.Lock()
	close(l.wake)
	if l.uc != nil {
		l.uc.Close()
	}
	l.mu.Unlock()
	l.done.Wait()
	return c.ring.Close()
}
