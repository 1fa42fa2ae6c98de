package hook

import (
	"strings"
	"testing"
)

func TestLook(t *testing.T) {
	h := &Hook{opts: Options{Model: "Net", Facts: map[string]any{"corpus": "news"}}}
	for value, want := range map[string]string{"": `"corpus":"news"`, "1": `"corpus":"news"`, "0": `"look":false`, "false": `"look":false`} {
		t.Setenv("VIGIL_LOOK", value)
		facts := h.facts()
		if got := string(facts.Facts); !strings.Contains(got, want) || strings.Contains(got, "corpus") == strings.Contains(got, "look") {
			t.Errorf("VIGIL_LOOK=%q: the facts are %s, want %s", value, got, want)
		}
		if !strings.HasPrefix(facts.Said, "model Net") {
			t.Errorf("VIGIL_LOOK=%q: said is %q", value, facts.Said)
		}
	}
}
