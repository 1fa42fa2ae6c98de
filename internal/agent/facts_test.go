package agent

import "testing"

// The interval at the end of the line follows the budget all the time; only what
// is before it is news.
func TestBeforeTheInterval(t *testing.T) {
	const line = "MLP · Adam lr 0.1 · a step is one update · 4 weights, every "
	for text, want := range map[string]string{
		line + "10 steps":      "MLP · Adam lr 0.1 · a step is one update · 4 weights",
		line + "step":          "MLP · Adam lr 0.1 · a step is one update · 4 weights",
		"model Net, 2 tensors": "model Net, 2 tensors",
		"":                     "",
	} {
		if got := before(text, ", every "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
