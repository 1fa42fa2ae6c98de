package cli

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// shapeStat is what --stat asks for shapes by.
const shapeStat = "shape"

// shape prints the shape of a tensor at each of its steps.
func (c valuesCmd) shape(a *app, t source.Run, info record.TensorInfo, modes []record.Mode, from, to int64) error {
	for _, mode := range modes {
		steps, shapes, err := t.Shapes(source.Query{Tensor: c.Tensor, Mode: mode, Worker: c.Worker, From: from, To: to})
		if err != nil {
			return fmt.Errorf("read %q: %w", c.Tensor, err)
		}
		if len(steps) > 0 {
			return c.printShapes(a, t, mode, steps, shapes)
		}
	}
	return c.nothing(shapeStat, info)
}

func (c valuesCmd) printShapes(a *app, t source.Run, mode record.Mode, steps []int64, shapes [][]int64) error {
	worker := c.Worker
	if worker == "" {
		worker = t.Chief()
	}
	switch c.Format {
	case "json":
		return writeJSON(a.stdout, map[string]any{"tensor": c.Tensor, "mode": mode, "worker": worker, "stat": shapeStat, "steps": steps, "values": shapes})
	case "npy":
		return c.writeShapesNPY(a, shapes)
	case "csv":
		w := csv.NewWriter(a.stdout)
		_ = w.Write([]string{"step", shapeStat})
		for i, s := range steps {
			_ = w.Write([]string{strconv.FormatInt(s, 10), shapeText(shapes[i])})
		}
		w.Flush()
		return w.Error()
	}
	fmt.Fprintf(a.stdout, "%s, %s, %s\n", a.page().Bold(printable(c.Tensor)), mode, worker)
	fmt.Fprintf(a.stdout, "%10s  %s\n", "step", shapeStat)
	for i, s := range steps {
		if _, err := fmt.Fprintf(a.stdout, "%10d  %s\n", s, shapeText(shapes[i])); err != nil {
			return err
		}
	}
	return nil
}

// shapeText spells a shape as show does.
func shapeText(shape []int64) string {
	if shape == nil {
		return "not known"
	}
	return "[" + strings.Trim(fmt.Sprint(shape), "[]") + "]"
}

// writeShapesNPY writes steps by dimensions, which have to be as many at each
// step.
func (c valuesCmd) writeShapesNPY(a *app, shapes [][]int64) error {
	rank := len(shapes[0])
	for _, s := range shapes {
		if len(s) != rank || s == nil {
			return &usage{Message: fmt.Sprintf("%q has not the same number of dimensions at all steps", printable(c.Tensor)), What: "--format", Hint: "use json or csv"}
		}
	}
	if err := writeNPYHeader(a.stdout, "<i8", []int64{int64(len(shapes)), int64(rank)}); err != nil {
		return err
	}
	for _, s := range shapes {
		if err := binary.Write(a.stdout, binary.LittleEndian, s); err != nil {
			return err
		}
	}
	return nil
}
