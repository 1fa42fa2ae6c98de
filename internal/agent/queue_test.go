package agent

import (
	"slices"
	"sync"
	"testing"
)

// Work that must not wait is taken although the queue is full and nobody works;
// it keeps its place among the work that waits for room.
func TestQueue(t *testing.T) {
	q := newQueue()
	var got []int
	for i := range queueRoom {
		q.wait(func() { got = append(got, i) })
	}
	q.offer(func() { t.Error("there was no room for this") })
	q.put(func() { got = append(got, queueRoom) })
	var wg sync.WaitGroup
	wg.Go(func() { q.wait(func() { got = append(got, queueRoom+1) }) })
	for range queueRoom + 2 {
		f, ok := q.next()
		if !ok {
			t.Fatal("the queue has ended")
		}
		f()
	}
	wg.Wait()
	if !slices.IsSorted(got) || len(got) != queueRoom+2 {
		t.Errorf("done in the order %v", got)
	}
	q.wait(func() { got = nil })
	q.close()
	q.put(func() { t.Error("this came after the end") })
	if f, ok := q.next(); !ok {
		t.Error("what came before the end was forgotten")
	} else {
		f()
	}
	if _, ok := q.next(); ok {
		t.Error("the queue has not ended")
	}
}
