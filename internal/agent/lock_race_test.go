//go:build race

package agent

import "testing"

// Locks may be taken in their order, also with some left out, and given back in
// any.
func TestLockOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		held []lockOrder
		take lockOrder
		ok   bool
	}{
		{"the first", nil, lockJob, true},
		{"a later one", []lockOrder{lockJob}, lockCounts, true},
		{"one of no order", []lockOrder{lockEvents}, lockNone, true},
		{"an earlier one", []lockOrder{lockCounts}, lockJob, false},
		{"the same once more", []lockOrder{lockJob}, lockJob, false},
		{"between two", []lockOrder{lockStarting, lockCounts}, lockJob, false},
		{"by the rules", []lockOrder{lockRules}, lockJob, true},
		{"by the rules, what those hold who wait for them", []lockOrder{lockRules}, lockAsking, false},
	} {
		var h locksHeld
		for _, o := range c.held {
			h |= 1 << o
		}
		if got := h.allows(c.take); got != c.ok {
			t.Errorf("%s: it is %v that lock %d may be taken", c.name, got, c.take)
		}
	}
}

// Each goroutine has what it holds for itself, and nothing after it has given all
// back.
func TestLocksHeldByGoroutine(t *testing.T) {
	hold := func(o lockOrder) locksHeld { return change(o, func(h locksHeld) locksHeld { return h }) }
	a, b := &mutex{order: lockJob}, &mutex{order: lockCounts}
	a.Lock()
	b.Lock()
	if h := hold(lockJob); h != 1<<lockJob|1<<lockCounts {
		t.Errorf("held are %v", h)
	}
	other := make(chan locksHeld)
	go func() { other <- hold(lockJob) }()
	if h := <-other; h != 0 {
		t.Errorf("another goroutine holds %v", h)
	}
	a.Unlock()
	if h := hold(lockJob); h != 1<<lockCounts {
		t.Errorf("held are %v", h)
	}
	b.Unlock()
	if h := hold(lockJob); h != 0 {
		t.Errorf("held are %v", h)
	}
}
