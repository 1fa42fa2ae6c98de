package capture

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testSession = "00112233445566778899aabbccddeeff"

// recorder is a Handler and Sink that writes down what it is told.
type recorder struct {
	mu      sync.Mutex
	lines   []string
	refused map[string]int64
	records int
	hold    bool // acknowledge nothing
	closed  chan struct{}
	plan    Plan
	refuse  error
	session *Session
}

func newRecorder() *recorder {
	return &recorder{refused: map[string]int64{}, closed: make(chan struct{}), plan: Plan{Schedules: []plan.Schedule{}}}
}

func (r *recorder) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

func (r *recorder) Open(s *Session) (Accepted, error) {
	if r.refuse != nil {
		return Accepted{}, r.refuse
	}
	r.session = s
	return Accepted{Sink: r, Run: "/run", Worker: "worker_0"}, nil
}

func (r *recorder) Control(c Control, p Peer) any {
	return map[string]any{"ok": c.Cmd == "stop", "pid": p.PID}
}

func (r *recorder) TurnedAway(reason string) { r.say("turned away: %s", reason) }

func (r *recorder) Modules(m Modules)       { r.say("modules %d %s", len(m.Modules), m.Root) }
func (r *recorder) Collection(c Collection) { r.say("collection %s", c.Name) }
func (r *recorder) Facts(f Facts)           { r.say("facts %s", f.Said) }
func (r *recorder) Missing(m Missing)       { r.say("missing %d", len(m.Missing)) }
func (*recorder) Checkpoint(Checkpoint)     {}
func (*recorder) Provenance(Provenance)     {}
func (*recorder) Traceback(Traceback)       {}
func (*recorder) Loader(Loader)             {}
func (*recorder) Compiler(Compiler)         {}
func (r *recorder) Notice(n Notice)         { r.say("notice %s", n.Text) }
func (r *recorder) Bye(Bye)                 { r.say("bye") }
func (r *recorder) Plan() Plan              { return r.plan }
func (r *recorder) Tensors(ds []*TensorDef) {
	for _, d := range ds {
		r.say("tensor %d %s", d.ID, cutLine(d.Name))
	}
}

func (r *recorder) Records(items []Item) uint64 {
	for _, it := range items {
		switch it.Kind {
		case Scalar:
			r.say("%d scalar %s %g", it.N, it.Tensor.Name, it.Value)
		case Tensor:
			r.say("%d tensor %s %v %v", it.N, it.Tensor.Name, it.Dims, floats(it.Data))
		case Piece:
			r.say("%d piece %s at %g %d bytes last %v", it.N, it.Tensor.Name, it.Value, len(it.Data), it.Flags&FlagLast != 0)
		case Frame:
			for i, p := range it.Places {
				if it.Present == nil || it.Present[i] != 0 {
					r.say("%d frame %s %v", it.N, p.Tensor.Name, floats(it.Data[p.Offset:p.Offset+p.NBytes]))
				}
			}
		case Step:
			r.say("%d step %s %d/%d", it.N, it.Mode, it.Step, it.ModeStep)
		case Drop:
			r.say("%d drop %s %d", it.N, Reason(it.Shape), it.NBytes)
		}
		r.mu.Lock()
		r.records = int(it.N) + 1
		r.mu.Unlock()
	}
	if r.hold {
		return 0
	}
	return uint64(r.records)
}

func (r *recorder) Refuse(reason string, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused[reason] += n
}

func (r *recorder) Failed(reason string) { r.say("failed: %s", reason) }

func (r *recorder) Closed(bye bool) {
	r.say("closed bye=%v", bye)
	close(r.closed)
}

func cutLine(s string) string {
	if len(s) > 40 {
		return s[:40]
	}
	return s
}

func floats(b []byte) []float32 {
	out := []float32{}
	for ; len(b) >= 4; b = b[4:] {
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return out
}

func put(b []byte, v ...float32) {
	for i, f := range v {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(f))
	}
}

// serve listens in a directory of its own.
func serve(t testing.TB, h Handler, o Options) (socket string, stop func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "vcap")
	if err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(dir, "s")
	o.Handler = h
	if o.RingBytes == 0 {
		o.RingBytes = 16 << 20
	}
	l, err := Listen(socket, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Serve(ctx)
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			<-done
			os.RemoveAll(dir)
		})
	}
	t.Cleanup(stop)
	return socket, stop
}

func dial(t testing.TB, socket string) *Client {
	t.Helper()
	c, err := Dial(ClientOptions{Socket: socket, Hello: Hello{Session: testSession, PID: os.Getpid(), World: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func wait(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestSession(t *testing.T) {
	r := newRecorder()
	socket, stop := serve(t, r, Options{})
	c := dial(t, socket)
	if c.Run() != "/run" || c.Worker() != "worker_0" {
		t.Errorf("welcome: run %q, worker %q", c.Run(), c.Worker())
	}
	c.Say(TypeModules, Modules{Root: "Net", Modules: []Module{{"fc", "Linear", 0}}})
	c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "loss", record.Loss), info(1, "fc.weight", record.Weight, 2), info(2, "x", record.Custom, 3)}})
	c.Say(TypeShapes, Shapes{[]Shape{{1, []int64{1}}}})
	c.Say(TypeLayout, Layout{ID: 1, Bytes: 128, Entries: []Entry{{1, 0, 8}, {2, 64, 12}}})
	wait(t, "the plan", func() bool { return c.Plan() != nil })

	c.Publish(Record{Kind: Scalar, ID: 0, Value: 0.5})
	off, b, ok := c.Alloc(4)
	if !ok {
		t.Fatal("no room")
	}
	put(b, 7)
	c.Publish(Record{Kind: Tensor, DType: tensor.F32, ID: 2, Offset: off, NBytes: 4, Shape: 1})
	off, b, _ = c.Alloc(128 + 2)
	put(b, 1, 2)
	put(b[64:], 3, 4, 5)
	b[128], b[129] = 1, 0
	c.Publish(Record{Kind: Frame, ID: 1, Offset: off, NBytes: 128})
	c.Publish(Record{Kind: Frame, ID: 1, Offset: off, NBytes: 130, Flags: FlagPartial})
	c.Hold()
	c.Publish(Record{Kind: Piece, DType: tensor.F32, ID: 2, Offset: off, NBytes: 8, Value: 0})
	c.Publish(Record{Kind: Piece, DType: tensor.F32, ID: 2, Offset: off, NBytes: 4, Value: 8, Flags: FlagLast})
	c.Publish(Record{Kind: Drop, ID: 1, NBytes: 3, Shape: uint32(BreakerOpen)})
	c.Publish(Record{Kind: Step, Value: 0.01})
	c.Publish(Record{Kind: Step, Mode: record.Eval, Step: 1})
	c.Publish(Record{Kind: Scalar, Flags: FlagFree, ID: 0, Value: 0.25})
	if !c.Wait(time.Minute) {
		t.Fatal("nothing was acknowledged")
	}
	c.Say(TypeFacts, Facts{Facts: []byte(noFacts), Said: "a net"})
	c.Say(TypeNotice, Notice{Text: "hello"})
	c.Say(TypeMissing, Missing{})
	c.Say(TypeCollection, Collection{Name: "mine"})
	c.Say("hologram", struct{}{})
	c.Say(TypeBye, Bye{})
	<-r.closed
	c.Close()
	stop()
	want := []string{
		"modules 1 Net", "tensor 0 loss", "tensor 1 fc.weight", "tensor 2 x",
		"0 scalar loss 0.5", "1 tensor x [1] [7]",
		"2 frame fc.weight [1 2]", "2 frame x [3 4 5]", "3 frame fc.weight [1 2]",
		"4 piece x at 0 8 bytes last false", "5 piece x at 8 4 bytes last true",
		"6 drop breaker_open 3", "7 step TRAIN 0/0", "8 step EVAL 1/0", "9 scalar loss 0.25",
		"facts a net", "notice hello", "missing 0", "collection mine", "bye", "closed bye=true",
	}
	if got := r.all(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(r.refused) > 0 {
		t.Errorf("refused: %v", r.refused)
	}
}

// TestEndedWithoutBye loses the last message of a hook that closes in good
// order: the word in the ring says so.
func TestEndedWithoutBye(t *testing.T) {
	for _, ended := range []bool{false, true} {
		r := newRecorder()
		socket, stop := serve(t, r, Options{})
		c := dial(t, socket)
		if ended {
			c.End()
		}
		c.Close()
		<-r.closed
		stop()
		if got, want := r.all(), []string{fmt.Sprintf("closed bye=%v", ended)}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestWordsBeforeRecords says something before each record: it is handled first.
func TestWordsBeforeRecords(t *testing.T) {
	r := newRecorder()
	socket, stop := serve(t, r, Options{})
	c := dial(t, socket)
	var want []string
	for i := range 200 {
		said := fmt.Sprintf("before %d", i)
		c.Say(TypeFacts, Facts{Facts: []byte(noFacts), Said: said})
		c.Publish(Record{Kind: Step, Step: int64(i), ModeStep: int64(i)})
		want = append(want, "facts "+said, fmt.Sprintf("%d step TRAIN %d/%d", i, i, i))
	}
	c.Close()
	<-r.closed
	stop()
	place := map[string]int{}
	for i, line := range r.all() {
		place[line] = i
	}
	for i := 0; i < len(want); i += 2 {
		words, record := place[want[i]], place[want[i+1]]
		if words >= record {
			t.Fatalf("%q was handled at place %d, after %q at %d", want[i], words, want[i+1], record)
		}
	}
}

// TestWanted publishes one open step that is larger than the hook's free area:
// what was read makes room when the hook waits for it, although the step is not
// stored, and not before.
func TestWanted(t *testing.T) {
	r := newRecorder()
	r.hold = true
	socket, _ := serve(t, r, Options{Poll: time.Millisecond})
	c := dial(t, socket)
	c.area.size = 1024
	c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "x", record.Custom, 100)}})
	const n = 20
	for i := range n {
		var off uint64
		wait(t, "room", func() (ok bool) {
			off, _, ok = c.Alloc(400)
			return ok
		})
		if i == 1 && c.ring.Consumed() != 0 {
			t.Errorf("%d records were released before anybody wanted their room", c.ring.Consumed())
		}
		c.Publish(Record{Kind: Tensor, DType: tensor.F32, ID: 0, Offset: off, NBytes: 400})
		c.Hold()
	}
	wait(t, "all records", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.records == n
	})
	if a := c.ring.Acked(); a != 0 {
		t.Errorf("%d records of an open step are acknowledged", a)
	}
}

// TestWrap publishes many times what the record and the data area hold.
func TestWrap(t *testing.T) {
	r := newRecorder()
	socket, _ := serve(t, r, Options{RingBytes: 4096 + 4096 + 3*4096, Slots: 64, Poll: time.Millisecond})
	c := dial(t, socket)
	c.area.size = c.ring.DataBytes
	c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "x", record.Custom, 100)}})
	const n = 2000
	for i := range n {
		var off uint64
		var b []byte
		wait(t, "room", func() (ok bool) {
			if c.Full() {
				return false
			}
			off, b, ok = c.Alloc(400)
			return ok
		})
		v := make([]float32, 100)
		for k := range v {
			v[k] = float32(i)
		}
		put(b, v...)
		c.Publish(Record{Kind: Tensor, DType: tensor.F32, ID: 0, Step: int64(i), ModeStep: int64(i), Offset: off, NBytes: 400})
		c.Hold()
	}
	if !c.Wait(time.Minute) {
		t.Fatal("not all was acknowledged")
	}
	c.Close()
	<-r.closed
	got := 0
	for _, l := range r.all() {
		if strings.Contains(l, " tensor x [100]") {
			want := fmt.Sprintf("%d tensor x [100] [", got) + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d ", got), 100), " ") + "]"
			if l != want {
				t.Fatalf("record %d: got %.60q, want %.60q", got, l, want)
			}
			got++
		}
	}
	if got != n {
		t.Errorf("%d records came of %d", got, n)
	}
	if c.ring.mem != nil {
		t.Error("the ring is still mapped")
	}
}

func TestPlanReachesTheHook(t *testing.T) {
	r := newRecorder()
	s := plan.Schedule{}
	s[record.Train].Every = 5
	s[record.Eval].Off = true
	r.plan = Plan{Budget: 0.02, Schedules: []plan.Schedule{s}, Tensors: [][2]int64{{0, 0}}, Modules: []PlanModule{{"relu", record.Output, 0}}, Losses: true}
	socket, _ := serve(t, r, Options{})
	c := dial(t, socket)
	c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "x", record.Custom, 3)}})
	wait(t, "the plan", func() bool { return c.Plan() != nil })
	p := c.Plan()
	if p.Version != 1 || p.Budget != 0.02 || !p.Losses || len(p.Modules) != 1 || p.Modules[0] != r.plan.Modules[0] || p.Ring.Use <= 0 {
		t.Errorf("plan %+v", p)
	}
	if !p.Schedules[0].Equal(s) {
		t.Errorf("schedule %+v", p.Schedules[0])
	}
	wait(t, "the version", func() bool { return c.ring.PlanVersion() == 1 })
	r.session.Replan()
	wait(t, "the next plan", func() bool { return c.ring.PlanVersion() == 2 && c.Plan().Version == 2 })
	c.Close()
	<-r.closed
}

// Announcements that come one behind the other get one answer: while one is on
// its way, no plan is made that it would make old.
func TestOnePlanForManyAnnouncements(t *testing.T) {
	r := newRecorder()
	socket, _ := serve(t, r, Options{Poll: time.Millisecond})
	c := dial(t, socket)
	var said []byte
	for i := range uint32(8) {
		var err error
		if said, err = AppendMessage(said, TypeTensors, Tensors{[]TensorInfo{info(i, fmt.Sprint("w", i), record.Weight, 2)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range [][]byte{said[:len(said)-1], said[len(said)-1:]} { // the last byte comes late
		if _, err := c.link.uc.Write(part); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		if p := c.Plan(); p != nil && p.Version > 0 {
			if p.Version != 1 {
				t.Errorf("version %d of the plan is there, want the first", p.Version)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatal("no plan came")
		}
	}
}

func TestRefused(t *testing.T) {
	r := newRecorder()
	r.refuse = &Refused{"no", "go away"}
	socket, _ := serve(t, r, Options{})
	_, err := Dial(ClientOptions{Socket: socket, Hello: Hello{Session: testSession}})
	if err == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("error %v", err)
	}
	socket, _ = serve(t, newRecorder(), Options{})
	if _, err := Dial(ClientOptions{Socket: socket, Hello: Hello{Session: "short"}}); err == nil {
		t.Error("a session that is no session was welcomed")
	}
}

func TestListenWantsAClosedDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(filepath.Join(dir, "s"), Options{}); err == nil || !strings.Contains(err.Error(), "0700") {
		t.Errorf("error %v", err)
	}
	if _, err := Listen("/"+strings.Repeat("x", 120), Options{}); err == nil {
		t.Error("a path that is too long was taken")
	}
}
