package builtin

import (
	"math"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// sixteenBits is a type of numbers whose rounding takes small updates away.
type sixteenBits struct {
	name string
	// half is the largest change of a number, as a share of it, that rounding can take away:
	// half the distance to the next one, where that is widest.
	half float64
}

// sixteenOf are these types, by their names in facts and series.
var sixteenOf = map[string]sixteenBits{
	"BF16": {"bfloat16", math.Exp2(-8)},
	"F16":  {"float16", math.Exp2(-11)},
}

// keepWide is the remedy where updates are rounded away.
const keepWide = "keep the weights in float32 and let torch.autocast compute in 16 bits; or let the optimiser keep a float32 copy of the weights"

// bitsOf gives the type of the weights that are trained, where half of them or
// more have one of 16 bits.
func bitsOf(f *rule.Facts) (sixteenBits, bool) {
	if f.Parameters == nil {
		return sixteenBits{}, false
	}
	by, all := map[string]int64{}, int64(0)
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Trained && p.Held && mixing(p) {
			by[p.DType] += elementsOf(p.Shape)
			all += elementsOf(p.Shape)
		}
	}
	for name, t := range sixteenOf {
		if n := by[name]; n > 0 && 2*n >= all {
			return t, true
		}
	}
	return sixteenBits{}, false
}

// sixteen gives the type of a weight that a series is about.
func sixteen(info *record.TensorInfo) (sixteenBits, bool) {
	t, ok := sixteenOf[info.DType]
	return t, ok
}

// pushOf is the length of the first updates over that of the weights, as the rate and
// the optimiser have it before rounding; 0 where it is not known.
func pushOf(f *rule.Facts, lr float64) float64 {
	norm := weightNorm(f)
	if !(norm > 0) {
		return 0
	}
	push := math.Sqrt(float64(trainedElements(f))) // of an optimiser that does not go by the gradient's size
	if len(f.Optimisers) > 0 && !scaleFree(f.Optimisers[0].Class) {
		if f.Updates == nil {
			return 0
		}
		push = medianOf(f.Updates.Norms)
	}
	if x := lr * push / norm; x > 0 && finite(x) {
		return x
	}
	return 0
}
