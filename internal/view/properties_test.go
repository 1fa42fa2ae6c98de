package view

import (
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// Tags and the note are properties of a run, in the report too.
func TestPropertiesOfLabels(t *testing.T) {
	list := Properties(record.Run{Tags: map[string]string{"lr": "0.1", "exp": "sweep"}, Note: "the first"}, "")
	for _, want := range []Property{{"tag exp", "sweep"}, {"tag lr", "0.1"}, {"note", "the first"}} {
		if !slices.Contains(list, want) {
			t.Errorf("%v is not among %v", want, list)
		}
	}
}
