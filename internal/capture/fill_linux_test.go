package capture

import (
	"encoding/binary"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/record"
)

// A hook that copies nothing itself: the agent reads two tensors out of its
// memory into a frame, and the frame is then published as any other.
func TestFill(t *testing.T) {
	r := newRecorder()
	socket, stop := serve(t, r, Options{})
	c := dial(t, socket)
	c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "a", record.Weight, 2), info(1, "none", record.Weight, 0), info(2, "b", record.Weight, 3)}})
	c.Say(TypeLayout, Layout{ID: 1, Bytes: 192, Entries: []Entry{{0, 0, 8}, {1, 64, 0}, {2, 128, 12}}})
	wait(t, "the plan", func() bool { return c.Plan() != nil })

	a, b := []float32{1, 2}, []float32{3, 4, 5}
	addresses := []uint64{at(&a[0]), 0, at(&b[0])}
	fill := func(nbytes uint64, addresses ...uint64) (offset, n uint64) {
		offset, data, ok := c.Alloc(192)
		if !ok {
			t.Fatal("no room")
		}
		for i, a := range addresses {
			binary.LittleEndian.PutUint64(data[8*i:], a)
		}
		n = c.Head()
		c.Publish(Record{Kind: Fill, ID: 1, Offset: offset, NBytes: nbytes})
		wait(t, "the agent to look at it", func() bool { return c.ring.Filled() > n })
		return offset, n
	}
	offset, _ := fill(24, addresses...)
	if n := c.ring.Unfilled(); n != 0 {
		t.Fatalf("record %d was not filled", n-1)
	}
	a[0] = 9 // no longer looked at
	c.Publish(Record{Kind: Frame, ID: 1, Offset: offset, NBytes: 192})
	c.Publish(Record{Kind: Step, Value: 0.01})

	// What cannot be read is the hook's to copy, and no fault of anybody's.
	if _, n := fill(24, addresses[0], 0, 4096); c.ring.Unfilled() != n+1 {
		t.Errorf("address 4096: last not filled is %d, want %d", c.ring.Unfilled(), n+1)
	}
	// What fits no layout is refused.
	if _, n := fill(16, addresses...); c.ring.Unfilled() != n+1 {
		t.Errorf("two addresses for three tensors: last not filled is %d, want %d", c.ring.Unfilled(), n+1)
	}
	c.Publish(Record{Kind: Fill, ID: 1, Offset: c.ring.DataBytes - 64, NBytes: 24})
	c.Publish(Record{Kind: Fill, ID: 7, NBytes: 24})
	wait(t, "the agent to refuse them", func() bool { return c.ring.Unfilled() == c.Head() })
	c.Say(TypeBye, Bye{})
	<-r.closed
	c.Close()
	stop()
	want := []string{"1 frame a [1 2]", "1 frame none []", "1 frame b [3 4 5]", "2 step TRAIN 0/0"}
	got := slices.DeleteFunc(r.all(), func(s string) bool { return s[0] < '0' || s[0] > '9' })
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, reason := range []string{"addresses of a wrong size", "data outside of the data area", "unknown layout id"} {
		if r.refused[reason] != 1 {
			t.Errorf("refused %v, want one of %q", r.refused, reason)
		}
	}
}

// What was to be filled when an agent died is left to the hook: by now it may
// have other things at those addresses, and the frame in use.
func TestFillAfterTakeover(t *testing.T) {
	ring, err := NewRing(16<<20, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer ring.Close()
	rec := Record{Kind: Fill, ID: 1, NBytes: 24}
	ring.publish(0, &rec)
	s := &Session{ring: ring, opts: Options{}.withDefaults()}
	if err := s.resume(); err != nil {
		t.Fatal(err)
	}
	s.fills(ring.Head()) // has no tables to look anything up in
	if s.asked != 1 || ring.Unfilled() != 0 {
		t.Errorf("looked at %d records, %d not filled", s.asked, ring.Unfilled())
	}
}

func at(f *float32) uint64 { return uint64(uintptr(unsafe.Pointer(f))) }

// A hook that sees a Fill dealt with looks who says so: by then the pid must be
// that of the agent that does. Here the ring ends where filled begins, so an
// agent that takes over is stopped at the moment at which it says it.
func TestPIDBeforeFilled(t *testing.T) {
	const size, slots = 16 << 10, 16
	g, err := geometry(size, slots)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	pages, err := unix.Mmap(-1, 0, 2*page+size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(pages)
	ring := &Ring{Geometry: g, mem: pages[page-offFilled:][:size]}
	ring.setAgentPID(1)
	ring.publish(0, &Record{Kind: Fill, ID: 1, NBytes: 24})
	if err := unix.Mprotect(pages[page:2*page], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	s := &Session{ring: ring, opts: Options{}.withDefaults(), Hello: Hello{Takeover: true}}
	at := faultOf(func() { s.begin(newRecorder()) })
	if at != uintptr(unsafe.Pointer(&ring.mem[offFilled])) {
		t.Errorf("stopped at %#x, want that at filled", at)
	}
	if pid := ring.AgentPID(); pid != os.Getpid() {
		t.Errorf("when it says what is filled, the pid is %d, want its own, %d", pid, os.Getpid())
	}
}

// faultOf calls a function and returns the address that it could not write to, 0 if there was none.
func faultOf(f func()) (at uintptr) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault, ok := recover().(interface{ Addr() uintptr }); ok {
			at = fault.Addr()
		}
	}()
	f()
	return 0
}
