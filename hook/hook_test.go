package hook_test

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/hook"
)

// exercise calls everything once.
func exercise(h *hook.Hook) {
	w, g := h.Parameter("fc", "Linear", "weight", 2)
	b, _ := h.Parameter("", "", "bias", 2)
	in, out := h.Input("fc", "Linear", 2), h.Output("fc", "Linear", 2)
	own := h.Tensor(hook.Info{Name: "own", Kind: hook.Custom, Shape: []int{2}})
	h.Notice("info", "text", "hint")
	for _, m := range []hook.Mode{hook.Train, hook.Eval, hook.Predict, hook.Global, 9} {
		s := h.Begin(m)
		s.Loss(1)
		s.NamedLoss("other", 2)
		s.Scalar("acc", 3)
		for _, t := range []*hook.Tensor{w, g, b, in, out, own, nil} {
			s.Due(t)
			s.Float32(t, []float32{1, 2})
			s.Float32(t, nil)
			s.Float64(t, []float64{1, 2, 3}, 3, 1)
			s.Float32(t, []float32{1}, -7)
		}
		s.Skip()
		s.End()
		s.End()
		s.Loss(4)
		s.Number()
	}
	h.Close()
	h.Close()
	h.Begin(hook.Train).End()
}

func TestInert(t *testing.T) {
	t.Setenv("VIGIL_SOCKET", "")
	t.Setenv("VIGIL", "")
	exercise(nil)
	if (*hook.Hook)(nil).Err() == nil || (*hook.Hook)(nil).Run() != "" {
		t.Error("a nil hook is not inert")
	}
	h := hook.Start(hook.Options{})
	if h.Err() == nil || !strings.Contains(h.Err().Error(), "vigil run") || h.Run() != "" {
		t.Errorf("without an agent: %v", h.Err())
	}
	exercise(h)

	h = hook.Start(hook.Options{Socket: "/nowhere/s"})
	if h.Err() == nil || !strings.Contains(h.Err().Error(), "reach the agent") {
		t.Errorf("without a socket: %v", h.Err())
	}
	exercise(h)

	t.Setenv("VIGIL_SOCKET", "/nowhere/t")
	h = hook.Start(hook.Options{})
	if h.Err() == nil || !strings.Contains(h.Err().Error(), "reach the agent") {
		t.Errorf("without a socket: %v", h.Err())
	}
	exercise(h)

	t.Setenv("VIGIL", "0")
	h = hook.Start(hook.Options{StartAgent: true})
	if h.Err() == nil || !strings.Contains(h.Err().Error(), "VIGIL=0") {
		t.Errorf("switched off: %v", h.Err())
	}
	exercise(h)
}

func TestStartAgentThatIsNotThere(t *testing.T) {
	t.Setenv("VIGIL_SOCKET", "")
	t.Setenv("VIGIL", "")
	for _, bin := range []string{"/nowhere/vigil", "/bin/true"} {
		t.Setenv("VIGIL_BIN", bin)
		h := hook.Start(hook.Options{StartAgent: true})
		if h.Err() == nil || !strings.Contains(h.Err().Error(), "start agent") {
			t.Errorf("%s: %v", bin, h.Err())
		}
		exercise(h)
	}
}
