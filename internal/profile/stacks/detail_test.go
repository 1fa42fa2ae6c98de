package stacks_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
)

// The part of the step is told by the outermost call that is known: what a loader does
// for a batch is waiting for data, whatever it calls.
func TestParts(t *testing.T) {
	torch := func(file string) string { return "/e/lib/python3.12/site-packages/torch/" + file }
	for _, c := range []struct {
		name   string
		frames []stacks.Frame // the innermost first
		want   string
	}{
		{"the script", []stacks.Frame{{File: "train.py", Function: "main"}}, "other"},
		{"a batch", []stacks.Frame{{File: "data.py", Function: "Data.__getitem__"}, {File: torch("utils/data/dataloader.py"), Function: "_BaseDataLoaderIter.__next__"}, {File: "train.py", Function: "main"}}, "data"},
		{"a model that a dataset calls", []stacks.Frame{{File: torch("nn/modules/module.py"), Function: "Module._call_impl"}, {File: torch("utils/data/dataloader.py"), Function: "_BaseDataLoaderIter.__next__"}}, "data"},
		{"forward", []stacks.Frame{{File: torch("nn/modules/linear.py"), Function: "Linear.forward"}, {File: torch("nn/modules/module.py"), Function: "Module._call_impl"}}, "forward"},
		{"backward", []stacks.Frame{{File: torch("autograd/graph.py"), Function: "_engine_run_backward"}, {File: torch("_tensor.py"), Function: "Tensor.backward"}}, "backward"},
		{"an update", []stacks.Frame{{File: torch("optim/adam.py"), Function: "Adam.step"}, {File: torch("optim/optimizer.py"), Function: "Optimizer.profile_hook_step.<locals>.wrapper"}}, "optimizer"},
		{"a checkpoint", []stacks.Frame{{File: torch("serialization.py"), Function: "save"}}, "checkpoint"},
	} {
		w := &stacks.Window{Processes: []stacks.Sampled{{Kind: stacks.Rank, Samples: 1, Stacks: []stacks.Stack{{Thread: "MainThread", Frames: c.frames, Time: 1, Samples: 1}}}}}
		d := w.Detail()
		if len(d.Stacks) != 1 || d.Stacks[0].Part != c.want || d.Stacks[0].Thread != "main" {
			t.Errorf("%s: %+v, want %s", c.name, d.Stacks, c.want)
		}
	}
}
