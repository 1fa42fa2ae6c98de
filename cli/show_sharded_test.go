package cli

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// Of a tensor that is divided between processes `vigil show` prints the part that is there, and of what.
func TestShowPrintsTheParts(t *testing.T) {
	list := []view.Tensor{
		{TensorInfo: record.TensorInfo{Name: "Net_whole", Kind: record.Weight, DType: "F32", Shape: []int64{8, 6}}},
		{TensorInfo: record.TensorInfo{
			Name: "Net_up.weight", Kind: record.Weight, DType: "F32", Shape: []int64{4, 6},
			Part: &record.Part{Of: []int64{8, 6}, Offset: []int64{4, 0}, Placements: []string{"S(0)"}},
		}},
		{TensorInfo: record.TensorInfo{Name: "Net_flat", Kind: record.Weight, DType: "F32", Shape: []int64{5}, Part: &record.Part{Of: []int64{10}}}},
		{TensorInfo: record.TensorInfo{Name: "loss", Kind: record.Loss}},
	}
	var out strings.Builder
	printTensors(&out, live.Page{}, list)
	want := `
Tensors:
  NAME           KIND    TYPE  SHAPE                         COLLECTIONS
  Net_whole      weight  F32   [8 6]                         
  Net_up.weight  weight  F32   [4 6] of [8 6] from [4 0], S(0)  
  Net_flat       weight  F32   [5] of [10]                   
  loss           loss                                        
`
	squeeze := func(s string) string {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			lines[i] = strings.Join(strings.Fields(line), " ")
		}
		return strings.Join(lines, "\n")
	}
	if got := squeeze(out.String()); got != squeeze(want) {
		t.Errorf("printed\n%s\nwant\n%s", got, squeeze(want))
	}
}
