package capture

import (
	"sync/atomic"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Client is a hook's end of the protocol, for hooks written in Go. Its
// publishing methods must be called by one goroutine at a time; the socket is
// read by a goroutine of its own, which also finds the next agent when one
// dies.
type Client struct {
	welcome Welcome
	ring    *Ring
	plan    atomic.Pointer[Plan]
	head    uint64
	area    area
	open    atomic.Bool // false once the client is closed
	refused atomic.Bool // a later agent turned the hook down

	link link
}

// ClientOptions say who the hook is.
type ClientOptions struct {
	Socket  string
	Hello   Hello
	Timeout time.Duration // for the agent's answer; default 5 s
	// Patience is for the answer to the first hello; default Timeout.
	Patience time.Duration
}

// Run is the run's path.
func (c *Client) Run() string { return c.welcome.Run }

// Worker is the worker's name.
func (c *Client) Worker() string { return c.welcome.Worker }

// Place is where steps are counted on from; nil: from 0.
func (c *Client) Place() *record.Place { return c.welcome.Place }

// Windows of detail that were to come when it connected.
func (c *Client) Windows() []Window { return c.welcome.Windows }

// TakesMarks says that the agent knows Marks records.
func (c *Client) TakesMarks() bool { return c.welcome.Marks }

// Plan is the newest plan that came, nil before the first. It must not be
// changed.
func (c *Client) Plan() *Plan { return c.plan.Load() }

// Acked is the number of records whose values survive the agent's death.
func (c *Client) Acked() uint64 { return c.ring.Acked() }

// Head is the number of records published.
func (c *Client) Head() uint64 { return c.head }

// Use sets how much of the data area may be used. Data under way stays where
// it is; the new size holds when all of it has been consumed.
func (c *Client) Use(bytes uint64) {
	c.area.want = min(bytes, c.ring.DataBytes) &^ 63
}

// Room is the largest block that Alloc can give at all.
func (c *Client) Room() uint64 {
	if c.area.want != 0 {
		return c.area.want
	}
	return c.area.size
}

// Full reports whether no record can be published now.
func (c *Client) Full() bool { return c.head-c.ring.Consumed() >= c.ring.Slots }

// Alloc gives n bytes of the data area, or ok false when there is no room now.
// The next Publish must be of a record that uses them, or several publishes
// must share them in order; the block is free again when the last record of
// HoldUntil is consumed.
func (c *Client) Alloc(n uint64) (offset uint64, data []byte, ok bool) {
	c.area.release(c.ring.Consumed())
	offset, ok = c.area.alloc(n)
	if !ok {
		c.ring.setWanted(c.head)
		return 0, nil, false
	}
	data, ok = c.ring.data(offset, n)
	return offset, data, ok
}

// Hold says that all blocks given out so far are in use until the record
// published last is consumed.
func (c *Client) Hold() { c.area.hold(c.head) }

// Publish announces a record; it reports false, and counts, when there is no
// slot for it.
func (c *Client) Publish(r Record) bool {
	if c.Full() {
		c.ring.setWanted(c.head)
		c.ring.word(offDropped).Add(1)
		return false
	}
	if r.Time == 0 {
		r.Time = uint64(time.Now().UnixMicro())
	}
	c.ring.publish(c.head, &r)
	c.head++
	return true
}
