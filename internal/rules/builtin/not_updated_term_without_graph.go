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
		Check: "term_without_graph", Subject: "loss", Severity: rule.Warning, Observed: float64(f.Graph.Lost), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "torch.autograd.grad without create_graph=True",
		Remedy:  "call torch.autograd.grad with create_graph=True, and do not detach the result",
		Message: "A term of the loss (a gradient penalty or derivative term) has no effect: torch.autograd.grad was called without create_graph=True, so no gradient goes through it. Call it with create_graph=True.",
	})
}

// lostCode finds an autoencoder whose decoder gets a code that no gradient goes
// through: the errors train the decoder alone, the divergence the encoder alone.
func (r *updating) lostCode(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.Prior == nil || !f.Graph.Prior.Apart || f.Graph.Policy != nil || f.Graph.Parts > 1 || len(f.Optimisers) != 1 {
		return
	}
	r.say(rep, rule.Violation{
		Check: "latent_code_cut", Subject: "loss", Severity: rule.Warning, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "detach(), a conversion to numbers or .sample() between the encoder and the decoder",
		Remedy:  "sample the latent code as mu + std * torch.randn_like(std), or with rsample(), and pass it on without detach(), .data or NumPy",
		Message: "No gradient of the reconstruction error reaches the encoder, which is trained by the KL divergence alone and forgets its input. Sample the code as mu + std * torch.randn_like(std) or with rsample(), and do not detach it.",
	})
}
