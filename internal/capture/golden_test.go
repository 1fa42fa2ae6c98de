package capture

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

func golden(t testing.TB, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "protocol", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGoldenRecords(t *testing.T) {
	var rows []struct {
		Name   string
		Fields struct {
			Kind     Kind
			Mode     uint8
			DType    tensor.DType
			Flags    uint8
			ID       uint32
			Step     int64
			ModeStep int64 `json:"mode_step"`
			Offset   uint64
			NBytes   uint64
			Value    record.Number
			Time     uint64
			Shape    uint32
			Seq      uint32
		}
		Hex string
	}
	golden(t, "records.json", &rows)
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			f := row.Fields
			if math.IsNaN(float64(f.Value)) { // any NaN is one; the file has the usual one
				f.Value = record.Number(math.Float64frombits(0x7ff8 << 48))
			}
			r := Record{
				f.Kind, record.Mode(f.Mode), f.DType, f.Flags, f.ID, f.Step, f.ModeStep,
				f.Offset, f.NBytes, float64(f.Value), f.Time, f.Shape, f.Seq,
			}
			want := unhex(t, row.Hex)
			var got [RecordSize]byte
			r.Encode(got[:])
			if !bytes.Equal(got[:], want) {
				t.Errorf("Encode:\n got %x\nwant %x", got, want)
			}
			back := DecodeRecord(want)
			var again [RecordSize]byte
			back.Encode(again[:])
			if !bytes.Equal(again[:], want) {
				t.Errorf("DecodeRecord: %+v encodes as %x", back, again)
			}
		})
	}
}

// messageType makes an empty message of each kind.
func messageType(kind string) any {
	switch kind {
	case TypeHello:
		return &Hello{}
	case TypeModules:
		return &Modules{}
	case TypeTensors:
		return &Tensors{}
	case TypeShapes:
		return &Shapes{}
	case TypeLayout:
		return &Layout{}
	case TypeFacts:
		return &Facts{}
	case TypeLoader:
		return &Loader{}
	case TypeCompiler:
		return &Compiler{}
	case TypeMissing:
		return &Missing{}
	case TypeCollection:
		return &Collection{}
	case TypeNotice:
		return &Notice{}
	case TypeProvenance:
		return &Provenance{}
	case TypeTraceback:
		return &Traceback{}
	case TypeStand:
		return &Stand{}
	case TypeWindow:
		return &Window{}
	case TypeBye:
		return &Bye{}
	case TypeWelcome:
		return &Welcome{}
	case TypeRefused:
		return &Refused{}
	case TypePlan:
		return &Plan{}
	case TypeControl:
		return &Control{}
	}
	return nil
}

func TestGoldenMessages(t *testing.T) {
	var rows []struct {
		Name string
		JSON json.RawMessage
		Hex  string
	}
	golden(t, "messages.json", &rows)
	seen := map[string]bool{}
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			wire := unhex(t, row.Hex)
			m, err := ReadMessage(bytes.NewReader(wire))
			if err != nil {
				t.Fatal(err)
			}
			var want, body map[string]any
			mustUnmarshal(t, row.JSON, &want)
			mustUnmarshal(t, m.Body, &body)
			if d := cmp.Diff(want, body); d != "" {
				t.Errorf("body (-want +got):\n%s", d)
			}
			v := messageType(m.Type)
			if v == nil {
				return // a kind of the future is ignored
			}
			seen[m.Type] = true
			if err := m.Decode(v); err != nil {
				t.Fatal(err)
			}
			// Everything the golden message says survives a round trip, except
			// what the decoded form has no use for.
			again, err := AppendMessage(nil, m.Type, v)
			if err != nil {
				t.Fatal(err)
			}
			m2, err := ReadMessage(bytes.NewReader(again))
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			mustUnmarshal(t, m2.Body, &got)
			contains(t, "", want, got)
		})
	}
	for _, kind := range []string{
		TypeHello, TypeModules, TypeTensors, TypeShapes, TypeLayout, TypeFacts, TypeLoader, TypeCompiler, TypeMissing, TypeCollection,
		TypeNotice, TypeProvenance, TypeTraceback, TypeBye, TypeWelcome, TypeRefused, TypePlan,
	} {
		if !seen[kind] {
			t.Errorf("no golden message of kind %q", kind)
		}
	}
}

func mustUnmarshal(t *testing.T, b []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// contains checks that got says all that want says. What is empty in want may
// be absent.
func contains(t *testing.T, path string, want, got any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k, v := range w {
			contains(t, path+"."+k, v, g[k])
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s: %v became %v", path, want, got)
			return
		}
		for i := range w {
			contains(t, path+"[]", w[i], g[i])
		}
	default:
		if got == nil && (want == "" || want == false || want == 0.0) {
			return
		}
		if !cmp.Equal(want, got) {
			t.Errorf("%s: %v became %v", path, want, got)
		}
	}
}

func info(id uint32, name string, kind record.Kind, shape ...int64) TensorInfo {
	if shape == nil {
		shape = []int64{}
	}
	return TensorInfo{id, record.TensorInfo{Name: name, Kind: kind, DType: "F32", Shape: shape}}
}
