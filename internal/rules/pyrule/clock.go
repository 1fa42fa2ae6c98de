package pyrule

import (
	"sync"
	"time"
)

// clock measures how long the process takes for its turns. It takes them one
// after another, so only the oldest one runs.
type clock struct {
	mu      sync.Mutex
	late    func(after time.Duration)
	timer   *time.Timer
	waiting []time.Duration // limits of the turns that are not over, the oldest first
	turns   int             // that are over
	turn    int             // counts what the timer was set for
}

func newClock(late func(after time.Duration)) *clock { return &clock{late: late} }

// begin says that a turn is asked for.
func (c *clock) begin(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, limit)
	if len(c.waiting) == 1 {
		c.set()
	}
}

// done says that the oldest turn is over.
func (c *clock) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return
	}
	c.waiting = c.waiting[1:]
	c.turns++
	c.set()
}

// said reports whether any turn is over.
func (c *clock) said() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turns > 0
}

// stop ends all measuring.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = nil
	c.set()
}

// set starts the timer for the oldest turn; c.mu is held.
func (c *clock) set() {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	c.turn++
	if len(c.waiting) == 0 {
		return
	}
	turn, limit := c.turn, c.waiting[0]
	c.timer = time.AfterFunc(limit, func() {
		c.mu.Lock()
		now := c.turn == turn
		c.mu.Unlock()
		if now {
			c.late(limit)
		}
	})
}
