package lines_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/store/lines"
)

type doc struct {
	Name string   `json:"name,omitempty"`
	List []string `json:"list,omitempty"`
}

var docs = []doc{
	{},
	{Name: "layer1.weight"},
	{Name: "a/b\"c\n<d>&\u2028 \"crc\":\"00000000\"}", List: []string{"x", "{", "}"}},
	{Name: strings.Repeat("long", 1250)},
}

func readAll(b []byte) (good []doc, bad, torn int) {
	torn = lines.Read(b, func(r lines.Result) {
		if r.Err != nil {
			bad++
			return
		}
		var d doc
		if err := json.Unmarshal(r.JSON, &d); err != nil {
			panic(fmt.Sprintf("a line with a good checksum is not JSON: %q", r.JSON))
		}
		good = append(good, d)
	})
	return good, bad, torn
}

func file(t *testing.T) []byte {
	var b []byte
	for _, d := range docs {
		l, err := lines.Line(d)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, l...)
	}
	return b
}

func TestLinesComeBack(t *testing.T) {
	b := file(t)
	if n := strings.Count(string(b), "\n"); n != len(docs) {
		t.Errorf("%d newlines for %d lines", n, len(docs))
	}
	good, bad, torn := readAll(b)
	if bad != 0 || torn != 0 || !reflect.DeepEqual(good, docs) {
		t.Errorf("read %v, %d bad, %d torn", good, bad, torn)
	}
}

// A file cut off anywhere gives the whole lines before the cut, and the rest
// counts as unfinished, not as damaged.
func TestCutOff(t *testing.T) {
	b := file(t)
	for n := range len(b) {
		good, bad, _ := readAll(b[:n])
		want := strings.Count(string(b[:n]), "\n")
		if b[n] == '\n' && n > 0 {
			want++
		}
		if bad != 0 || len(good) != want {
			t.Fatalf("cut at %d of %d: %d lines of %d, %d bad", n, len(b), len(good), want, bad)
		}
	}
}

// Whatever bit of whatever byte changes: it is noticed, and every line but the
// one it is in is read.
func TestEveryByteCounts(t *testing.T) {
	b := file(t)[:600]
	b = b[:strings.LastIndexByte(string(b), '\n')+1]
	whole, _, _ := readAll(b)
	for i := range b {
		for _, flip := range []byte{1, 0x20, 0x80, b[i], b[i] ^ '\n'} {
			if flip == 0 {
				continue
			}
			b[i] ^= flip
			good, bad, torn := readAll(b)
			if bad == 0 && torn == 0 {
				t.Fatalf("byte %d changed by %#x: not noticed", i, flip)
			}
			if len(good) < len(whole)-1 {
				t.Fatalf("byte %d changed by %#x: only %d of %d lines were read", i, flip, len(good), len(whole))
			}
			b[i] ^= flip
		}
	}
}

func TestDocument(t *testing.T) {
	for _, d := range docs {
		b, err := lines.Document(d)
		if err != nil {
			t.Fatal(err)
		}
		js, err := lines.OpenDocument(b)
		if err != nil {
			t.Fatalf("open %q: %v", b, err)
		}
		var got doc
		if err := json.Unmarshal(js, &got); err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("read %+v, %v", got, err)
		}
		for i := 0; i < len(b); i += 1 + len(b)/200 {
			b[i] ^= 4
			if _, err := lines.OpenDocument(b); err == nil {
				t.Fatalf("byte %d of %q changed: not noticed", i, b)
			}
			b[i] ^= 4
		}
	}
}

func TestOnlyObjects(t *testing.T) {
	for _, v := range []any{1, "x", []int{1}, nil} {
		if b, err := lines.Line(v); err == nil {
			t.Errorf("%v became the line %q", v, b)
		}
	}
}

func FuzzRead(f *testing.F) {
	l, err := lines.Line(docs[2])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(l, l...))
	f.Add([]byte("{}\n{\"crc\":\"00000000\"}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		total := 0
		torn := lines.Read(b, func(r lines.Result) {
			total++
			if r.Offset < 0 || r.Offset > int64(len(b)) {
				t.Fatalf("offset %d in %d bytes", r.Offset, len(b))
			}
			if r.Err == nil && !strings.Contains(string(b), string(r.JSON)) {
				t.Fatalf("read what is not there: %q", r.JSON)
			}
		})
		if torn < 0 || torn > len(b) {
			t.Fatalf("torn %d of %d bytes", torn, len(b))
		}
		lines.OpenDocument(b)
	})
}
