package capture

import (
	"encoding/binary"
	"fmt"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// Reduction is one tensor of a Reduced record: what tensor.FromBlocks reads.
type Reduction struct {
	Tensor       *TensorDef
	Count, Width int64 // elements, and elements of a block
	Blocks, Hist []byte
}

// reducedItem finds the tensors of a Reduced record, ID in number, and the
// numbers of each: first the ids and numbers of blocks, then all blocks, then
// all histograms.
func (s *Session) reducedItem(it *Item) error {
	n, width := uint64(it.ID), int64(it.Shape)
	if n == 0 || width == 0 || n > it.NBytes/(8+tensor.CountBytes) {
		return fmt.Errorf("statistics of a wrong size")
	}
	if err := s.place(it, it.NBytes); err != nil {
		return err
	}
	list := make([]Reduction, 0, n)
	at, blocks := 8*n, uint64(0)
	for i := range n {
		head := it.Data[8*i:]
		d, err := s.def(binary.LittleEndian.Uint32(head))
		if err != nil {
			return err
		}
		count, err := tensor.Elements(d.Shape)
		if err != nil {
			return err
		}
		if uint64(binary.LittleEndian.Uint32(head[4:])) != uint64(tensor.Blocks(count, width)) {
			return fmt.Errorf("statistics of a wrong number of blocks")
		}
		blocks += uint64(tensor.Blocks(count, width))
		list = append(list, Reduction{Tensor: d, Count: count, Width: width})
	}
	if it.NBytes != at+blocks*tensor.BlockBytes+n*tensor.CountBytes {
		return fmt.Errorf("statistics of a wrong size")
	}
	counts := at + blocks*tensor.BlockBytes
	for i := range list {
		r := &list[i]
		end := at + uint64(tensor.Blocks(r.Count, width))*tensor.BlockBytes
		r.Blocks, at = it.Data[at:end:end], end
		r.Hist, counts = it.Data[counts:counts+tensor.CountBytes], counts+tensor.CountBytes
	}
	it.Reductions = list
	return nil
}
