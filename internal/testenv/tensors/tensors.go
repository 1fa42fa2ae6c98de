// Package tensors writes a run with tensors of every sort, for tests: the same
// each time.
package tensors

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Started is when the run began.
var Started = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// Steps are how many updates it has; statistics are there at each, raw values at
// every RawEvery-th.
const (
	Steps    = 60
	RawEvery = 20
)

// List are the tensors of the run, in the order of the network; the last one has a name that
// must do no harm anywhere.
var List = []record.TensorInfo{
	{Name: "inputs.0", Kind: record.Input, DType: "I64", Shape: []int64{4, 6}, Order: 0, Collections: []string{"inputs"}},
	{Name: "words", Kind: record.Input, Strings: true, DType: "U8", Shape: []int64{2, 2}, Order: 0, Collections: []string{"inputs"}},
	{Name: "conv1.weight", Kind: record.Weight, DType: "F32", Shape: []int64{4, 3, 5, 5}, Module: "conv1", ModuleType: "Conv2d", Order: 1, Collections: []string{"weights"}},
	{Name: "gradient/conv1.weight", Kind: record.Gradient, DType: "F32", Shape: []int64{4, 3, 5, 5}, Module: "conv1", ModuleType: "Conv2d", Order: 1, Collections: []string{"gradients"}},
	{Name: "fc.weight", Kind: record.Weight, DType: "BF16", Shape: []int64{600, 700}, Module: "fc", ModuleType: "Linear", Order: 2, Collections: []string{"weights"}},
	{Name: "fc.bias", Kind: record.Bias, DType: "F64", Shape: []int64{1200}, Module: "fc", ModuleType: "Linear", Order: 2, Collections: []string{"biases"}},
	{Name: "mask", Kind: record.Custom, DType: "BOOL", Shape: []int64{3}, Order: 3},
	{Name: "wave", Kind: record.Custom, DType: "C64", Shape: []int64{}, Order: 3},
	{Name: "none", Kind: record.Custom, DType: "F32", Shape: []int64{0, 7}, Order: 3},
	{Name: "images", Kind: record.Input, DType: "F32", Shape: []int64{4, 3, 12, 10}, Order: 3, Collections: []string{"inputs"}},
	{Name: "maps", Kind: record.Output, DType: "F32", Shape: []int64{2, 5, 9, 8}, Order: 3},
	{Name: "photos", Kind: record.Input, DType: "U8", Shape: []int64{2, 9, 8, 3}, Order: 3, Collections: []string{"inputs"}},
	{Name: Odd, Kind: record.Custom, DType: "F32", Shape: []int64{2}, Order: 4},
}

// Odd is a name that looks like markup, with a direction mark and a line's end.
const Odd = "<b>\u202e|a/b\"c\nd"

// Write writes the run below root.
func Write(t testing.TB, root, name string) {
	t.Helper()
	write(t, root, name, List, 0, func(string) bool { return true })
}

// OtherRank is what is added to the ranks of the other run for its values.
const OtherRank = 2

// WriteOther writes a run that is like the first one with other values. It has no mask,
// its fc.weight is small, and of conv1.weight no values are stored.
func WriteOther(t testing.TB, root, name string) {
	t.Helper()
	var list []record.TensorInfo
	for _, info := range List {
		switch info.Name {
		case "mask":
			continue
		case "fc.weight":
			info.Shape = []int64{6, 7}
		}
		list = append(list, info)
	}
	write(t, root, name, list, OtherRank, func(tensor string) bool { return tensor != "conv1.weight" })
}

func write(t testing.TB, root, name string, list []record.TensorInfo, ranks int, raws func(tensor string) bool) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	run := record.Run{
		Format: record.RunFormat, Name: name, Command: []string{"python", "train.py"}, Directory: "/home/ada/classifier", Host: "workstation",
		Framework: record.Framework{Name: "pytorch", Version: "2.15.0"}, Started: Started, Status: record.Completed, Vigil: "0.1.0",
		Steps: map[string]int64{"TRAIN": Steps, "EVAL": 1}, Dropped: map[string]int64{}, Plan: []record.PlanChange{},
		Workers: []record.Worker{{Name: "worker_0", World: 2, Host: "workstation", PID: 1, Chief: true}, {Name: "worker_1", Rank: 1, World: 2, Host: "workstation", PID: 2}},
	}
	ended := Started.Add(Steps * time.Second)
	run.Ended = &ended
	w, err := store.Create(vfs.OS, root, name, run)
	must(err)
	w.LeaveFree(0, 1) // the disk of the tests may be nearly full
	for rank, worker := range []string{"worker_0", "worker_1"} {
		must(w.Announce(worker, list))
		for n := range int64(Steps + 1) {
			s := &record.Step{Worker: worker, Step: n, Mode: record.Train, ModeStep: n, Time: Started.Add(time.Duration(n) * time.Second), Seconds: 0.5}
			if n == Steps {
				s.Mode, s.ModeStep = record.Eval, 0
			}
			s.Scalars = []record.Scalar{{Name: "loss", Value: 1 / float64(n+1)}}
			raw, err := w.RawStep(worker, s.Mode, s.ModeStep)
			must(err)
			for _, info := range list {
				v := valueOf(info, n, rank+ranks)
				if n%RawEvery == 0 && raws(info.Name) {
					must(raw.Add(info.Name, v))
					s.Raw = append(s.Raw, info.Name)
				}
				if !info.Strings {
					s.Stats = append(s.Stats, record.TensorStats{Tensor: info.Name, Stats: tensor.Compute(v, info.Kind == record.Weight || info.Kind == record.Gradient)})
				}
			}
			if n > 0 {
				s.Derived = []record.Derived{{Tensor: "fc.weight", Stat: "pair[lag=1,every=0].mean_abs_diff", From: n - 1, Value: 0.25 / float64(n)}}
			}
			must(raw.Commit())
			must(w.Append(worker, "", 0, s))
		}
	}
	must(w.Close())
}

// Value is what a tensor is at an update; a further rank has other values. From
// update 40 on an element of the gradient and of the images is NaN and one infinite.
func Value(name string, n int64, rank int) tensor.View {
	info := record.TensorInfo{}
	for _, info = range List {
		if info.Name == name {
			break
		}
	}
	return valueOf(info, n, rank)
}

func valueOf(info record.TensorInfo, n int64, rank int) tensor.View {
	wave := func(i int) float64 { return math.Sin(float64(i)*0.37+float64(n)*0.1) + float64(rank) }
	count, _ := tensor.Elements(info.Shape)
	var b []byte
	le := binary.LittleEndian
	for i := range int(count) {
		x := wave(i)
		switch info.DType {
		case "I64":
			b = le.AppendUint64(b, uint64(int64(i)*1000+n-7))
		case "BF16":
			b = le.AppendUint16(b, uint16(math.Float32bits(float32(x))>>16))
		case "F64":
			b = le.AppendUint64(b, math.Float64bits(x))
		case "U8":
			b = append(b, byte(int64(i)*5+n))
		case "BOOL":
			b = append(b, byte(i%2))
		case "C64":
			b = le.AppendUint32(le.AppendUint32(b, math.Float32bits(3)), math.Float32bits(4))
		default:
			if info.Name == "gradient/conv1.weight" {
				x *= math.Pow(10, -float64(n)/5)
			}
			if n >= 40 && (info.Name == "gradient/conv1.weight" || info.Name == "images") {
				switch i {
				case 7:
					x = math.NaN()
				case 8:
					x = math.Inf(-1)
				}
			}
			b = le.AppendUint32(b, math.Float32bits(float32(x)))
		}
	}
	if info.Strings {
		b, _ = json.Marshal(tensor.Strings{Shape: info.Shape, Values: []string{"the", "<script>", "quick\n", "\u202efox"}})
		return tensor.View{DType: tensor.U8, Shape: []int64{int64(len(b))}, Data: b}
	}
	d, _ := tensor.ParseDType(info.DType)
	return tensor.View{DType: d, Shape: info.Shape, Data: b}
}
