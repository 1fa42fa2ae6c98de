package server

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// number is a float64 in JSON: what is not finite is "NaN", "Inf" or "-Inf".
type number float64

func (n number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

// Schema says that a number may be one of three words.
func (number) Schema(huma.Registry) *huma.Schema { return numberSchema() }

// floats are numbers that travel as a column where columns are asked for.
type floats []float64

func (f floats) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v)
	}
	return append(b, ']'), nil
}

// Schema is that of a list of numbers.
func (floats) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: numberSchema()}
}

// integers are whole numbers that travel as a column where columns are asked for.
type integers []int64

func (l integers) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]int64(l))
}

// Schema is that of a list of integers.
func (integers) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeInteger, Format: "int64"}}
}

func numberSchema() *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeNumber, Format: "double"},
		{Type: huma.TypeString, Enum: []any{"NaN", "Inf", "-Inf"}}}}
}

func appendNumber(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(b, `"Inf"`...)
	case math.IsInf(v, -1):
		return append(b, `"-Inf"`...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

var (
	floatsOf   = reflect.TypeFor[floats]()
	integersOf = reflect.TypeFor[integers]()
)
