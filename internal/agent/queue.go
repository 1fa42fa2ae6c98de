package agent

import "sync"

// queue hands work to one goroutine in the order in which it came. Work that
// may be much (steps) waits for room, which slows down who brings it; what has
// to be said whatever happens never waits, so it may be said with a lock held.
type queue struct {
	mu     mutex
	change sync.Cond
	list   []func()
	closed bool
}

// queueRoom is how much may wait before who brings more has to.
const queueRoom = 64

func newQueue() *queue {
	q := &queue{mu: mutex{order: lockQueue}}
	q.change.L = &q.mu
	return q
}

// put adds work and does not wait. After close nothing is added.
func (q *queue) put(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(f)
}

// wait adds work when there is room.
func (q *queue) wait(f func()) {
	lockRules.awaiting()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) >= queueRoom && !q.closed {
		q.change.Wait()
	}
	q.add(f)
}

// offer adds work that may as well be left out, if there is room.
func (q *queue) offer(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) < queueRoom {
		q.add(f)
	}
}

// call adds work and returns when it is done; after close at once.
func (q *queue) call(f func()) {
	lockRules.awaiting()
	done := make(chan struct{})
	q.mu.Lock()
	there := q.add(func() {
		defer close(done)
		f()
	})
	q.mu.Unlock()
	if there {
		<-done
	}
}

func (q *queue) add(f func()) bool {
	if q.closed {
		return false
	}
	q.list = append(q.list, f)
	q.change.Broadcast()
	return true
}

// next takes the oldest work, waiting for it; false when all that came before
// close is done.
func (q *queue) next() (func(), bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 {
		if q.closed {
			return nil, false
		}
		q.change.Wait()
	}
	f := q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	q.change.Broadcast()
	return f, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change.Broadcast()
}
