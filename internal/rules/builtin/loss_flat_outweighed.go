package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// addedTerm is a loss that is made of the errors of a prediction that has the
// shape of the input, as an autoencoder's, and something of its units.
type addedTerm struct {
	Function string  `json:"function"` // of the errors
	Kind     string  `json:"kind"`     // of what is added: divergence, magnitudes
	Weight   float64 `json:"weight"`   // of the mean error
	// Guess is the mean error of who gives the mean of all samples, Floor the
	// least that there is.
	Guess float64 `json:"guess"`
	Floor float64 `json:"floor"`
}

// leastOfPlaces is how many samples the mean of a place takes.
const leastOfPlaces = 100

// termOf reads what is added to the errors of an autoencoder; nil where it is
// none, or nobody can say what a guess costs.
func termOf(f *rule.Facts) *addedTerm {
	if f.Graph == nil || f.Graph.Terms == nil || f.Graph.Parts > 1 || len(f.Optimisers) != 1 || f.Inputs == nil || f.Graph.Penalty != nil {
		return nil
	}
	t := f.Graph.Terms
	y := labelsOfTerm(f)
	if y == nil || t.Function != "mse_loss" && !strings.HasPrefix(t.Function, "binary_cross_entropy") || t.Others != "divergence" && t.Others != "magnitudes" || y.Samples < leastOfPlaces || t.Places%y.Places != 0 {
		return nil
	}
	if !slices.ContainsFunc(f.Inputs.Tensors, func(in rule.TensorFacts) bool {
		return len(in.Shape) > 0 && in.Shape[0] == t.Places/y.Places && product(in.Shape) == t.Places
	}) {
		return nil
	}
	a := &addedTerm{Function: t.Function, Kind: t.Others, Weight: t.Weight}
	switch {
	case t.Function == "mse_loss":
		a.Guess = y.Variance
	case y.Entropy != nil && y.Floor != nil:
		a.Guess, a.Floor = *y.Entropy, *y.Floor
	}
	if !(a.Guess > a.Floor) || !finite(a.Guess) {
		return nil
	}
	return a
}

// labelsOfTerm is what the errors compare with; nil when it was not seen.
func labelsOfTerm(f *rule.Facts) *rule.FeatureLabels {
	if y := f.Graph.Terms.Labels; y != nil {
		return y
	}
	if y := f.Labels; y != nil && len(y.Others) == 0 && cmp.Or(lossModules[y.Loss], y.Loss) == f.Graph.Terms.Function {
		return y.Features
	}
	return nil
}

const (
	leastGain = 0.04 // of what can be gained over a guess
	mostLoss  = 0.5  // the same, lost against it: then something else is wrong
)

// outweighed judges an autoencoder of which the whole loss, what is added
// included, ends where it would if the model always gave the mean of all samples
// and the rest were 0: the code holds nothing.
func (r *flat) outweighed(rep *rule.Report) bool {
	c, a := &r.state.Curve, r.state.Kind.Added
	if a == nil {
		return false
	}
	level := c.share(0.75, 1)
	gain := (a.Guess - level/a.Weight) / (a.Guess - a.Floor)
	if gain > leastGain || gain < -mostLoss || still(c) {
		return false
	}
	what, remedy := "the KL divergence removes all information from the latent code (posterior collapse)", "reduce the reconstruction error like the KL divergence (sum over values, mean over the batch), or weight the KL divergence with a factor annealed from 0"
	if a.Kind == "magnitudes" {
		what, remedy = "the sparsity penalty pushes all units to 0", "use a smaller factor for the penalty"
	}
	r.state.Fired = true
	if deviation := math.Sqrt(a.Guess); a.Function == "mse_loss" && deviation > largeScale {
		// Errors of that size outweigh whatever is added to them.
		rep.Violate(rule.Violation{
			Check: "target_scale", Subject: c.Name, Observed: deviation, Threshold: largeScale, Comparator: ">", Severity: rule.Warning, Steps: int(c.N),
			CauseClass: "data-scaling", Cause: "inputs and reconstruction targets that are not scaled", Remedy: "standardise each feature: subtract the mean of the training data and divide by its std",
			Message: fmt.Sprintf("After %d steps the %s is %s; a constant predictor (the mean of all samples) reaches %s. The targets have std %s, where about 1 is usual, so getting there takes many updates. Standardise them.",
				c.N, called("loss", c.Name), c.quarter(), num(a.Guess*a.Weight), num(deviation)),
			Context: map[string]any{"last_mean": level, "guess": a.Guess * a.Weight, "weight": a.Weight, "last_values": slices.Clone(c.tail(20))},
		})
		return true
	}
	rep.Violate(rule.Violation{
		Check: "reconstruction_outweighed", Subject: c.Name, Observed: gain, Threshold: leastGain, Comparator: "<=", Severity: rule.Warning, Steps: int(c.N),
		CauseClass: "loss", Cause: "a loss term that outweighs the reconstruction error", Remedy: remedy,
		Message: fmt.Sprintf("After %d steps the %s is %s; a constant predictor (the mean of all samples) reaches %s. A term added to the %s outweighs it: %s.",
			c.N, called("loss", c.Name), c.quarter(), num(a.Guess*a.Weight), a.Function, what),
		Context: map[string]any{"last_mean": level, "guess": a.Guess * a.Weight, "weight": a.Weight, "added": a.Kind, "last_values": slices.Clone(c.tail(20))},
	})
	return true
}
