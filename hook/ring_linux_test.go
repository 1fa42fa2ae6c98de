package hook_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reader is an agent that counts, or that does not read at all.
type reader struct {
	mu      sync.Mutex
	asleep  chan struct{} // records wait for it, when not nil
	names   map[string]int
	kinds   map[capture.Kind]int
	dropped map[string]int64
	every   int64
	closed  chan struct{}
	facts   capture.Facts
	known   []*capture.TensorDef
	marks   [][]byte
}

func newReader(every int64) *reader {
	return &reader{names: map[string]int{}, kinds: map[capture.Kind]int{}, every: every, closed: make(chan struct{})}
}

func (r *reader) Open(s *capture.Session) (capture.Accepted, error) {
	return capture.Accepted{Sink: r, Run: "/run", Worker: "worker_0"}, nil
}
func (r *reader) Control(capture.Control, capture.Peer) any { return map[string]any{} }
func (r *reader) TurnedAway(string)                         {}
func (r *reader) Modules(capture.Modules)                   {}
func (r *reader) Collection(capture.Collection)             {}
func (r *reader) Facts(f capture.Facts)                     { r.facts = f }
func (r *reader) Missing(capture.Missing)                   {}
func (*reader) Checkpoint(capture.Checkpoint)               {}
func (*reader) Provenance(capture.Provenance)               {}
func (*reader) Traceback(capture.Traceback)                 {}
func (*reader) Loader(capture.Loader)                       {}
func (*reader) Compiler(capture.Compiler)                   {}
func (r *reader) Notice(capture.Notice)                     {}
func (r *reader) Refuse(reason string, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names["refused "+reason] += int(n)
}
func (r *reader) Bye(b capture.Bye) { r.dropped = b.Dropped }
func (r *reader) Failed(string)     {}
func (r *reader) Closed(bool)       { close(r.closed) }
func (r *reader) Tensors(d []*capture.TensorDef) {
	r.known = append(r.known, d...)
}

func (r *reader) Plan() capture.Plan {
	var s plan.Schedule
	for m := range s {
		s[m].Every = r.every
	}
	p := capture.Plan{Budget: 0.02, Losses: true, Schedules: []plan.Schedule{s}, Ring: capture.PlanRing{Use: 1 << 20}}
	p.Modules = []capture.PlanModule{{Path: "fc", Side: record.Output, Schedule: 0}}
	for _, d := range r.known {
		p.Tensors = append(p.Tensors, [2]int64{int64(d.ID), 0})
	}
	return p
}

func (r *reader) Records(items []capture.Item) uint64 {
	if r.asleep != nil && len(items) > 0 {
		<-r.asleep
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := uint64(0)
	for _, it := range items {
		r.kinds[it.Kind]++
		if it.Kind == capture.Marks {
			r.marks = append(r.marks, bytes.Clone(it.Data))
		}
		if it.Tensor != nil {
			r.names[it.Tensor.Name]++
		}
		n = it.N + 1
	}
	return n
}

func serve(t testing.TB, r *reader) {
	t.Helper()
	dir, err := os.MkdirTemp("", "vhook")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	l, err := capture.Listen(socket, capture.Options{Handler: r, RingBytes: 16 << 20, Poll: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Serve(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		os.RemoveAll(dir)
	})
	t.Setenv("VIGIL", "")
	t.Setenv("VIGIL_SOCKET", socket)
}

func TestEverything(t *testing.T) {
	r := newReader(1)
	serve(t, r)
	h := hook.Start(hook.Options{
		Model: "Net", Optimizer: "SGD", LearningRate: 0.5, Loss: "MSELoss",
		Facts: map[string]any{"batch_size": 8, "loss": "taken", "network": "taken", "bad": func() {}},
	})
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	exercise(h)
	<-r.closed
	f, err := record.ParseFacts(r.facts.Facts)
	if err != nil {
		t.Fatalf("rules cannot read the facts: %v", err)
	}
	if !reflect.DeepEqual(f.Models, []record.ModelFacts{{Class: "Net", Parameters: 4, Trained: 4}}) {
		t.Errorf("models %+v", f.Models)
	}
	if len(f.Optimisers) != 1 || f.Optimisers[0].Class != "SGD" || *f.Optimisers[0].LR != 0.5 || f.Loss == nil || f.Loss.Name != "MSELoss" {
		t.Errorf("optimisers %+v, loss %+v", f.Optimisers, f.Loss)
	}
	if own := f.Program; len(own) != 3 || string(own["batch_size"]) != "8" || string(own["loss"]) != `"taken"` {
		t.Errorf("the program's own facts are %s", own)
	}
	if all := record.FactsMismatches(r.facts.Facts); len(all) > 0 {
		t.Errorf("facts do not fit their record: %v", all)
	}
	if want := "model Net, optimizer SGD lr 0.5, loss MSELoss, 7 tensors"; r.facts.Said != want {
		t.Errorf("said %q, want %q", r.facts.Said, want)
	}
	for name, n := range map[string]int{"loss": 4, "other": 4, "acc": 4} {
		if r.names[name] != n {
			t.Errorf("%s came %d times, want %d", name, r.names[name], n)
		}
	}
	for _, name := range []string{"fc.weight", "gradient/fc.weight", "bias", "fc_output_0", "own"} {
		if r.names[name] == 0 {
			t.Errorf("%s never came: %v", name, r.names)
		}
	}
	if r.names["fc_input_0"] > 0 {
		t.Error("an input came that nobody asked for")
	}
	if r.kinds[capture.Step] != 4 {
		t.Errorf("%d steps", r.kinds[capture.Step])
	}
	for name := range r.names {
		if len(name) > 7 && name[:7] == "refused" {
			t.Error(name)
		}
	}
}

func TestSchedule(t *testing.T) {
	r := newReader(3)
	serve(t, r)
	h := hook.Start(hook.Options{})
	w, _ := h.Parameter("fc", "Linear", "weight", 2)
	for i := range 10 {
		s := h.Begin(hook.Train)
		if due := s.Due(w); due != (i%3 == 0) {
			t.Errorf("due at step %d: %v", i, due)
		}
		s.Float32(w, []float32{1, 2})
		s.End()
	}
	h.Close()
	<-r.closed
	if r.names["fc.weight"] != 4 {
		t.Errorf("%d values", r.names["fc.weight"])
	}
}

// TestAgentThatDoesNotRead must not stop a training: values are dropped and
// counted.
func TestAgentThatDoesNotRead(t *testing.T) {
	r := newReader(1)
	r.asleep = make(chan struct{})
	serve(t, r)
	h := hook.Start(hook.Options{})
	w, _ := h.Parameter("fc", "Linear", "weight", 1<<16)
	v := make([]float32, 1<<16)
	start := time.Now()
	for range 100 {
		s := h.Begin(hook.Train)
		s.Loss(1)
		s.Float32(w, v)
		s.End()
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("the training took %v", d)
	}
	close(r.asleep)
	h.Close()
	<-r.closed
	if r.dropped["ring_full"]+r.dropped["breaker_open"] == 0 {
		t.Errorf("nothing was dropped: %v", r.dropped)
	}
	if r.kinds[capture.Step] != 100 || r.kinds[capture.Drop] == 0 || r.names["loss"] != 100 {
		t.Errorf("kinds %v, names %v", r.kinds, r.names)
	}
}

func BenchmarkStep(b *testing.B) {
	r := newReader(1)
	serve(b, r)
	h := hook.Start(hook.Options{})
	var ts []*hook.Tensor
	for _, n := range []string{"a", "b", "c"} {
		w, g := h.Parameter(n, "Linear", "weight", 512)
		ts = append(ts, w, g)
	}
	v := make([]float32, 512)
	b.ResetTimer()
	for range b.N {
		s := h.Begin(hook.Train)
		s.Loss(1)
		for _, t := range ts {
			s.Float32(t, v)
		}
		s.End()
	}
	b.StopTimer()
	h.Close()
	<-r.closed
}
