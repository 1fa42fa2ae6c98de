package record

import (
	"fmt"
	"strings"
)

// ShapeRank is the derived number that reports how many dimensions a tensor has,
// from this step of its mode on; ShapeDim gives the names of those that tell
// how long each is. They are stored when the shape is another one than at the
// step before, at first than the one that was announced first.
const ShapeRank = "shape_rank"

// ShapeDim names the length of a dimension.
func ShapeDim(i int) string { return fmt.Sprintf("shape[%d]", i) }

// IsShape reports whether a derived number is part of a shape.
func IsShape(stat string) bool { return stat == ShapeRank || strings.HasPrefix(stat, "shape[") }

// ShapeNumbers are the derived numbers that tell a shape.
func ShapeNumbers(tensor string, shape []int64) []Derived {
	out := []Derived{{Tensor: tensor, Stat: ShapeRank, From: -1, Value: float64(len(shape))}}
	for i, n := range shape {
		out = append(out, Derived{Tensor: tensor, Stat: ShapeDim(i), From: -1, Value: float64(n)})
	}
	return out
}

// StringCount is the derived number that reports how many strings a tensor of
// strings holds at a step. It is in the place of statistics.
const StringCount = "strings"
