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

// lostCode finds an autoencoder whose decoder gets a code that no gradient goes
// through: the errors train the decoder alone, the divergence the encoder alone.
func (r *updating) lostCode(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.Prior == nil || !f.Graph.Prior.Apart || f.Graph.Policy != nil || f.Graph.Parts > 1 || len(f.Optimisers) != 1 {
		return
	}
	r.say(rep, rule.Violation{
		Check: "lost_code", Subject: "loss", Severity: rule.Warning, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "a detach, a conversion to numbers or .sample() between the encoder and the decoder",
		Remedy:  "draw the code as mu + std * torch.randn_like(std), or with rsample(), and pass it on as it is: without detach, .data or NumPy",
		Message: "No gradient of the errors reaches the encoder: they train the decoder alone, and the encoder only the divergence from the prior, which draws everything out of the code. Draw the code as mu + std * torch.randn_like(std), or with rsample(), and do not detach it.",
	})
}
