package builtin

import (
	"github.com/vigil-ml/vigil/rule"
)

// lostTerm finds a term of the loss that is made of gradients and is a constant:
// torch.autograd.grad leaves a graph only where it is asked to. Whoever perturbs
// inputs takes such gradients too, but adds no constant to the loss.
func (r *updating) lostTerm(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.Lost == 0 {
		return
	}
	r.say(rep, rule.Violation{
		Check: "lost_term", Subject: "loss", Severity: rule.Warning, Observed: float64(f.Graph.Lost), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "torch.autograd.grad without create_graph=True",
		Remedy:  "call torch.autograd.grad with create_graph=True, and do not detach what it gives",
		Message: "A term of the loss trains nothing: it is a constant. Gradients were computed with torch.autograd.grad without create_graph=True, so that no gradient goes through what is made of them (a gradient penalty, a term of derivatives). Call it with create_graph=True.",
	})
}
