package runs

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// The parts of a row are what decoding it would give, whatever its names are.
func TestEachPart(t *testing.T) {
	names := []string{"loss", `a"b\`, `\"`, "<a>&", "a,b:{}[]", "", "ü\u2028", `\\`}
	detail := Detail{Outline: view.Outline{Values: map[string]view.Reach{}, Losses: []view.LossLine{{Name: `l"]}`, Steps: []int64{1}, Values: []record.Number{0.5}}}, More: 3}, Parameters: map[string]string{}}
	for i, name := range names {
		detail.Values[name] = view.Reach{Mode: name, Last: record.Number(i)}
		detail.Parameters[name] = name
	}
	decoded := Row{Name: "a", Detail: detail}
	packed := decoded
	if err := packed.pack(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []Row{decoded, packed} {
		got := Detail{Outline: view.Outline{Values: map[string]view.Reach{}, More: 3}, Parameters: map[string]string{}}
		err := row.Each(func(kind Kind, name, rest []byte) int {
			n, err := Length(rest), error(nil)
			switch kind {
			case Losses:
				err = json.Unmarshal(rest[:n], &got.Losses)
			case Value:
				var r view.Reach
				err = json.Unmarshal(rest[:n], &r)
				got.Values[string(name)] = r
			case Parameter:
				var s string
				err = json.Unmarshal(rest[:n], &s)
				got.Parameters[string(name)] = s
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return n
		})
		if err != nil || !reflect.DeepEqual(got, detail) {
			t.Errorf("%v: %+v, want %+v", err, got, detail)
		}
	}
	empty := Row{}
	if err := empty.Each(func(_ Kind, name, _ []byte) int { t.Errorf("%s", name); return 0 }); err != nil {
		t.Error(err)
	}
	damaged := Row{detail: []byte(`{"values":{"a":}}`)}
	if damaged.Each(func(_ Kind, _, rest []byte) int { return Length(rest) }) == nil {
		t.Error("what is damaged is read")
	}
}

// read walks through an object; got is what it has.
func read(b []byte) (got map[string]string, whole bool) {
	got = map[string]string{}
	n := Walk(b, func(name, rest []byte) int {
		n := Length(rest)
		got[string(name)] = string(rest[:n])
		return n
	})
	return got, n > 0 && n == len(b)
}

func TestWalk(t *testing.T) {
	for _, text := range []string{"", "{", "}", "[]", "1", `{"a"}`, `{"a":}`, `{"a":1"b":2}`, `{"a":{}`, `{"a":"}`, `{"a":"\"}`, `{a:1}`, `{"a":[}`, `{"a"1}`, `{"\q":1}`, `{"a":]}`, `{ "a":1}`, `{,}`, `{"a":1,}`, `{"`} {
		if got, whole := read([]byte(text)); whole {
			t.Errorf("%s is read: %v", text, got)
		}
	}
	for text, want := range map[string]map[string]string{`{}`: {}, `{"a":1,"b":"x,}"}`: {"a": "1", "b": `"x,}"`}, `{"a":[1,{"b":"]"}],"c":null}`: {"a": `[1,{"b":"]"}]`, "c": "null"}} {
		if got, whole := read([]byte(text)); !whole || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func FuzzWalk(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1}`, `{"a":{"b":["\"",{}]},"c":"x"}`, `{"a":"\\"}`, `{"a":}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		read(b) // fails at nothing
		var want map[string]json.RawMessage
		if json.Unmarshal(b, &want) != nil || want == nil {
			return
		}
		compact, err := json.Marshal(want)
		if err != nil {
			return
		}
		got, whole := read(compact)
		if !whole || len(got) != len(want) {
			t.Fatalf("%s: %v", compact, got)
		}
		for name, value := range want {
			var short bytes.Buffer
			if json.Compact(&short, value) != nil || !json.Valid([]byte(got[name])) {
				t.Fatalf("%s: %q is %s", compact, name, got[name])
			}
		}
	})
}
