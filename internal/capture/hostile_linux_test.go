package capture

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// hostile is what a broken or malicious hook may publish. Every case is
// refused and counted, and the step that follows it is read as ever.
var hostile = []struct {
	name string
	rec  Record
	want string // part of the reason
}{
	{"unknown kind", Record{Kind: 99}, "kind"},
	{"unknown mode", Record{Kind: Scalar, Mode: 9}, "mode"},
	{"negative step", Record{Kind: Scalar, Step: -1}, "range"},
	{"huge step", Record{Kind: Step, Step: math.MaxInt64}, "range"},
	{"negative mode step", Record{Kind: Step, ModeStep: -1}, "range"},
	{"unknown tensor", Record{Kind: Scalar, ID: 77}, "tensor id"},
	{"largest tensor id", Record{Kind: Tensor, ID: math.MaxUint32, DType: tensor.F32}, "tensor id"},
	{"numbers of no bytes", Record{Kind: Scalars, ID: 1}, "wrong size"},
	{"numbers cut off", Record{Kind: Scalars, ID: 1, NBytes: 12}, "wrong size"},
	{"numbers of unknown tensors", Record{Kind: Scalars, ID: 1, NBytes: 16}, "tensor id"},
	{"numbers without end", Record{Kind: Scalars, ID: 1, NBytes: math.MaxUint64 &^ 7}, "tensor id"},
	{"numbers outside of the data", Record{Kind: Scalars, ID: 0, NBytes: 16, Offset: 1 << 50}, "outside"},
	{"unknown layout", Record{Kind: Frame, ID: 77}, "layout id"},
	{"unknown shape", Record{Kind: Tensor, ID: 1, DType: tensor.F32, NBytes: 8, Shape: 9}, "shape id"},
	{"unknown element type", Record{Kind: Tensor, ID: 1, DType: 99, NBytes: 8}, "element type"},
	{"no element type", Record{Kind: Tensor, ID: 1, NBytes: 8}, "element type"},
	{"too few bytes", Record{Kind: Tensor, ID: 1, DType: tensor.F32, NBytes: 4}, "do not hold"},
	{"too many bytes", Record{Kind: Tensor, ID: 1, DType: tensor.F32, NBytes: 1 << 40}, "do not hold"},
	{"offset behind the end", Record{Kind: Tensor, ID: 1, DType: tensor.F32, NBytes: 8, Offset: 1 << 40}, "outside"},
	{"offset that wraps", Record{Kind: Tensor, ID: 1, DType: tensor.F32, NBytes: 8, Offset: math.MaxUint64 &^ 63}, "outside"},
	{"offset not aligned", Record{Kind: Tensor, ID: 1, DType: tensor.F32, NBytes: 8, Offset: 3}, "aligned"},
	{"frame of a wrong size", Record{Kind: Frame, ID: 1, NBytes: 64}, "wrong size"},
	{"frame outside", Record{Kind: Frame, ID: 1, NBytes: 128, Offset: 16 << 20}, "outside"},
	{"partial frame without its flags", Record{Kind: Frame, ID: 1, NBytes: 128, Flags: FlagPartial}, "wrong size"},
	{"piece before the tensor", Record{Kind: Piece, ID: 1, DType: tensor.F32, NBytes: 4, Value: -4}, "place"},
	{"piece nowhere", Record{Kind: Piece, ID: 1, DType: tensor.F32, NBytes: 4, Value: math.NaN()}, "place"},
	{"piece at infinity", Record{Kind: Piece, ID: 1, DType: tensor.F32, NBytes: 4, Value: math.Inf(1)}, "place"},
	{"piece behind the tensor", Record{Kind: Piece, ID: 1, DType: tensor.F32, NBytes: 8, Value: 4}, "outside"},
	{"piece outside of the data", Record{Kind: Piece, ID: 1, DType: tensor.F32, NBytes: 8, Offset: 1 << 50}, "outside"},
	{"step before the last one", Record{Kind: Step, Step: 4, ModeStep: 4}, "backwards"},
	{"scalar of a closed step", Record{Kind: Scalar, Step: 5, ModeStep: 5}, "backwards"},
}

func hostileSession(t *testing.T, o Options) (*recorder, *Client) {
	t.Helper()
	r := newRecorder()
	socket, _ := serve(t, r, o)
	c := dial(t, socket)
	c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "loss", record.Loss), info(1, "w", record.Weight, 2)}})
	c.Say(TypeLayout, Layout{ID: 1, Bytes: 128, Entries: []Entry{{1, 0, 8}}})
	return r, c
}

func TestHostileRecords(t *testing.T) {
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			r, c := hostileSession(t, Options{Poll: time.Millisecond})
			c.Publish(Record{Kind: Step, Step: 5, ModeStep: 5})
			if tt.rec.Step == 0 && tt.rec.ModeStep == 0 {
				tt.rec.Step, tt.rec.ModeStep = 6, 6
			}
			c.Publish(tt.rec)
			c.Publish(Record{Kind: Step, Step: 6, ModeStep: 6})
			c.Close()
			<-r.closed
			if got := strings.Join(r.all(), "\n"); !strings.Contains(got, "step TRAIN 6/6") {
				t.Errorf("the step after it did not come:\n%s", got)
			}
			if len(r.refused) != 1 {
				t.Fatalf("refused: %v", r.refused)
			}
			for reason, n := range r.refused {
				if n != 1 || !strings.Contains(reason, tt.want) {
					t.Errorf("refused %d: %q, want %q", n, reason, tt.want)
				}
			}
		})
	}
}

// TestHostileHeader breaks the ring's own numbers: the session ends, nothing
// else does.
func TestHostileHeader(t *testing.T) {
	for name, breakIt := range map[string]func(c *Client){
		"head beyond the ring": func(c *Client) { c.ring.word(offHead).Store(1 << 60) },
		"head runs back": func(c *Client) {
			c.Publish(Record{Kind: Step})
			c.Wait(time.Minute)
			c.ring.word(offHead).Store(0)
		},
		"number of a record": func(c *Client) {
			c.ring.word(offHead).Store(1)
		},
		"magic, slots and offsets": func(c *Client) {
			// The agent does not look at them again.
			for off := range 48 {
				c.ring.mem[off] = 0xff
			}
			c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := hostileSession(t, Options{Poll: time.Millisecond})
			breakIt(c)
			select {
			case <-r.closed:
			case <-time.After(time.Minute):
				t.Fatal("the session goes on")
			}
		})
	}
}

func TestHostileAnnouncements(t *testing.T) {
	r, c := hostileSession(t, Options{Poll: time.Millisecond})
	long := strings.Repeat("ä", 5000)
	many := make([]int64, 100)
	c.Say(TypeTensors, Tensors{[]TensorInfo{
		info(MaxTensors, "far", record.Weight),
		info(2, "", record.Weight),
		info(3, "negative", record.Weight, -1),
		info(4, "huge", record.Weight, 1<<40, 1<<40),
		{5, record.TensorInfo{Name: "many", Shape: many}},
		{6, record.TensorInfo{Name: "odd", DType: "F4"}},
		info(7, long, "nonsense", 1),
		info(8, "a/b\"\n\x00日本", record.Custom, 0, 3),
	}})
	c.Say(TypeShapes, Shapes{[]Shape{{0, nil}, {MaxShapes, nil}}})
	c.Say(TypeLayout, Layout{ID: 1, Bytes: 64})
	c.Say(TypeLayout, Layout{ID: 2, Bytes: 1 << 60})
	c.Say(TypeLayout, Layout{ID: 3, Bytes: 64, Entries: []Entry{{1, 60, 8}}})
	c.Say(TypeLayout, Layout{ID: 4, Bytes: 64, Entries: []Entry{{1, math.MaxUint64, 8}}})
	c.Say(TypeLayout, Layout{ID: 5, Bytes: 64, Entries: []Entry{{1, 0, 4}}})
	c.Say(TypeLayout, Layout{ID: 6, Bytes: 64, Entries: []Entry{{99, 0, 4}}})
	c.Say(TypeModules, []int{1}) // no object: refused before it is sent
	c.Publish(Record{Kind: Scalar, ID: 7, Value: 1})
	c.Publish(Record{Kind: Scalar, ID: 8, Value: 2})
	c.Publish(Record{Kind: Step})
	c.Close()
	<-r.closed
	lines := strings.Join(r.all(), "\n")
	for _, want := range []string{"0 scalar ää", "1 scalar a/b\"\n\x00日本 2", "2 step TRAIN 0/0"} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is missing in\n%s", want, lines)
		}
	}
	n := int64(0)
	for _, k := range r.refused {
		n += k
	}
	if n != 8 { // one for the tensors, one for the shapes, six layouts
		t.Errorf("%d refusals: %v", n, r.refused)
	}
	if d := r.session.names.tensor(7); d == nil || len(d.Name) > MaxName || !d.Cut {
		t.Errorf("long name: %+v", d)
	}
}

// TestTakeoverMarks hands the agent rings whose marks cannot be.
func TestTakeoverMarks(t *testing.T) {
	for name, set := range map[string]func(r *Ring){
		"acked beyond consumed": func(r *Ring) { r.setAcked(5) },
		"consumed beyond head":  func(r *Ring) { r.setConsumed(5) },
		"head beyond the slots": func(r *Ring) { r.word(offHead).Store(1 << 40) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			socket, _ := serve(t, r, Options{})
			ring, err := NewRing(16<<20, 64)
			if err != nil {
				t.Fatal(err)
			}
			defer ring.Close()
			set(ring)
			_, _, _, err = hello(ClientOptions{Socket: socket, Timeout: time.Minute, Hello: Hello{V: Version, Session: testSession}}, ring)
			if err == nil || !strings.Contains(err.Error(), "marks") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// hostileBytes are no messages.
var hostileBytes = []struct{ name, bytes, want string }{
	{"length beyond the limit", "\xff\xff\xff\xff", "more than a message may have"},
	{"no JSON", "\x02\x00\x00\x00{[", "decode message"},
	{"no object", "\x02\x00\x00\x0012", "decode message"},
	{"no kind", "\x02\x00\x00\x00{}", "no kind"},
	{"nothing in it", "\x00\x00\x00\x00", "decode message"},
}

// TestHostileBytes sends what is no message in place of a hello, and in the
// middle of a session: the connection is closed, and somebody is told why.
func TestHostileBytes(t *testing.T) {
	for _, tt := range hostileBytes {
		t.Run(tt.name, func(t *testing.T) {
			r := newRecorder()
			socket, _ := serve(t, r, Options{Poll: time.Millisecond})
			c := connect(t, socket, tt.bytes)
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("the agent answers")
			}
			wait(t, "the reason", func() bool {
				return strings.Contains(strings.Join(r.all(), "\n"), "turned away: ") && strings.Contains(strings.Join(r.all(), "\n"), tt.want)
			})

			hello, err := AppendMessage(nil, TypeHello, Hello{V: Version, Session: testSession, PID: os.Getpid(), World: 1})
			if err != nil {
				t.Fatal(err)
			}
			c = connect(t, socket, string(hello))
			if m, err := ReadMessage(c); err != nil || m.Type != TypeWelcome {
				t.Fatalf("answer to the hello: %+v, %v", m, err)
			}
			if _, err := c.Write([]byte(tt.bytes)); err != nil {
				t.Fatal(err)
			}
			<-r.closed
			if got := strings.Join(r.all(), "\n"); !strings.Contains(got, "failed: ") || !strings.Contains(got[strings.Index(got, "failed: "):], tt.want) {
				t.Errorf("nobody said why the session ended:\n%s", got)
			}
		})
	}
}

// TestLengthAlone announces a message of the largest length and sends nothing
// of it: the length takes no memory, and others are served meanwhile.
func TestLengthAlone(t *testing.T) {
	r := newRecorder()
	socket, _ := serve(t, r, Options{Poll: time.Millisecond})
	for range 50 {
		connect(t, socket, "\x00\x00\x00\x04{")
	}
	c := dial(t, socket)
	c.Publish(Record{Kind: Step})
	c.Close()
	<-r.closed
	if got := strings.Join(r.all(), "\n"); !strings.Contains(got, "step TRAIN 0/0") {
		t.Errorf("the step did not come:\n%s", got)
	}
}

// TestAnotherUser listens for another user than the one who connects.
func TestAnotherUser(t *testing.T) {
	dir, err := os.MkdirTemp("", "vcap")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	r := newRecorder()
	l, err := Listen(filepath.Join(dir, "s"), Options{Handler: r, RingBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	l.uid = os.Getuid() + 1
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- l.Serve(ctx) }()
	if _, err := Dial(ClientOptions{Socket: filepath.Join(dir, "s"), Hello: Hello{Session: testSession, PID: os.Getpid(), World: 1}}); err == nil {
		t.Error("another user got a session")
	}
	cancel()
	<-done
	want := fmt.Sprintf("turned away: it came from user %d, and only user %d may", os.Getuid(), l.uid)
	if got := strings.Join(r.all(), "\n"); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// connect opens a connection of bytes that no client would send.
func connect(t *testing.T, socket, first string) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Write([]byte(first)); err != nil {
		t.Fatal(err)
	}
	return c
}
