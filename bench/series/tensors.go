package main

import (
	"fmt"
	"path/filepath"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// tensors reads raw tensors of 16 MiB, checksums included.
func (b *bench) tensors() error {
	const n, size = 32, 16 << 20
	w, err := store.Create(vfs.OS, b.dir, "raw", record.Run{Status: record.Running})
	if err != nil {
		return err
	}
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	raw, err := w.RawStep("worker_0", record.Train, 0)
	if err != nil {
		return err
	}
	s := &record.Step{Worker: "worker_0"}
	for i := range n {
		name := fmt.Sprintf("layer_%d.weight", i)
		if err := raw.Add(name, tensor.View{DType: tensor.F32, Shape: []int64{size / 4}, Data: data}); err != nil {
			return err
		}
		s.Raw = append(s.Raw, name)
	}
	if err := raw.Commit(); err != nil {
		return err
	}
	if err := w.Append("worker_0", "", 0, s); err != nil {
		return err
	}
	if err := w.UpdateRun(func(r *record.Run) { r.Status = record.Completed }); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	t, err := trial.Open(filepath.Join(b.dir, "raw"))
	if err != nil {
		return err
	}
	read := func() error {
		for _, name := range s.Raw {
			v, err := t.Raw(name, record.Train, 0, "")
			if err == nil && len(v.Data) != size {
				err = fmt.Errorf("%d bytes of %d", len(v.Data), size)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	first, err := took(read)
	if err != nil {
		return err
	}
	again, err := took(read)
	if err != nil {
		return err
	}
	best := first
	if again.wall < best.wall {
		best = again
	}
	rate := n * size / best.wall.Seconds() / 1e9
	row(fmt.Sprintf("raw tensors read, %d of %d MiB, from the kernel's cache, checksums included", n, size>>20), fmt.Sprintf("%.2f GB/s (CPU %.0f ms)", rate, float64(best.cpu)/1e6), "at least 1.00 GB/s", rate >= 1)
	return nil
}
