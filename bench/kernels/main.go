// Command kernels measures how fast statistics are computed, against what the
// machine needs to copy the same bytes, on one core, and prints a Markdown
// table.
//
//	go run ./bench/kernels
//
// Copy and kernel take turns, so that what else the machine does meets both;
// the ratio is that of the medians. The data (128 MiB by default) come from
// memory, not from a cache. Goals: float32 moments within 1.5 times the copy,
// float32 moments with histogram and moments of 16-bit types within 3 times.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/tensor"
)

var (
	megabytes = 128
	rounds    = 9
)

func main() {
	flag.IntVar(&megabytes, "mib", megabytes, "MiB of data for each measurement")
	flag.IntVar(&rounds, "rounds", rounds, "measurements of each kind")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	fmt.Printf("%d MiB, %d rounds, %s/%s, kernels: %s\n\n", megabytes, rounds, runtime.GOOS, runtime.GOARCH, tensor.Kernels())
	fmt.Println("| kernel | GB/s | copy GB/s | time against copy | goal |")
	fmt.Println("| --- | --- | --- | --- | --- |")
	for _, c := range cases() {
		own, copied := measure(c)
		goal := ""
		if c.goal > 0 {
			goal = fmt.Sprintf("%.1f", c.goal)
		}
		rate := float64(c.bytes) / 1e9
		fmt.Printf("| %s | %.1f | %.1f | %.2f | %s |\n", c.name, rate/own, rate/copied, own/copied, goal)
	}
}

// kernel is one thing to measure.
type kernel struct {
	name  string
	bytes int // of input; what a copy of them takes is the measure
	goal  float64
	run   func()
}

// measure gives the median seconds of the kernel and of a copy.
func measure(c kernel) (own, copied float64) {
	src, dst := make([]byte, c.bytes), make([]byte, c.bytes)
	for i := range src {
		src[i], dst[i] = 1, 2
	}
	var a, b []float64
	for i := range rounds + 1 {
		t := seconds(c.run)
		u := seconds(func() { copy(dst, src) })
		if i > 0 { // the first warms up
			a, b = append(a, t), append(b, u)
		}
	}
	slices.Sort(a)
	slices.Sort(b)
	return a[len(a)/2], b[len(b)/2]
}

func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

func cases() []kernel {
	size := megabytes << 20
	made := map[tensor.DType][]byte{}
	data := func(d tensor.DType) []byte {
		if made[d] == nil {
			made[d] = normal(d, size)
		}
		return made[d]
	}
	weights, older := data(tensor.F32), normal(tensor.F32, size)
	stats := func(d tensor.DType, hist bool) func() {
		v := tensor.View{DType: d, Shape: []int64{int64(size / d.Size())}, Data: weights}
		if d != tensor.F32 {
			v.Data = data(d)
		}
		return func() { tensor.Compute(v, hist) }
	}
	pair := func() {
		v := tensor.View{DType: tensor.F32, Shape: []int64{int64(size / 4)}, Data: weights}
		o := v
		o.Data = older
		tensor.ComputePair(v, o, tensor.PairOptions{Close: true, RTol: 1e-5, ATol: 1e-8})
	}
	var counts []uint32
	units := func() {
		v := tensor.View{DType: tensor.F32, Shape: []int64{256, int64(size / 1024)}, Data: weights}
		counts, _, _, _ = tensor.UnitCounts(counts, v, tensor.UnitOptions{Below: math.Inf(1)})
	}
	return []kernel{
		{"F32 moments", size, 1.5, stats(tensor.F32, false)},
		{"F32 moments and histogram", size, 3, stats(tensor.F32, true)},
		{"BF16 moments", size, 3, stats(tensor.BF16, false)},
		{"BF16 moments and histogram", size, 0, stats(tensor.BF16, true)},
		{"F16 moments", size, 3, stats(tensor.F16, false)},
		{"F16 moments and histogram", size, 0, stats(tensor.F16, true)},
		{"F64 moments", size, 0, stats(tensor.F64, false)},
		{"U8 moments", size, 0, stats(tensor.U8, false)},
		{"F32 pair", 2 * size, 0, pair},
		{"F32 active units", size, 0, units},
	}
}

// normal makes values like those of weights in a type of 2, 4 or 8 bytes.
func normal(d tensor.DType, size int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var piece []byte
	for len(piece) < 1<<20 {
		x := r.NormFloat64() * 0.05
		bits := math.Float32bits(float32(x))
		switch d {
		case tensor.F32:
			piece = binary.LittleEndian.AppendUint32(piece, bits)
		case tensor.BF16:
			piece = binary.LittleEndian.AppendUint16(piece, uint16(bits>>16))
		case tensor.F16:
			// Below 2^-14 a half-precision number has fewer bits; these few
			// become zero.
			e := max(int(bits>>23&0xff)-112, 0)
			piece = binary.LittleEndian.AppendUint16(piece, uint16(bits>>16&0x8000)|uint16(e)<<10|uint16(bits>>13&0x3ff))
		default:
			piece = binary.LittleEndian.AppendUint64(piece, math.Float64bits(x))
		}
	}
	b := make([]byte, size)
	for i := 0; i < size; i += len(piece) {
		copy(b[i:], piece)
	}
	return b
}
