package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"reflect"
	"strings"
)

// columnsType is the media type of answers whose lists of numbers are binary. The
// form: "VIGILCO1", the length of a JSON header as a little-endian uint32, the
// header, zero bytes up to a multiple of 8, then the columns, each padded to 8.
// The header is the JSON answer with {"column": i} in place of each list of
// numbers, and "columns": what type, how long and where each one is. Lists that are
// alike, such as the steps of several series, are one column. An answer that is no
// object, or has "columns" itself, is the member "answer".
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
	e := columnsEncoder{list: []column{}, seed: maphash.MakeSeed(), known: map[uint64]int{}}
	e.put(reflect.ValueOf(v))
	if b := e.header.Bytes(); len(b) == 0 || b[0] != '{' || e.taken {
		e.header = *bytes.NewBufferString(`{"answer":` + string(b) + `}`)
	}
	e.header.Truncate(e.header.Len() - 1)
	e.member(e.header.Len() == 1, "columns")
	e.json(e.list)
	e.header.WriteByte('}')
	if e.err != nil {
		return fmt.Errorf("write columns: %w", e.err)
	}
	start := append([]byte(columnsMagic), binary.LittleEndian.AppendUint32(nil, uint32(e.header.Len()))...)
	start = append(start, e.header.Bytes()...)
	for len(start)%8 != 0 {
		start = append(start, 0)
	}
	if _, err := w.Write(start); err != nil {
		return err
	}
	_, err := w.Write(e.data)
	return err
}

type columnsEncoder struct {
	header bytes.Buffer
	list   []column
	data   []byte
	seed   maphash.Seed
	known  map[uint64]int // columns by a hash of their bytes
	depth  int            // of objects and lists around what is written
	taken  bool           // the answer has a member of the name of the list of columns
	err    error
}

// put writes a value as JSON has it, and its lists of numbers as columns.
func (e *columnsEncoder) put(v reflect.Value) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			e.header.WriteString("null")
			return
		}
		v = v.Elem()
	}
	switch {
	case v.Type() == floatsOf:
		e.column("f64", v.Len(), func(i int) uint64 { return math.Float64bits(v.Index(i).Float()) })
		return
	case v.Type() == integersOf:
		e.column("i64", v.Len(), func(i int) uint64 { return uint64(v.Index(i).Int()) })
		return
	case v.Type().Implements(marshaler):
		e.json(v.Interface())
		return
	}
	e.depth++
	defer func() { e.depth-- }()
	switch v.Kind() {
	case reflect.Struct:
		e.header.WriteByte('{')
		e.fields(v, true)
		e.header.WriteByte('}')
	case reflect.Slice, reflect.Array:
		e.header.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				e.header.WriteByte(',')
			}
			e.put(v.Index(i))
		}
		e.header.WriteByte(']')
	case reflect.Map:
		e.header.WriteByte('{')
		first := true
		for it := v.MapRange(); it.Next(); first = false {
			e.member(first, fmt.Sprint(it.Key().Interface()))
			e.put(it.Value())
		}
		e.header.WriteByte('}')
	default:
		e.json(v.Interface())
	}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// json writes what has no lists of numbers in it.
func (e *columnsEncoder) json(v any) {
	b, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.header.Write(b)
}

// member begins a member of an object.
func (e *columnsEncoder) member(first bool, name string) {
	if !first {
		e.header.WriteByte(',')
	}
	e.taken = e.taken || e.depth == 1 && name == "columns"
	e.json(name)
	e.header.WriteByte(':')
}

// fields writes those of a struct, and reports whether there are none yet.
func (e *columnsEncoder) fields(v reflect.Value, first bool) bool {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			first = e.fields(v.Field(i), first)
		case name == "-" || !f.IsExported():
		case strings.Contains(rest, "omit") && v.Field(i).IsZero():
		default:
			if name == "" {
				name = f.Name
			}
			e.member(first, name)
			e.put(v.Field(i))
			first = false
		}
	}
	return first
}

func (e *columnsEncoder) column(kind string, n int, at func(int) uint64) {
	begin := len(e.data)
	for i := range n {
		e.data = binary.LittleEndian.AppendUint64(e.data, at(i))
	}
	own := e.data[begin:]
	hash := maphash.Bytes(e.seed, own)
	place, known := e.known[hash]
	c := column{kind, n, begin}
	if known && e.alike(e.list[place], c) {
		e.data = e.data[:begin]
	} else {
		place = len(e.list)
		e.list = append(e.list, c)
		e.known[hash] = place
	}
	fmt.Fprintf(&e.header, `{"column":%d}`, place)
}

func (e *columnsEncoder) alike(a, b column) bool {
	return a.Type == b.Type && bytes.Equal(e.data[a.Offset:a.Offset+8*a.Length], e.data[b.Offset:b.Offset+8*b.Length])
}
