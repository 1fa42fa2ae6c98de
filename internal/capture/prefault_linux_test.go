package capture

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"

	"golang.org/x/sys/unix"
)

// The ring is as large as the machine allows, and most of it is never used. It
// gets memory for the beginning and for the first frame of each layout.
func TestMemoryOfTheRing(t *testing.T) {
	const frame = 3 << 20
	r := newRecorder()
	socket, stop := serve(t, r, Options{RingBytes: 256 << 20})
	defer stop()
	c := dial(t, socket)
	defer c.Close()
	c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "a", record.Weight, frame/4)}})
	taken := func() int64 {
		var st unix.Stat_t
		if err := unix.Fstat(int(c.ring.file.Fd()), &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	const beginning = prefaulted + 64<<10 // with the header and the records, as far as they are written
	wait(t, "memory for the beginning", func() bool { return taken() >= prefaulted })
	if n := taken(); n > beginning+1<<20 {
		t.Errorf("the ring takes %d bytes before anything is captured", n)
	}
	c.Say(TypeLayout, Layout{ID: 1, Bytes: frame, At: 100 << 20, Entries: []Entry{{0, 0, frame}}})
	c.Say(TypeLayout, Layout{ID: 2, Bytes: frame, At: 0, Entries: []Entry{{0, 0, frame}}})
	wait(t, "memory for the first frame", func() bool { return taken() >= prefaulted+frame })
	if n := taken(); n > beginning+frame+1<<20 {
		t.Errorf("with two layouts the ring takes %d bytes", n)
	}
}

// What is said of a place outside of the data area is nothing to make memory for.
func TestMemoryOutsideOfTheRing(t *testing.T) {
	s := &Session{ring: &Ring{Geometry: Geometry{DataBytes: 1 << 20}}}
	s.out.running = true // nobody takes it
	for _, l := range []Layout{{At: 1 << 20, Bytes: 64}, {At: 1 << 63, Bytes: 1 << 20}, {At: 64, Bytes: 64}} {
		if s.framed(l); len(s.out.want) != 0 {
			t.Errorf("%+v: %v", l, s.out.want)
		}
	}
}
