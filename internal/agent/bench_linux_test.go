package agent

import (
	"fmt"
	"testing"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

// BenchmarkIngest measures the agent from the published frame to the
// acknowledgement: statistics, journal and rules. Sizes are those of an MLP and
// of ResNet18 (weights and gradients at every step).
func BenchmarkIngest(b *testing.B) {
	for _, size := range []struct {
		name             string
		tensors, numbers int64
	}{{"mlp", 12, 55_000}, {"resnet18", 124, 180_000}} {
		b.Run(size.name, func(b *testing.B) {
			set := settings(b)
			set.Config.Every = 1
			a := startAgent(b, set)
			var infos []record.TensorInfo
			layout := capture.Layout{ID: 1}
			for i := range size.tensors {
				infos = append(infos, record.TensorInfo{
					Name: fmt.Sprintf("layer%d.weight", i), Kind: record.Weight, DType: "F32", Shape: []int64{size.numbers},
				})
				layout.Entries = append(layout.Entries, capture.Entry{Tensor: uint32(i), Offset: layout.Bytes, NBytes: uint64(4 * size.numbers)})
				layout.Bytes += (uint64(4*size.numbers) + 63) &^ 63
			}
			c := dial(b, set, infos...)
			c.Say(capture.TypeLayout, layout)
			wait(b, "the plan", func() bool { return c.Plan() != nil && len(c.Plan().Tensors) > 0 })
			c.Use(uint64(c.Plan().Ring.Use))
			data := toBytes(ramp(int(size.numbers)))
			b.SetBytes(size.tensors * 4 * size.numbers)
			b.ResetTimer()
			for i := range int64(b.N) {
				var off uint64
				for {
					var to []byte
					var ok bool
					if off, to, ok = c.Alloc(layout.Bytes); ok {
						if i < 3 { // later frames find the values of earlier ones
							for _, e := range layout.Entries {
								copy(to[e.Offset:], data)
							}
						}
						break
					}
				}
				c.Publish(capture.Record{Kind: capture.Frame, ID: 1, Step: i, ModeStep: i, Offset: off, NBytes: layout.Bytes})
				c.Hold()
				c.Publish(capture.Record{Kind: capture.Step, Step: i, ModeStep: i, Value: 0.1})
			}
			if !c.Wait(waitTime) {
				b.Fatal("not acknowledged")
			}
			b.StopTimer()
			c.Close()
			a.completed()
		})
	}
}
