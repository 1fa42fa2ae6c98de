package capture

// area hands out the data area of a ring in order, as a queue: blocks become
// free in the order in which they were given out.
type area struct {
	size uint64 // bytes in use
	want uint64 // size to go to when nothing is under way
	next uint64 // position of the next block; positions grow while blocks are under way
	tail uint64 // position of the oldest block under way
	held []hold
}

// hold says that the blocks before a position are in use until a number of
// records is consumed.
type hold struct{ records, end uint64 }

// alloc gives a block of n bytes that does not wrap around.
func (a *area) alloc(n uint64) (offset uint64, ok bool) {
	if a.next == a.tail { // nothing is under way
		if a.want != 0 {
			a.size, a.want = a.want, 0
		}
		a.next, a.tail, a.held = 0, 0, a.held[:0]
	}
	n = (n + 63) &^ 63
	if a.size == 0 || n > a.size {
		return 0, false
	}
	at := a.next
	if in := at % a.size; in+n > a.size {
		at += a.size - in
	}
	if at+n-a.tail > a.size {
		return 0, false
	}
	a.next = at + n
	return at % a.size, true
}

// hold ties the blocks given out since the last call to a number of records.
func (a *area) hold(records uint64) {
	if n := len(a.held); n > 0 && a.held[n-1].end == a.next {
		return
	}
	a.held = append(a.held, hold{records, a.next})
}

// release frees what was tied to records that are consumed by now.
func (a *area) release(consumed uint64) {
	i := 0
	for i < len(a.held) && a.held[i].records <= consumed {
		a.tail = a.held[i].end
		i++
	}
	if i > 0 {
		a.held = append(a.held[:0], a.held[i:]...)
	}
}
