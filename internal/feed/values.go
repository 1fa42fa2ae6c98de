package feed

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Question asks for the stored values of a tensor.
type Question struct {
	Tensor   string      `json:"tensor"`
	Mode     record.Mode `json:"-"`
	ModeStep int64       `json:"mode_step"`
	Worker   string      `json:"worker"`
	Stat     string      `json:"stat,omitempty"` // "hist": its histogram instead, all bins
}

// ParseQuestion reads the payload of an Ask frame.
func ParseQuestion(b []byte) (Question, error) {
	var q struct {
		Question
		Mode int `json:"mode"`
	}
	if err := json.Unmarshal(b, &q); err != nil {
		return Question{}, fmt.Errorf("read question: %w", err)
	}
	if q.Mode < 0 || q.Mode > int(record.Global) {
		return Question{}, fmt.Errorf("read question: there is no mode %d", q.Mode)
	}
	q.Question.Mode = record.Mode(q.Mode)
	return q.Question, nil
}

// numpy spells the element types as numpy does.
var numpy = map[tensor.DType]string{
	tensor.Bool: "|b1", tensor.U8: "|u1", tensor.I8: "|i1", tensor.U16: "<u2", tensor.I16: "<i2", tensor.U32: "<u4", tensor.I32: "<i4",
	tensor.U64: "<u8", tensor.I64: "<i8", tensor.F16: "<f2", tensor.F32: "<f4", tensor.F64: "<f8", tensor.C64: "<c8", tensor.C128: "<c16",
}

// Answer makes the frame that holds a tensor's values. Element types that numpy
// does not have become float32, which holds all their values.
func Answer(v tensor.View) ([]byte, error) {
	n, err := tensor.Elements(v.Shape)
	if err != nil {
		return nil, fmt.Errorf("answer with values: %w", err)
	}
	if n*int64(v.DType.Size()) != int64(len(v.Data)) {
		return nil, fmt.Errorf("answer with values: %d bytes do not hold shape %v of %s", len(v.Data), v.Shape, v.DType)
	}
	if n > maxElements {
		return nil, fmt.Errorf("answer with values: %d elements are more than %d", n, maxElements)
	}
	data := v.Data
	dtype, ok := numpy[v.DType]
	if !ok {
		dtype, data = "<f4", make([]byte, 0, 4*n)
		for i := range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(tensor.ToFloat64(v, i))))
		}
	}
	shape := v.Shape
	if shape == nil {
		shape = []int64{}
	}
	b, err := withHeader(Values, map[string]any{"dtype": dtype, "shape": shape}, len(data))
	if err != nil {
		return nil, err
	}
	return finish(append(b, data...)), nil
}

// maxElements keeps the length of a frame within its four bytes.
const maxElements = 1 << 27
