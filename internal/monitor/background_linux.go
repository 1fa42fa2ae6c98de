package monitor

import (
	"sync/atomic"
	"time"
)

// background reads what may hang (a file system of another machine, a driver) in a
// goroutine of its own, so that nothing else waits for it for long.
type background[T any] struct {
	result atomic.Pointer[T]
	done   chan struct{} // closed when the last reading is over; nil: there was none
	asked  time.Time
}

// ask has it read, unless it still does or was asked less than gap ago.
func (b *background[T]) ask(now time.Time, gap time.Duration, read func() *T) {
	if b.done != nil && now.Sub(b.asked) < gap || b.reading() {
		return
	}
	done := make(chan struct{})
	b.asked, b.done = now, done
	go func() {
		defer close(done)
		b.result.Store(read())
	}()
}

// reading tells that the last reading is not over.
func (b *background[T]) reading() bool {
	if b.done == nil {
		return false
	}
	select {
	case <-b.done:
		return false
	default:
		return true
	}
}

// take waits a little for the result; nil when the reading goes on or failed.
func (b *background[T]) take(wait time.Duration) *T {
	if b.reading() {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-b.done:
		case <-t.C:
			return nil
		}
	}
	return b.result.Load()
}
