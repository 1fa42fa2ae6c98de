package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// npyTypes are numpy's names of element types it knows (NEP 1). The others
// (bfloat16, float8) are written as float32, which holds them exactly.
var npyTypes = map[tensor.DType]string{
	tensor.Bool: "|b1", tensor.U8: "|u1", tensor.I8: "|i1", tensor.U16: "<u2", tensor.I16: "<i2", tensor.U32: "<u4", tensor.I32: "<i4",
	tensor.U64: "<u8", tensor.I64: "<i8", tensor.F16: "<f2", tensor.F32: "<f4", tensor.F64: "<f8", tensor.C64: "<c8", tensor.C128: "<c16",
}

// writeNPYHeader starts a .npy file, version 1.0: magic, length, a Python
// dictionary padded so that the data begins at a multiple of 64.
func writeNPYHeader(w io.Writer, dtype string, shape []int64) error {
	var dims strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&dims, "%d,", d)
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, dims.String())
	const prefix = 10
	pad := (64 - (prefix+len(header)+1)%64) % 64
	header += strings.Repeat(" ", pad) + "\n"
	if len(header) > math.MaxUint16 {
		return fmt.Errorf("write npy: a shape of %d dimensions does not fit the header", len(shape))
	}
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	_, err := w.Write(b.Bytes())
	return err
}

// writeNPY writes a series as a float64 vector.
func writeNPY(w io.Writer, values []float64) error {
	if err := writeNPYHeader(w, "<f8", []int64{int64(len(values))}); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, values)
}

// printRaw writes one tensor: as .npy, or flat with its index.
func printRaw(a *app, format, name string, mode record.Mode, step int64, v tensor.View) error {
	n, err := tensor.Elements(v.Shape)
	if err != nil {
		return err
	}
	switch format {
	case "npy":
		if dtype, ok := npyTypes[v.DType]; ok {
			if err := writeNPYHeader(a.stdout, dtype, v.Shape); err != nil {
				return err
			}
			_, err := a.stdout.Write(v.Data)
			return err
		}
		if err := writeNPYHeader(a.stdout, "<f4", v.Shape); err != nil {
			return err
		}
		out := make([]byte, 0, 4*n)
		for i := range n {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(tensor.ToFloat64(v, i))))
		}
		_, err := a.stdout.Write(out)
		return err
	case "json":
		values := make([]record.Number, n)
		for i := range n {
			values[i] = record.Number(tensor.ToFloat64(v, i))
		}
		return writeJSON(a.stdout, map[string]any{"tensor": name, "mode": mode, "stat": "raw", "step": step, "dtype": v.DType.String(), "shape": v.Shape, "values": values})
	}
	if format == "csv" {
		fmt.Fprintln(a.stdout, "index,value")
	} else {
		fmt.Fprintf(a.stdout, "%s, %s step %d, %s %v\n", printable(name), mode, step, v.DType, v.Shape)
	}
	for i := range n {
		line := "%10d  %s\n"
		if format == "csv" {
			line = "%d,%s\n"
		}
		if _, err := fmt.Fprintf(a.stdout, line, i, a.compact(tensor.ToFloat64(v, i))); err != nil {
			return err
		}
	}
	return nil
}
