package measure

import (
	"slices"
	"testing"
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
