package slow

import (
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// ofLibrary is the path of a library's file below the folder that Python finds it in,
// such as "threading.py" or "torch/cuda/memory.py"; "" for any other file.
func ofLibrary(file string) string {
	for _, folder := range []string{"/site-packages/", "/dist-packages/"} {
		if i := strings.LastIndex(file, folder); i >= 0 {
			return file[i+len(folder):]
		}
	}
	for _, folder := range []string{"/lib/python3", "/lib64/python3"} {
		if i := strings.LastIndex(file, folder); i >= 0 {
			_, path, _ := strings.Cut(file[i+len(folder):], "/")
			return path
		}
	}
	return ""
}

// ofParts is how long the main thread was, in some parts of the steps of a span, in what
// samples show, and the part that has most of it. of says how much of a stack's time
// counts. It is a share of what the part took in the span: what a window of samples met
// by chance counts for no more than that.
func (c *Case) ofParts(s *Span, parts []rule.StepPart, of func(*rule.StackShare) float64) (seconds float64, most rule.StepPart) {
	var largest float64
	for _, p := range parts {
		var all, counts float64
		for i := range c.Lines.Stacks {
			if x := &c.Lines.Stacks[i]; inPart(p)(x) {
				all += x.Seconds
				counts += of(x)
			}
		}
		if counts <= 0 {
			continue
		}
		here := s.Parts[p] * counts / all
		seconds += here
		if here > largest {
			largest, most = here, p
		}
	}
	return seconds, most
}
