package record

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The terminal, the report and the page write a length of time alike: the page's
// tests read the same list.
func TestSeconds(t *testing.T) {
	b, err := os.ReadFile("../../web/testdata/durations.json")
	if err != nil {
		t.Fatal(err)
	}
	var list [][2]any
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	for _, one := range append(list, [2]any{math.NaN(), "–"}) {
		if got := Seconds(one[0].(float64)); got != one[1] {
			t.Errorf("%v: %q, want %q", one[0], got, one[1])
		}
	}
	if len(list) < 20 {
		t.Errorf("%d lengths of time", len(list))
	}
}
