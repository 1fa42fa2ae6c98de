package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/store/safetensors"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func view(t testing.TB, d tensor.DType, shape ...int64) tensor.View {
	n, err := tensor.Elements(shape)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, int(n)*d.Size())
	for i := range data {
		data[i] = byte(i*37) & 0x3f
		if d == tensor.Bool {
			data[i] &= 1
		}
	}
	v, err := tensor.NewView(d, shape, data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// all holds every element type, every odd shape and every odd name.
func all(t testing.TB) map[string]tensor.View {
	m := map[string]tensor.View{
		"__metadata__": view(t, tensor.F32, 2), "a/b\"c\nd": view(t, tensor.F16, 1), "": view(t, tensor.U8, 1),
		strings.Repeat("long", 1250): view(t, tensor.BF16, 3), "0-d": view(t, tensor.F64), "empty": view(t, tensor.F32, 3, 0, 2),
		"no elements": view(t, tensor.C128, 0),
	}
	for d := tensor.Bool; d <= tensor.F8E5M2FNUZ; d++ {
		m["t_"+d.String()] = view(t, d, 2, 3)
	}
	return m
}

func encode(t testing.TB, m map[string]tensor.View) []byte {
	var b bytes.Buffer
	if err := safetensors.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAllComesBack(t *testing.T) {
	want := all(t)
	b := encode(t, want)
	r, err := safetensors.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Tensors()); n != len(want) {
		t.Errorf("%d tensors of %d", n, len(want))
	}
	for name, v := range want {
		at, ok := r.Lookup(name)
		if !ok {
			t.Errorf("tensor %q is missing", name)
			continue
		}
		if at.DType.Size() > 0 && at.Start%int64(min(at.DType.Size(), 8)) != 0 {
			t.Errorf("tensor %q of %s begins at byte %d", name, at.DType, at.Start)
		}
		got, err := r.Read(at)
		if err != nil || got.DType != v.DType || !bytes.Equal(got.Data, v.Data) || len(got.Shape) != len(v.Shape) ||
			len(v.Shape) > 0 && !reflect.DeepEqual(got.Shape, v.Shape) {
			t.Errorf("tensor %q: %s %v, want %s %v, error %v", name, got.DType, got.Shape, v.DType, v.Shape, err)
		}
	}
}

func TestGolden(t *testing.T) {
	b := encode(t, map[string]tensor.View{"w": view(t, tensor.F32, 2, 2), "z": view(t, tensor.C128, 1), "h": view(t, tensor.F16, 3), "__metadata__": view(t, tensor.U8, 1)})
	name := filepath.Join("testdata", "golden.safetensors")
	if *update {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("the file changed:\n%q\nwas\n%q", b, want)
	}
}

func raw(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

func TestRefused(t *testing.T) {
	tests := map[string][]byte{
		"empty":             {},
		"short":             {1, 0, 0},
		"header too long":   {255, 255, 255, 255, 255, 255, 255, 255},
		"header cut":        raw(`{"a":1}`, 0)[:12],
		"no object":         raw(`[]`, 0),
		"no JSON":           raw(`{"a":`, 0),
		"text after":        raw(`{} x`, 0),
		"two objects":       raw(`{}{}`, 0),
		"trailing data":     raw(`{}`, 1),
		"hole":              raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2),
		"overlap":           raw(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 3),
		"outside":           raw(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 1),
		"backwards":         raw(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[2,1]}}`, 2),
		"negative":          raw(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[-1,1]}}`, 1),
		"wrong size":        raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,3]}}`, 3),
		"overflow":          raw(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0),
		"overflow of bytes": raw(`{"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}}`, 0),
		"negative shape":    raw(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}}`, 0),
		"unknown type":      raw(`{"a":{"dtype":"F31","shape":[1],"data_offsets":[0,1]}}`, 1),
		"type not in it":    raw(`{"a":{"dtype":"C128","shape":[1],"data_offsets":[0,16]}}`, 16),
		"unknown field":     raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}}`, 1),
		"no shape":          raw(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 1),
		"three offsets":     raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}}`, 1),
		"twice":             raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2),
		"metadata":          raw(`{"__metadata__":{"a":1}}`, 0),
		"wrong disguise":    raw(`{"__metadata__":{"vigil.dtypes":"{\"a\":\"C128\"}"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1),
		"two of one name":   raw(`{"__metadata__":{"vigil.names":"{\"a\":\"b\"}"},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0),
	}
	for name, b := range tests {
		if _, err := safetensors.Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, safetensors.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The original's own reader opens what we write and finds the same values.
func TestPythonPackageReadsIt(t *testing.T) {
	m := all(t)
	file := filepath.Join(t.TempDir(), "x.safetensors")
	if err := os.WriteFile(file, encode(t, m), 0o644); err != nil {
		t.Fatal(err)
	}
	script := `
import json, sys
from safetensors import safe_open
out = {}
with safe_open(sys.argv[1], framework="np") as f:
    meta = f.metadata()
    for k in f.keys():
        s = f.get_slice(k)
        v = [s.get_dtype(), s.get_shape()]
        if s.get_dtype() in ("F32", "F64", "I16", "U8", "BOOL"):
            v.append(f.get_tensor(k).tobytes().hex())
        out[k] = v
json.dump({"meta": meta, "tensors": out}, sys.stdout)
`
	text, err := exec.Command(testenv.Python(t), "-c", script, file).Output()
	if err != nil {
		t.Fatalf("read with the safetensors package: %v\n%s", err, stderr(err))
	}
	var got struct {
		Meta    map[string]string
		Tensors map[string][]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tensors) != len(m) || got.Meta["vigil.dtypes"] == "" {
		t.Errorf("%d tensors of %d, metadata %v", len(got.Tensors), len(m), got.Meta)
	}
	for name, want := range map[string]string{"t_F32": "F32", "t_BF16": "BF16", "t_C128": "F64", "t_F8_E4M3FNUZ": "U8", "__metadata___": "F32"} {
		if v := got.Tensors[name]; len(v) == 0 || v[0] != want {
			t.Errorf("%s is %v, want %s", name, v, want)
		}
	}
	want := m["t_F32"].Data
	if v := got.Tensors["t_F32"]; len(v) != 3 || v[2] != hexOf(want) {
		t.Errorf("values of t_F32: %v, want %x", v, want)
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

func stderr(err error) []byte {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return e.Stderr
	}
	return nil
}

func FuzzOpen(f *testing.F) {
	f.Add(encode(f, all(f)))
	f.Add(raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := safetensors.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		m := map[string]tensor.View{}
		for _, at := range r.Tensors() {
			v, err := r.Read(at)
			if err != nil {
				t.Fatal(err)
			}
			m[at.Name] = v
		}
		again := encode(t, m)
		if _, err := safetensors.Open(bytes.NewReader(again), int64(len(again))); err != nil {
			t.Fatalf("written again it is refused: %v", err)
		}
	})
}
