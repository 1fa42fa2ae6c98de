package measure

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

func TestNatural(t *testing.T) {
	names := []string{"a_input_81", "a_input_9", "a_input_10", "a_input_007", "a", "b2", "a_input_9x"}
	slices.SortFunc(names, natural)
	want := []string{"a", "a_input_007", "a_input_9", "a_input_9x", "a_input_10", "a_input_81", "b2"}
	if !slices.Equal(names, want) {
		t.Errorf("order is %q, want %q", names, want)
	}
}

func FuzzNatural(f *testing.F) {
	f.Add("a9", "a10", "a09")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if natural(a, a) != 0 {
			t.Errorf("%q is not like itself", a)
		}
		sign := func(n int) int { return max(-1, min(1, n)) }
		if sign(natural(a, b)) != -sign(natural(b, a)) {
			t.Errorf("%q and %q: %d and %d", a, b, natural(a, b), natural(b, a))
		}
		if natural(a, b) <= 0 && natural(b, c) <= 0 && natural(a, c) > 0 {
			t.Errorf("%q, %q, %q are in a circle", a, b, c)
		}
	})
}

// reading is a decision that asks for readings at every step.
func reading(rs ...plan.Reading) plan.Decision {
	return plan.Decision{Requests: []plan.Request{{Schedule: plan.Every(1), Want: plan.Stats, Readings: rs}}}
}

func pairOf(c plan.Classes) (labels, predictions plan.Decision) {
	l, p := c, c
	l.Role, p.Role = record.Label, record.Prediction
	return reading(l), reading(p)
}

func info(name string) record.TensorInfo {
	return record.TensorInfo{Name: name, Kind: record.Custom}
}

// read measures tensors of one step and gives the derived numbers by quantity.
func read(t *testing.T, m *Meter, step int64, list ...func() (record.TensorInfo, plan.Decision, tensor.View)) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	add := func(ds []record.Derived) {
		for _, d := range ds {
			out[d.Stat[strings.LastIndex(d.Stat, "].")+2:]] += d.Value
		}
	}
	for _, f := range list {
		i, d, v := f()
		_, derived, err := m.Tensor(i, d, record.Train, step, v)
		if err != nil {
			t.Fatal(err)
		}
		add(derived)
	}
	add(m.Step(record.Train, step))
	return out
}

func one(name string, d plan.Decision, v tensor.View) func() (record.TensorInfo, plan.Decision, tensor.View) {
	return func() (record.TensorInfo, plan.Decision, tensor.View) { return info(name), d, v }
}

// integers are the numbers 0, 1 and 1 in every element type that has them.
func integers(t *testing.T) []tensor.View {
	t.Helper()
	list := map[tensor.DType][]byte{
		tensor.Bool: {0, 1, 1}, tensor.U8: {0, 1, 1}, tensor.I8: {0, 1, 1}, tensor.I16: {0, 0, 1, 0, 1, 0},
		tensor.I32: {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, tensor.F16: {0, 0, 0, 0x3c, 0, 0x3c}, tensor.BF16: {0, 0, 0x80, 0x3f, 0x80, 0x3f},
	}
	var out []tensor.View
	for d, b := range list {
		v, err := tensor.NewView(d, []int64{3}, b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func TestClassesOfEveryType(t *testing.T) {
	m, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, predictions := pairOf(plan.Classes{Set: "x"})
	for step, v := range integers(t) {
		got := read(t, m, int64(step), one("p", predictions, tensor.View{DType: tensor.U8, Shape: []int64{3}, Data: []byte{1, 1, 0}}), one("l", labels, v))
		want := map[string]float64{"label[0]": 1, "label[1]": 2, "wrong[0]": 1, "wrong[1]": 1}
		if !maps.Equal(got, want) {
			t.Errorf("labels of %s give %v, want %v", v.DType, got, want)
		}
		tokens := read(t, m, int64(step), one("t", reading(plan.Tokens{Values: "1, 7"}), v))
		if v.DType == tensor.Bool {
			want = map[string]float64{"not_token_ids": 1}
		} else {
			want = map[string]float64{"size": 3, "rows": 1, "count[0]": 2, "count[1]": 0}
		}
		if !maps.Equal(tokens, want) {
			t.Errorf("tokens of %s give %v, want %v", v.DType, tokens, want)
		}
	}
	if len(m.joint.steps) > 0 {
		t.Errorf("%d steps are kept", len(m.joint.steps))
	}
}

// What cannot be compared is said, and a step that is never closed does not
// stay.
func TestClassesBounds(t *testing.T) {
	m, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, _ := pairOf(plan.Classes{Set: "x"})
	many := make([]byte, 0, 4*(maxClasses+1))
	for i := range maxClasses + 1 {
		many = binary.LittleEndian.AppendUint32(many, uint32(i))
	}
	v := tensor.View{DType: tensor.U32, Shape: []int64{maxClasses + 1}, Data: many}
	if got := read(t, m, 0, one("l", labels, v)); !maps.Equal(got, map[string]float64{"too_many_classes": maxClasses + 1}) {
		t.Errorf("%d classes give %v", maxClasses+1, got)
	}
	c64 := tensor.View{DType: tensor.C64, Shape: []int64{1}, Data: make([]byte, 8)}
	empty := tensor.View{DType: tensor.F32, Shape: []int64{0, 3}}
	if got := read(t, m, 1, one("l", labels, c64), one("k", labels, empty)); len(got) > 0 {
		t.Errorf("complex and empty labels give %v", got)
	}
	for step := range int64(3 * maxJoint) {
		if _, _, err := m.Tensor(info("l"), labels, record.Eval, step, v); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.joint.steps); n > maxJoint {
		t.Errorf("%d open steps are kept", n)
	}
	m.Step(record.Eval, 3*maxJoint)
	if n := len(m.joint.steps); n > 0 {
		t.Errorf("%d steps are kept", n)
	}
}
