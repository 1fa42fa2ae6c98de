package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
)

// columnsType is the media type of answers whose lists of numbers are binary. The
// form: "VIGILCO1", the length of a JSON header as a little-endian uint32, the
// header, zero bytes up to a multiple of 8, then the columns, each padded to 8.
// The header is the JSON answer with {"column": i} in place of each list of
// numbers, and "columns": what type, how long and where each one is.
const columnsType = "application/vnd.vigil.columns"

const columnsMagic = "VIGILCO1"

// column says where one column is.
type column struct {
	Type   string `json:"type"`
	Length int    `json:"length"`
	Offset int    `json:"offset"` // from the end of the padded header
}

// writeColumns writes an answer as columns.
func writeColumns(w io.Writer, v any) error {
	var e columnsEncoder
	tree := e.tree(reflect.ValueOf(v))
	if m, ok := tree.(map[string]any); ok {
		m["columns"] = e.list
	} else {
		tree = map[string]any{"answer": tree, "columns": e.list}
	}
	header, err := json.Marshal(tree)
	if err != nil {
		return fmt.Errorf("write columns: %w", err)
	}
	start := append([]byte(columnsMagic), binary.LittleEndian.AppendUint32(nil, uint32(len(header)))...)
	start = append(start, header...)
	for len(start)%8 != 0 {
		start = append(start, 0)
	}
	if _, err := w.Write(start); err != nil {
		return err
	}
	_, err = w.Write(e.data.Bytes())
	return err
}

type columnsEncoder struct {
	list []column
	data bytes.Buffer
}

// tree is a value as JSON has it, with its lists of numbers taken out.
func (e *columnsEncoder) tree(v reflect.Value) any {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch {
	case v.Type() == floatsOf:
		return e.column("f64", v.Len(), func(i int) uint64 { return math.Float64bits(v.Index(i).Float()) })
	case v.Type() == integersOf:
		return e.column("i64", v.Len(), func(i int) uint64 { return uint64(v.Index(i).Int()) })
	case v.Type().Implements(marshaler):
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.Struct:
		m := map[string]any{}
		e.fields(v, m)
		return m
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = e.tree(v.Index(i))
		}
		return list
	case reflect.Map:
		m := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			m[fmt.Sprint(it.Key().Interface())] = e.tree(it.Value())
		}
		return m
	}
	return v.Interface()
}

var marshaler = reflect.TypeFor[json.Marshaler]()

func (e *columnsEncoder) fields(v reflect.Value, m map[string]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			e.fields(v.Field(i), m)
		case name == "-" || !f.IsExported():
		case strings.Contains(rest, "omit") && v.Field(i).IsZero():
		default:
			if name == "" {
				name = f.Name
			}
			m[name] = e.tree(v.Field(i))
		}
	}
}

func (e *columnsEncoder) column(kind string, n int, at func(int) uint64) map[string]int {
	e.list = append(e.list, column{kind, n, e.data.Len()})
	for i := range n {
		e.data.Write(binary.LittleEndian.AppendUint64(nil, at(i)))
	}
	return map[string]int{"column": len(e.list) - 1}
}
