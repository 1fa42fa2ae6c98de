package agent

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
)

func collect(t testing.TB, spec string) plan.Collection {
	t.Helper()
	c, err := config.ParseCollect(spec, "--collect")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func started(t testing.TB, set Settings, o hook.Options) *hook.Hook {
	t.Helper()
	o.Socket = set.Socket
	h := hook.Start(o)
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func ramp(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i)
	}
	return v
}

func toBytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// TestRaw stores raw values where a collection asks for them, and only there.
func TestRaw(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	set.Config.Collect = []plan.Collection{collect(t, `mine:every=5,regex=fc\.weight,raw`)}
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	w, _ := h.Parameter("fc", "Linear", "weight", 4, 8)
	for i := range 12 {
		s := h.Begin(hook.Train)
		v := ramp(32)
		v[0] = float32(i)
		s.Float32(w, v)
		s.End()
	}
	h.Close()
	a.completed()
	tr := openTrial(t, set)
	if got := tr.RawSteps("fc.weight", record.Train, ""); !slices.Equal(got, []int64{0, 5, 10}) {
		t.Errorf("raw steps %v", got)
	}
	v, err := tr.Raw("fc.weight", record.Train, 10, "")
	if err != nil {
		t.Fatal(err)
	}
	want := ramp(32)
	want[0] = 10
	if v.DType != tensor.F32 || !slices.Equal(v.Shape, []int64{4, 8}) || !bytes.Equal(v.Data, toBytes(want)) {
		t.Errorf("raw value %v %v", v.DType, v.Shape)
	}
	infos := tr.StepInfos(record.Train, "")
	if len(infos) != 12 || !slices.Equal(infos[5].Raw, []string{"fc.weight"}) || len(infos[6].Raw) > 0 {
		t.Errorf("steps: %+v", infos)
	}
}

// TestPieces sends a tensor that is larger than the ring: once for its
// statistics, once for its values.
func TestPieces(t *testing.T) {
	t.Parallel()
	for name, collections := range map[string][]plan.Collection{
		"statistics": {collect(t, "mine:every=1,regex=big")},
		"raw":        {collect(t, "mine:every=1,regex=big,raw")},
	} {
		t.Run(name, func(t *testing.T) {
			set := settings(t)
			set.RingBytes = 12 << 20
			set.Config.Collect = collections
			set.Config.Rules = "none"
			a := startAgent(t, set)
			const n = 2_400_000
			c := dial(t, set, record.TensorInfo{Name: "big", Kind: record.Custom, DType: "F32", Shape: []int64{n}})
			v := ramp(n)
			for i := range int64(3) {
				v[7] = float32(-i)
				sendPieces(t, c, i, toBytes(v), 1<<20)
				c.Publish(capture.Record{Kind: capture.Step, Step: i, ModeStep: i, Value: 0.1})
			}
			if !c.Wait(waitTime) {
				t.Fatal("not acknowledged")
			}
			c.Close()
			a.completed()
			tr := openTrial(t, set)
			rows, err := tr.Stats(trial.Query{Tensor: "big"})
			if err != nil || len(rows) != 3 {
				t.Fatalf("%d rows of statistics, %v; not captured %+v", len(rows), err, tr.Run().NotCaptured)
			}
			for _, r := range rows {
				if r.Count != n || r.Max != n-1 || r.Min != -float64(r.ModeStep) || r.Zeros > 2 {
					t.Errorf("statistics of step %d: %+v", r.ModeStep, r.Stats)
				}
			}
			if name != "raw" {
				return
			}
			steps := tr.RawSteps("big", record.Train, "")
			if len(steps) == 0 {
				t.Fatal("no raw values")
			}
			view, err := tr.Raw("big", record.Train, steps[0], "")
			if err != nil {
				t.Fatal(err)
			}
			want := ramp(n)
			want[7] = float32(-steps[0])
			if !bytes.Equal(view.Data, toBytes(want)) {
				t.Error("the raw values are not those that were sent")
			}
		})
	}
}

// dial connects as the hook of a framework would, with one tensor.
func dial(t testing.TB, set Settings, infos ...record.TensorInfo) *capture.Client {
	t.Helper()
	c, err := capture.Dial(capture.ClientOptions{Socket: set.Socket, Hello: capture.Hello{
		Session: "00112233445566778899aabbccddeeff", PID: os.Getpid(), World: 1, Framework: record.Framework{Name: "pytorch"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	m := capture.Tensors{}
	for i, in := range infos {
		m.Tensors = append(m.Tensors, capture.TensorInfo{ID: uint32(i), TensorInfo: in})
	}
	c.Say(capture.TypeTensors, m)
	return c
}

// sendPieces publishes tensor 0 of F32 in pieces.
func sendPieces(t testing.TB, c *capture.Client, step int64, b []byte, size int) {
	t.Helper()
	for at := 0; at < len(b); at += size {
		part := b[at:min(at+size, len(b))]
		r := capture.Record{Kind: capture.Piece, DType: tensor.F32, Step: step, ModeStep: step, NBytes: uint64(len(part)), Value: float64(at)}
		if at+size >= len(b) {
			r.Flags = capture.FlagLast
		}
		wait(t, "room", func() bool {
			off, to, ok := c.Alloc(uint64(len(part)))
			if ok {
				copy(to, part)
				r.Offset = off
			}
			return ok
		})
		c.Publish(r)
		c.Hold()
	}
}

// TestRanks runs two ranks and a further process of the first one.
func TestRanks(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		set := settings(t)
		set.Config.Every, set.Config.AllWorkers = 1, all
		a := startAgent(t, set)
		r0 := started(t, set, hook.Options{Rank: 0, World: 2})
		r1 := started(t, set, hook.Options{Rank: 1, World: 2})
		again := started(t, set, hook.Options{Rank: 0, World: 2})
		for i, h := range []*hook.Hook{r0, r1, again} {
			w, _ := h.Parameter("fc", "Linear", "weight", 2)
			s := h.Begin(hook.Train)
			s.Loss(float64(i))
			s.Float32(w, []float32{1, 2})
			s.End()
		}
		for _, h := range []*hook.Hook{r0, r1, again} {
			h.Close()
		}
		a.completed()
		tr := openTrial(t, set)
		if got := tr.Workers(); !slices.Equal(got, []string{"worker_0", "worker_0b", "worker_1"}) {
			t.Errorf("workers %v", got)
		}
		for worker, want := range map[string]int{"worker_0": 1, "worker_1": map[bool]int{false: 0, true: 1}[all], "worker_0b": 0} {
			rows, err := tr.Stats(trial.Query{Tensor: "fc.weight", Worker: worker})
			if len(rows) != want {
				t.Errorf("all workers %v: %d statistics of %s, want %d, %v", all, len(rows), worker, want, err)
			}
			if _, v, err := tr.Series(trial.Query{Tensor: "loss", Worker: worker}); len(v) != 1 {
				t.Errorf("loss of %s: %v, %v", worker, v, err)
			}
		}
	}
}

// TestSecondProcess begins a process of a rank while the one before it lives: who trains
// weights in shared memory needs no ranks.
func TestSecondProcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shares bool
		says   string
	}{
		{false, "also trains as rank 0 and is stored as worker_0b, losses only: start each training with its own vigil run; processes of one training need RANK, as torchrun sets it"},
		{true, "trains weights in shared memory and is stored as worker_0b, losses only: all processes share the weights of the first one; rules judge its losses"},
	} {
		set := settings(t)
		a := startAgent(t, set)
		var clients []*capture.Client
		for _, session := range []string{"00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"} {
			client, err := capture.Dial(capture.ClientOptions{Socket: set.Socket, Hello: capture.Hello{
				Session: session, PID: os.Getpid(), World: 1, Framework: record.Framework{Name: "pytorch"}, Shares: c.shares,
			}})
			if err != nil {
				t.Fatal(err)
			}
			clients = append(clients, client)
		}
		for _, client := range clients {
			client.Close()
		}
		a.completed()
		var said []string
		for _, e := range a.list() {
			if e.Notice != nil && strings.Contains(e.Notice.Text, "worker_0b") {
				_, text, _ := strings.Cut(e.Notice.Text, fmt.Sprintf("process %d ", os.Getpid()))
				said = append(said, text+": "+e.Notice.Hint)
			}
		}
		if !slices.Equal(said, []string{c.says}) {
			t.Errorf("weights in shared memory %v: said %q", c.shares, said)
		}
	}
}

// TestScalars sends many numbers in one record, of a step and of none; of two
// with one name the last counts.
func TestScalars(t *testing.T) {
	set := settings(t)
	a := startAgent(t, set)
	var infos []record.TensorInfo
	for _, name := range []string{"a", "b", "c", "a"} {
		infos = append(infos, record.TensorInfo{Name: name, Kind: record.Metric, DType: "F64", Shape: []int64{}})
	}
	c := dial(t, set, infos...)
	publish := func(r capture.Record, values ...float64) {
		off, b, ok := c.Alloc(uint64(8 * len(values)))
		if !ok {
			t.Fatal("no room")
		}
		for i, v := range values {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
		}
		r.Kind, r.Offset, r.NBytes = capture.Scalars, off, uint64(8*len(values))
		c.Publish(r)
		c.Hold()
	}
	const n = 500
	for i := range int64(n) {
		at := capture.Record{Mode: record.Global, Step: i, ModeStep: i}
		if i == 7 {
			publish(at, 1, 2, 3, 70) // the name of the first comes again
		} else {
			at.ID = uint32(i % 2)
			publish(at, float64(i), float64(i)+0.5)
		}
		if i == 9 {
			c.Publish(capture.Record{Kind: capture.Scalar, Mode: record.Global, Step: i, ModeStep: i, ID: 2, Value: -1})
		}
		c.Publish(capture.Record{Kind: capture.Step, Mode: record.Global, Step: i, ModeStep: i, Value: 0.01})
		if c.Full() || i%16 == 0 {
			c.Wait(waitTime)
		}
	}
	publish(capture.Record{Mode: record.Eval, Step: 3, ModeStep: 3, Flags: capture.FlagFree, ID: 1}, math.Inf(1), 5)
	if !c.Wait(waitTime) {
		t.Fatal("not acknowledged")
	}
	c.Close()
	a.completed()
	tr := openTrial(t, set)
	series := func(name string, mode record.Mode) map[int64]float64 {
		steps, values, err := tr.Series(trial.Query{Tensor: name, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		out := map[int64]float64{}
		for i, s := range steps {
			out[s] = values[i]
		}
		return out
	}
	first, second, third := series("a", record.Global), series("b", record.Global), series("c", record.Global)
	if len(first) != n/2+1 || len(second) != n || len(third) != n/2 {
		t.Errorf("%d, %d and %d numbers are stored", len(first), len(second), len(third))
	}
	if first[7] != 70 || first[8] != 8 || second[8] != 8.5 || second[11] != 11 || third[11] != 11.5 || third[9] != -1 {
		t.Errorf("a: %v %v, b: %v %v, c: %v %v", first[7], first[8], second[8], second[11], third[11], third[9])
	}
	if free := series("b", record.Eval); !math.IsInf(free[3], 1) {
		t.Errorf("the numbers of no step: %v", free)
	}
}

// TestFrames sends a frame with a gap, as the hooks of frameworks do.
func TestFrames(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	a := startAgent(t, set)
	c := dial(t, set,
		record.TensorInfo{Name: "a.weight", Kind: record.Weight, DType: "F32", Shape: []int64{2}},
		record.TensorInfo{Name: "b.weight", Kind: record.Weight, DType: "F64", Shape: []int64{1}})
	c.Say(capture.TypeLayout, capture.Layout{ID: 1, Bytes: 128, Entries: []capture.Entry{{Tensor: 0, Offset: 0, NBytes: 8}, {Tensor: 1, Offset: 64, NBytes: 8}}})
	for i := range 4 {
		off, b, ok := c.Alloc(130)
		if !ok {
			t.Fatal("no room")
		}
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(i)))
		binary.LittleEndian.PutUint32(b[4:], math.Float32bits(1))
		binary.LittleEndian.PutUint64(b[64:], math.Float64bits(0.5))
		b[128], b[129] = 1, byte(i%2)
		step := capture.Record{Kind: capture.Frame, ID: 1, Step: int64(i), ModeStep: int64(i), Offset: off, NBytes: 130, Flags: capture.FlagPartial}
		c.Publish(step)
		c.Hold()
		c.Publish(capture.Record{Kind: capture.Step, Step: int64(i), ModeStep: int64(i), Value: 0.01, Flags: uint8(i % 2)})
	}
	if !c.Wait(waitTime) {
		t.Fatal("not acknowledged")
	}
	c.Close()
	a.end(Ended{Status: record.Failed, ExitCode: 1})
	tr := openTrial(t, set)
	_, max, err := tr.Series(trial.Query{Tensor: "a.weight", Stat: "max"})
	if err != nil || !slices.Equal(max, []float64{1, 1, 2, 3}) {
		t.Errorf("a.weight: %v, %v", max, err)
	}
	steps, _, err := tr.Series(trial.Query{Tensor: "b.weight", Stat: "max"})
	if err != nil || !slices.Equal(steps, []int64{1, 3}) {
		t.Errorf("b.weight at %v, %v", steps, err)
	}
	for i, s := range tr.StepInfos(record.Train, "") {
		if s.Skipped != (i%2 == 1) || s.Seconds != record.Duration(0.01) {
			t.Errorf("step %d: %+v", i, s)
		}
	}
	if run := tr.Run(); run.Status != record.Failed || *run.ExitCode != 1 {
		t.Errorf("run: %+v", run)
	}
}
