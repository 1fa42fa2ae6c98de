package rules_test

import (
	"fmt"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// BenchmarkObserve judges a step of 1,000 tensors by 100 configurations. The
// goal is 10 ms a step: 100 ns for each tensor and configuration.
func BenchmarkObserve(b *testing.B) {
	const tensors, configs = 1000, 100
	kinds := []string{"vanishing_gradient", "exploding_tensor", "all_zero", "not_finite", "unchanged_tensor", "weight_update_ratio"}
	var cs []rules.Config
	for i := range configs {
		cs = append(cs, rules.Config{Rule: kinds[i%len(kinds)], Configuration: fmt.Sprint(i)})
	}
	e, err := rules.NewEngine(rules.Options{Configs: cs})
	if err != nil {
		b.Fatal(err)
	}
	s := &record.Step{Worker: "worker_0", Scalars: []record.Scalar{{Name: "loss", Value: 1}}}
	var infos []record.TensorInfo
	for i := range tensors {
		info := record.TensorInfo{Name: fmt.Sprintf("gradient/Net_layer%d.%d.conv.weight", i/10, i), Kind: record.Gradient, DType: "F32", Shape: []int64{8, 8}, Order: i}
		if i%2 == 0 {
			info.Name, info.Kind = info.Name[len("gradient/"):], record.Weight
		}
		infos = append(infos, info)
		s.Stats = append(s.Stats, record.TensorStats{Tensor: info.Name, Stats: tensor.Stats{Count: 64, Min: -1, Max: 1, L1: 32, M2: 20}})
	}
	e.Announce("worker_0", infos)
	b.ResetTimer()
	for i := range b.N {
		c := rules.NewComplete([]*record.Step{s})
		c.Step, c.ModeStep = int64(i), int64(i)
		e.Observe(c)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tensors/configs, "ns/tensor/config")
	for _, st := range e.Statuses() {
		if st.Status != rules.InProgress {
			b.Fatalf("status is %+v", st)
		}
	}
}
