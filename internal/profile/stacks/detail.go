package stacks

import (
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// mostShares bounds the stacks of a Detail.
const mostShares = 300

// Detail is a window in the form in which rules see it: the heaviest stacks, with the
// part of the step that each belongs to.
func (w *Window) Detail() *record.StackDetail {
	d := &record.StackDetail{}
	add := func(s *Sampled, thread string) {
		for _, st := range s.Stacks {
			share := record.StackShare{Thread: thread, Seconds: st.Time.Seconds(), Samples: st.Samples, Python: st.Python.Seconds(), Call: st.Call, Graph: st.Graph}
			if s.Kind == Rank {
				share.Part = part(st.Frames)
				if st.Thread != mainThread(s) {
					share.Thread = "other"
				}
			}
			for _, f := range st.Frames {
				share.Frames = append(share.Frames, record.Frame(f))
			}
			d.Stacks = append(d.Stacks, share)
		}
	}
	if t := w.Trains(); t != nil {
		d.Samples, d.Seconds = t.Samples, t.Total().Seconds()
		add(t, "main")
	}
	if l, n := w.Loading(); n > 0 {
		add(l, "worker")
	}
	slices.SortStableFunc(d.Stacks, func(a, b record.StackShare) int {
		switch {
		case a.Seconds > b.Seconds:
			return -1
		case a.Seconds < b.Seconds:
			return 1
		}
		return 0
	})
	if len(d.Stacks) > mostShares {
		for _, s := range d.Stacks[mostShares:] {
			d.Rest += s.Seconds
		}
		d.Stacks = d.Stacks[:mostShares]
	}
	return d
}

// mainThread is the thread of a process that was sampled longest: the one that trains.
func mainThread(s *Sampled) (name string) {
	by := map[string]time.Duration{}
	for _, st := range s.Stacks {
		if by[st.Thread] += st.Time; by[st.Thread] > by[name] {
			name = st.Thread
		}
	}
	return name
}

// parts says by which call a part of a step is known, the outermost of a stack's
// calls first: the files are those of PyTorch and of the hook.
var parts = []struct {
	file, function string
	part           record.StepPart
}{
	{"/vigil/_torch/loaders.py", "", record.WaitForData},
	{"torch/utils/data/dataloader.py", "__next__", record.WaitForData},
	{"torch/_tensor.py", "backward", record.Backward},
	{"torch/autograd/__init__.py", "backward", record.Backward},
	{"torch/optim/optimizer.py", "wrapper", record.Optimizer},
	{"torch/serialization.py", "save", record.SaveCheckpoint},
	{"torch/distributed/distributed_c10d.py", "", record.WaitForRanks},
	{"torch/nn/modules/module.py", "_call_impl", record.Forward},
	{"torch/nn/modules/module.py", "_wrapped_call_impl", record.Forward},
}

// part is the part of the step that a stack of the training thread belongs to.
func part(frames []Frame) string {
	for _, f := range slices.Backward(frames) {
		for _, p := range parts {
			if strings.HasSuffix(f.File, p.file) && (p.function == "" || f.Function == p.function || strings.HasSuffix(f.Function, "."+p.function)) {
				return p.part.String()
			}
		}
	}
	return record.Other.String()
}
