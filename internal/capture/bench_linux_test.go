package capture

import (
	"fmt"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// count acknowledges everything and looks at nothing: what is left is the cost
// of the wire.
type count struct {
	recorder
	n uint64
}

func (c *count) Open(s *Session) (Accepted, error) {
	return Accepted{Sink: c, Run: "/run", Worker: "worker_0"}, nil
}

func (c *count) Records(items []Item) uint64 {
	if n := len(items); n > 0 {
		c.n = items[n-1].N + 1
	}
	return c.n
}

// BenchmarkRing is one hook and one agent in one process: small and large
// tensors from the copy to the acknowledgement.
func BenchmarkRing(b *testing.B) {
	for _, size := range []int{0, 256, 64 << 10, 4 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			h := &count{recorder: *newRecorder()}
			socket, _ := serve(b, h, Options{RingBytes: 256 << 20})
			c := dial(b, socket)
			c.Say(TypeTensors, Tensors{[]TensorInfo{info(0, "x", record.Custom, int64(size/4))}})
			src := make([]byte, size)
			wait(b, "the plan", func() bool { return c.Plan() != nil })
			c.Use(128 << 20)
			b.SetBytes(int64(size))
			b.ResetTimer()
			for i := range b.N {
				r := Record{Kind: Scalar, Step: int64(i), ModeStep: int64(i)}
				if size > 0 {
					r.Kind, r.DType, r.NBytes = Tensor, tensor.F32, uint64(size)
					for {
						off, to, ok := c.Alloc(uint64(size))
						if ok {
							copy(to, src)
							r.Offset = off
							break
						}
					}
				}
				for c.Full() {
				}
				c.Publish(r)
				c.Hold()
			}
			for c.Acked() < c.Head() {
			}
			b.StopTimer()
			c.Close()
			<-h.closed
		})
	}
}
