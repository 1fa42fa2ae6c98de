package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv/written"
)

// read turns columns back: each list of numbers is a text in the answer.
func read(t *testing.T, b []byte) (answer any, columns int) {
	t.Helper()
	if !bytes.HasPrefix(b, []byte(columnsMagic)) {
		t.Fatalf("no columns: %.100q", b)
	}
	end := 12 + int(binary.LittleEndian.Uint32(b[8:]))
	var header map[string]any
	if err := json.Unmarshal(b[12:end], &header); err != nil {
		t.Fatalf("%v in %s", err, b[12:end])
	}
	data := b[(end+7)/8*8:]
	var lists []string
	for _, c := range header["columns"].([]any) {
		c := c.(map[string]any)
		var list []string
		for i := range int(c["length"].(float64)) {
			word := binary.LittleEndian.Uint64(data[int(c["offset"].(float64))+8*i:])
			if c["type"] == "f64" {
				list = append(list, fmt.Sprint(math.Float64frombits(word)))
			} else {
				list = append(list, fmt.Sprintf("%dn", int64(word)))
			}
		}
		lists = append(lists, strings.Join(list, " "))
	}
	delete(header, "columns")
	var place func(v any) any
	place = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = place(v[i])
			}
		case map[string]any:
			if i, is := v["column"].(float64); is {
				return lists[int(i)]
			}
			for key := range v {
				v[key] = place(v[key])
			}
		}
		return v
	}
	return place(header), len(lists)
}

func TestColumns(t *testing.T) {
	type inner struct {
		X    floats   `json:"x"`
		At   integers `json:"at"`
		Skip string   `json:"skip,omitempty"`
	}
	for _, test := range []struct {
		what    string
		value   any
		want    string
		columns int
	}{
		{"nothing", struct{}{}, `{}`, 0},
		{"no object", []string{"a<b", "c"}, `{"answer":["a<b","c"]}`, 0},
		{"columns", map[string]any{"columns": []int{1, 2}}, `{"answer":{"columns":[1,2]}}`, 0},
		{"columns further down", map[string]any{"a": map[string]any{"columns": 1}}, `{"a":{"columns":1}}`, 0},
		{"a map", map[string]any{"a": floats{1}, "b": nil}, `{"a":"1","b":null}`, 1},
		{"numbers", inner{X: floats{0.5, math.NaN(), math.Inf(-1)}, At: integers{-1, math.MaxInt64}}, `{"at":"-1n 9223372036854775807n","x":"0.5 NaN -Inf"}`, 2},
		{"none of a type are not none of another", inner{}, `{"at":"","x":""}`, 2},
		{"alike", []any{inner{X: floats{1, 2}}, &inner{X: floats{1, 2}, Skip: "s"}, inner{X: floats{1, 3}}, inner{X: floats{1}}}, `{"answer":[{"at":"","x":"1 2"},{"at":"","skip":"s","x":"1 2"},{"at":"","x":"1 3"},{"at":"","x":"1"}]}`, 4},
		{"embedded", struct {
			Format
			inner
			N number `json:"n"`
		}{Format{1}, inner{X: floats{7}}, number(math.NaN())}, `{"at":"","format":1,"n":"NaN","x":"7"}`, 2},
	} {
		var b bytes.Buffer
		if err := writeColumns(&b, test.value); err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		answer, columns := read(t, b.Bytes())
		text, err := json.Marshal(answer)
		if got := strings.ReplaceAll(string(text), `\u003c`, "<"); err != nil || got != test.want || columns != test.columns || b.Len()%8 != 0 {
			t.Errorf("%s: %d columns, %d bytes, %v: %s, want %s", test.what, columns, b.Len(), err, got, test.want)
		}
	}
	if err := writeColumns(&bytes.Buffer{}, struct{ F func() }{}); err == nil {
		t.Error("a function was written")
	}
}

// What the page sends gets columns.
func TestColumnsAreAskedFor(t *testing.T) {
	root := t.TempDir()
	written.Write(t, root, "run")
	h := New(Options{Root: root, Version: "test"}).Handler()
	for accept, want := range map[string]string{
		"":                                       "application/json",
		"application/json":                       "application/json",
		columnsType:                              columnsType,
		"application/json;q=0.5, " + columnsType: columnsType,
	} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/v1/runs/run/series?s=loss", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != want {
			t.Errorf("%q gets %d %q, want %q", accept, w.Code, got, want)
		}
	}
}
