package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A shape is stored when it is another one than the last that was stored of
// that mode, or than the one that was announced first.
func TestShapesThatAreStored(t *testing.T) {
	type seen struct {
		mode  record.Mode
		shape []int64
	}
	a, b := []int64{8, 3}, []int64{5, 3}
	const train, eval = record.Train, record.Eval
	for _, test := range []struct {
		name   string
		unsure bool
		steps  []seen
		want   string
	}{
		{"always the same", false, []seen{{train, a}, {train, a}, {eval, a}}, "- - -"},
		{"it varies", false, []seen{{train, a}, {train, b}, {train, b}, {train, a}, {train, a}}, "- 5x3 - 8x3 -"},
		{"by mode", false, []seen{{eval, b}, {train, a}, {eval, b}, {train, b}, {eval, a}}, "5x3 - - 5x3 8x3"},
		{"no dimension", false, []seen{{train, nil}, {train, []int64{}}}, "() -"},
		{"another rank", false, []seen{{train, a}, {train, []int64{24}}}, "- 24"},
		{"something is stored already", true, []seen{{train, a}, {train, a}, {eval, b}}, "8x3 - 5x3"},
		{"a step was lost", false, []seen{{train, b}, {train, nil}, {train, a}, {train, a}}, "5x3 lost 8x3 -"},
	} {
		w := &worker{shapes: shapes{first: map[string][]int64{}, unsure: test.unsure}}
		w.shapes.announce("x", a)
		w.shapes.announce("x", []int64{99}) // the first one counts
		var got []string
		for i, s := range test.steps {
			if strings.Fields(test.want)[i] == "lost" {
				w.shapes.forget()
				got = append(got, "lost")
				continue
			}
			o := &openStep{key: stepKey{mode: s.mode}}
			w.shaped(o, "x", s.shape)
			got = append(got, spelled(w.newShapes(o)))
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%s: stored %s, want %s", test.name, g, test.want)
		}
	}
}

// Two steps may be open at once.
func TestShapesOfStepsThatOverlap(t *testing.T) {
	w := &worker{shapes: shapes{first: map[string][]int64{"x": {8}}}}
	first, second := &openStep{}, &openStep{}
	w.shaped(first, "x", []int64{5})
	w.shaped(second, "x", []int64{8})
	if got := spelled(w.newShapes(first)) + " " + spelled(w.newShapes(second)); got != "5 8" {
		t.Errorf("stored %s, want 5 8", got)
	}
}

func spelled(list []record.Derived) string {
	if len(list) == 0 {
		return "-"
	}
	var dims []string
	for _, d := range list[1:] {
		dims = append(dims, fmt.Sprint(d.Value))
	}
	if len(dims) == 0 {
		return "()"
	}
	return strings.Join(dims, "x")
}
