package trial_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// A shape that was stored holds, in its mode, until the next one; before the
// first one it is what was announced first. It reads the same from the journal
// and from tables.
func TestShapes(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	ok(t, w.Announce("worker_0", []record.TensorInfo{{Name: "x", Shape: []int64{8, 3}}, {Name: "old", Shape: []int64{2}}, {Name: "s"}}))
	put := func(mode record.Mode, n, count int64, stored ...int64) {
		s := &record.Step{Worker: "worker_0", Step: 10*n + int64(mode), Mode: mode, ModeStep: n, Time: start, Seconds: 1}
		s.Stats = []record.TensorStats{{Tensor: "x", Stats: tensor.Stats{Count: count}}, {Tensor: "old", Stats: tensor.Stats{Count: 2 + n%2}}}
		s.Scalars = []record.Scalar{{Name: "s", Value: 1}}
		if stored != nil {
			s.Derived = record.ShapeNumbers("x", stored)
		}
		ok(t, w.Append("worker_0", "", 0, s))
	}
	put(record.Train, 0, 24)
	put(record.Eval, 0, 12, 4, 3)
	put(record.Train, 1, 24)
	put(record.Train, 2, 15, 5, 3)
	put(record.Eval, 1, 12)
	ok(t, w.Seal())
	put(record.Train, 3, 15)
	put(record.Train, 4, 15, 15)
	put(record.Train, 5, 24, 8, 3)
	// The job was started again, with larger batches.
	ok(t, w.Announce("worker_0", []record.TensorInfo{{Name: "x", Shape: []int64{16, 3}}}))
	put(record.Train, 6, 48, 16, 3)
	put(record.Train, 7, 7) // it says nothing of such a shape

	check := func(t *testing.T, tr *trial.Trial) {
		for _, test := range []struct {
			name   string
			q      trial.Query
			steps  []int64
			shapes [][]int64
		}{
			{"all", trial.Query{Tensor: "x", Mode: record.Train}, []int64{0, 1, 2, 3, 4, 5, 6, 7}, [][]int64{{8, 3}, {8, 3}, {5, 3}, {5, 3}, {15}, {8, 3}, {16, 3}, nil}},
			{"some", trial.Query{Tensor: "x", Mode: record.Train, From: 3, To: 5}, []int64{3, 4}, [][]int64{{5, 3}, {15}}},
			{"another mode", trial.Query{Tensor: "x", Mode: record.Eval, Worker: "worker_0"}, []int64{0, 1}, [][]int64{{4, 3}, {4, 3}}},
			{"none stored", trial.Query{Tensor: "old", Mode: record.Train, To: 2}, []int64{0, 1}, [][]int64{{2}, nil}},
			{"a scalar", trial.Query{Tensor: "s", Mode: record.Eval}, []int64{0, 1}, [][]int64{{}, {}}},
			{"nothing", trial.Query{Tensor: "y", Mode: record.Eval}, nil, nil},
		} {
			steps, shapes, err := tr.Shapes(test.q)
			ok(t, err)
			if d := cmp.Diff(test.steps, steps) + cmp.Diff(test.shapes, shapes); d != "" {
				t.Errorf("%s: %s", test.name, d)
			}
		}
		for _, name := range tr.StatNames("x") {
			if record.IsShape(name) {
				t.Errorf("%s is listed as a statistic", name)
			}
		}
	}
	t.Run("half of it in tables", func(t *testing.T) { check(t, open(t, vfs.OS, w.Path())) })
	ok(t, w.Seal())
	t.Run("all of it in tables", func(t *testing.T) { check(t, open(t, vfs.OS, w.Path())) })
}
