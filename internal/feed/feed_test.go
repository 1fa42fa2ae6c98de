package feed_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/feed"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// A step's frame holds the names that are new, and the numbers of each worker.
func TestStep(t *testing.T) {
	e := feed.NewEncoder()
	loss, weight := &record.TensorInfo{Name: "loss", Kind: record.Loss}, &record.TensorInfo{Name: "w", Kind: record.Weight, Shape: []int64{2}}
	for step := range int64(2) {
		e.Begin(step, record.Eval, 7+step, time.Unix(3, 500e6))
		if !e.Empty() {
			t.Error("a step that has just begun is not empty")
		}
		e.Scalar("worker_0", loss, math.Inf(1))
		e.Tensor("worker_1", weight, &tensor.Stats{Count: 2, Min: 1, Max: 3, Mean: 2, M2: 2, L1: 4}, true)
		e.Derived("worker_1", weight, &record.Derived{Tensor: "w", Stat: "prod_sign", Value: -1})
		e.Derived("worker_1", weight, &record.Derived{Tensor: "w", Stat: "pair[lag=1].mean_abs_diff", Value: 5}) // for rules written in Go
		b, err := e.Frame()
		if err != nil {
			t.Fatal(err)
		}
		kind, payload, err := feed.Read(bytes.NewReader(b), 1<<20)
		if err != nil || kind != feed.Step {
			t.Fatalf("kind %c, %v", kind, err)
		}
		n := binary.LittleEndian.Uint32(payload)
		var head struct {
			Step     int64
			Mode     int
			ModeStep int64 `json:"mode_step"`
			Time     float64
			New      []record.TensorInfo
			Stats    []string
			Parts    [][]any
		}
		if err := json.Unmarshal(payload[4:4+n], &head); err != nil {
			t.Fatal(err)
		}
		if head.Step != step || head.Mode != 1 || head.ModeStep != 7+step || head.Time != 3.5 || len(head.New) != int(2-2*step) || len(head.Parts) != 2 || len(head.Stats) != int(1-step) {
			t.Errorf("header %+v", head)
		}
		var got []float64
		for rest := payload[4+n:]; len(rest) > 0; rest = rest[8:] {
			got = append(got, math.Float64frombits(binary.LittleEndian.Uint64(rest)))
		}
		want := []float64{0, math.Inf(1), 1, 1, 2, 1, 3, 2, 2, 4, 0, 0, 0, 0, 1, 0, -1}
		if len(got) != len(want) {
			t.Fatalf("numbers %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("number %d is %g, want %g", i, got[i], want[i])
			}
		}
	}
}

// Values travel as numpy reads them; bfloat16 and float8 as float32.
func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		view  tensor.View
		dtype string
		data  []byte
		fails bool
	}{
		{tensor.View{DType: tensor.I16, Shape: []int64{2}, Data: []byte{1, 0, 2, 0}}, "<i2", []byte{1, 0, 2, 0}, false},
		{tensor.View{DType: tensor.BF16, Shape: []int64{1}, Data: []byte{0x80, 0x3f}}, "<f4", []byte{0, 0, 0x80, 0x3f}, false},
		{tensor.View{DType: tensor.F8E4M3, Shape: []int64{1}, Data: []byte{0x38}}, "<f4", []byte{0, 0, 0x80, 0x3f}, false},
		{tensor.View{DType: tensor.F32, Data: []byte{0, 0, 0x80, 0x3f}}, "<f4", []byte{0, 0, 0x80, 0x3f}, false},
		{tensor.View{DType: tensor.F32, Shape: []int64{3}, Data: []byte{0}}, "", nil, true},
		{tensor.View{DType: tensor.F32, Shape: []int64{-1}}, "", nil, true},
	} {
		b, err := feed.Answer(c.view)
		if c.fails != (err != nil) {
			t.Errorf("%+v: %v", c.view, err)
		}
		if err != nil {
			continue
		}
		_, payload, err := feed.Read(bytes.NewReader(b), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		n := binary.LittleEndian.Uint32(payload)
		var head struct {
			DType string
			Shape []int64
		}
		if err := json.Unmarshal(payload[4:4+n], &head); err != nil {
			t.Fatal(err)
		}
		if head.DType != c.dtype || len(head.Shape) != len(c.view.Shape) || head.Shape == nil || !bytes.Equal(payload[4+n:], c.data) {
			t.Errorf("%s: %+v %v", c.view.DType, head, payload[4+n:])
		}
	}
}

// FuzzRead: no bytes make reading fail otherwise than by an error, or take more
// memory than there are bytes.
func FuzzRead(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 'E'})
	f.Add([]byte{255, 255, 255, 255, 'E'})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{9, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, payload, err := feed.Read(bytes.NewReader(b), 1<<16)
		if err == nil && (kind != b[4] || len(payload) != int(binary.LittleEndian.Uint32(b))-1) {
			t.Errorf("%q is kind %c with %d bytes", b, kind, len(payload))
		}
	})
}

// FuzzParseQuestion: a question is one of a known mode, or an error.
func FuzzParseQuestion(f *testing.F) {
	f.Add([]byte(`{"tensor":"w","mode":0,"mode_step":3,"worker":"worker_0"}`))
	f.Add([]byte(`{"mode":9}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if q, err := feed.ParseQuestion(b); err == nil && q.Mode > record.Global {
			t.Errorf("%q asks for mode %d", b, q.Mode)
		}
	})
}
