package builtin

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// lossKind is what the facts tell of the loss that rules on its curve need.
type lossKind struct {
	// Function is the loss's name; it is Certain when backward was called on
	// nothing else: in a sum of two terms it is one of them.
	Function  string  `json:"function"`
	Certain   bool    `json:"certain"`
	Reduction string  `json:"reduction"`
	Divided   bool    `json:"divided,omitempty"` // a sum is divided by something
	Weighted  bool    `json:"weighted"`          // classes have weights
	Classes   float64 `json:"classes"`           // 0: not known
	// Guess is the loss of the best guess that knows only how labels are
	// distributed, Uniform that of one which knows nothing; 0: not known.
	Guess   float64 `json:"guess"`
	Uniform float64 `json:"uniform"`
	// Terms: the loss is the sum of as many, each with this function; 1 where
	// that cannot be told.
	Terms float64 `json:"terms"`
	// Next to: something else that is computed of the outputs is added to the
	// errors and weighs as much, such as a Dice loss: how large the sum is tells nothing
	// of the errors.
	Beside bool `json:"beside,omitempty"`
	// Elements is the number of labels from which the guess was computed.
	Elements int64 `json:"elements"`
	// Pairs: labels are the places of the samples in their batch, as where each
	// of two views is to find the other. Spread is how far apart the first
	// predictions of a sample lie, largest minus least; 0: not known.
	Pairs  bool    `json:"pairs,omitempty"`
	Spread float64 `json:"spread,omitempty"`
	// Rare is the share of labels that are not of the most frequent class, of
	// RareLabels in all, where each sample has one label and one class makes nearly
	// all of them; Common is that class.
	Rare       float64 `json:"rare,omitempty"`
	RareLabels int64   `json:"rare_labels,omitempty"`
	Common     string  `json:"common,omitempty"`
	// Alike: labels have the shape of an input, or of one with a time or a class
	// besides, as noise has that was added to it.
	Alike bool `json:"alike,omitempty"`
	// Places is the loss of who knows how often each pixel of a mask is set; 0
	// where labels are none.
	Places float64 `json:"places,omitempty"`
	// Added is what is added to the errors of an autoencoder; nil otherwise.
	Added *addedTerm `json:"added,omitempty"`
	// Input is the largest magnitude in the input, 0 when it was not seen. Whole
	// numbers are names of things, such as tokens.
	Input float64 `json:"input"`
	// Samples is the length of the first axis of the first input, 0 when it was
	// not seen.
	Samples int64 `json:"samples"`
	// Optimisers that were seen.
	Optimisers int `json:"optimisers"`
}

// besideFactor is the factor of another term, compared with that of the errors,
// from which it counts.
const besideFactor = 0.2

// modules are the loss modules whose function is known, in PyTorch's names.
var lossModules = map[string]string{
	"CrossEntropyLoss": "cross_entropy", "NLLLoss": "nll_loss", "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
	"MSELoss": "mse_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss",
}

func kindOfLoss(f *rule.Facts) lossKind {
	k := lossKind{Optimisers: len(f.Optimisers), Terms: 1}
	if l := f.Loss; l != nil {
		k.Function = cmp.Or(l.Function, lossModules[l.Module])
		if f.Graph != nil && len(f.Graph.Head) > 0 {
			k.Certain = f.Graph.Head[0] == k.Function && f.Graph.Parts <= 1
			if len(f.Graph.Head) > 1 && f.Graph.Head[0] == "add" && f.Graph.Head[1] == k.Function && f.Graph.Parts <= 1 {
				k.Terms = 2
			}
		} else {
			k.Certain = lossModules[l.Module] == k.Function
		}
		k.Certain = k.Certain && k.Function != ""
		if g := f.Graph; g != nil && g.Terms != nil && g.Penalty == nil {
			k.Beside = g.Terms.Others == "other" && g.Terms.Function == k.Function && g.Terms.Factor >= besideFactor*g.Terms.Weight
		}
		k.Reduction = l.Reduction
		k.Divided = f.Graph != nil && len(f.Graph.Head) > 1 && f.Graph.Head[0] == "div" && f.Graph.Head[1] == k.Function
		k.Weighted = l.Settings["weight"] == true || l.Settings["pos_weight"] == true
	}
	if f.Inputs != nil {
		if len(f.Inputs.Tensors) > 0 && len(f.Inputs.Tensors[0].Shape) > 0 {
			k.Samples = f.Inputs.Tensors[0].Shape[0]
		}
		for _, t := range f.Inputs.Tensors {
			if t.Values != nil && strings.Contains(t.DType, "F") {
				k.Input = max(k.Input, math.Abs(float64(t.Values.Min)), math.Abs(float64(t.Values.Max)))
			}
		}
	}
	k.guess(f)
	k.Added = termOf(f)
	return k
}

func (k *lossKind) guess(f *rule.Facts) {
	y := f.Labels
	if y == nil || len(y.Others) > 0 {
		return
	}
	k.Elements = y.Elements - y.Ignored
	switch k.Function {
	case "cross_entropy", "nll_loss":
		if p := f.Predictions; p != nil && p.Classes > 1 {
			k.Classes = float64(p.Classes)
		} else if p := y.Predictions; p != nil && len(p.Shape) >= 2 {
			k.Classes = float64(p.Shape[min(1, len(p.Shape)-1)])
		}
		if k.Classes < 2 {
			return
		}
		if k.Weighted {
			k.weightedClasses(f.Loss, y)
			return
		}
		k.Uniform = math.Log(k.Classes)
		k.pairs(f)
		k.rare(f)
		if h := entropy(y.Counts); h > 0 {
			k.Guess = h
			if len(y.Shape) > 2 {
				k.ofPlaces(y)
			}
		} else if y.Counts == nil && !strings.HasPrefix(y.DType, "F") && !strings.HasPrefix(y.DType, "BF") {
			k.Guess = k.Uniform // too many classes to count
		}
	case "binary_cross_entropy", "binary_cross_entropy_with_logits":
		if y.Mean == nil || len(y.Range) != 2 || y.Range[0] < 0 || y.Range[1] > 1 {
			return
		}
		if k.Weighted {
			k.weightedAnswers(f.Loss, y)
			return
		}
		k.Uniform = math.Ln2
		k.rare(f)
		if p := *y.Mean; p > 0 && p < 1 && y.Distinct != nil && *y.Distinct == 2 {
			k.Guess = -p*math.Log(p) - (1-p)*math.Log(1-p)
			k.ofPlaces(y)
		}
	case "mse_loss":
		k.Alike = f.Inputs != nil && slices.ContainsFunc(f.Inputs.Tensors, func(t rule.TensorFacts) bool { return alike(y.Shape, t.Shape) })
		if y.Std != nil {
			k.Guess = *y.Std * *y.Std
		}
	}
}

// ofPlaces lowers a guess to that of who knows how often each of several
// answers to a sample is yes: levels that are reached, tags. Of masks it is kept
// aside, since a network of convolutions does not know where it is.
func (k *lossKind) ofPlaces(y *rule.LabelFacts) {
	if p := y.Features; p != nil && p.Entropy != nil && len(y.Shape) == 2 && p.Places <= 100 && p.Samples >= 200 && *p.Entropy > 0 {
		k.Guess = min(k.Guess, *p.Entropy)
	}
	if p := y.Features; p != nil && p.Entropy != nil && len(y.Shape) > 2 && p.Samples >= 100 {
		k.Places = *p.Entropy
	}
}

// alike reports whether labels have the shape of an input, but for one or two
// features that it has more.
func alike(labels, input []int64) bool {
	if len(labels) < 2 || len(labels) != len(input) || labels[1] < 2 {
		return false
	}
	for i := range labels {
		if more := input[i] - labels[i]; more != 0 && (i != 1 || more < 0 || more > 2) {
			return false
		}
	}
	return true
}

func (k *lossKind) pairs(f *rule.Facts) {
	y, p := f.Labels, f.Predictions
	if y.Distinct == nil || float64(*y.Distinct) != k.Classes || k.Classes < 4 || len(y.Counts) == 0 || len(y.Shape) != 1 || float64(y.Shape[0]) != k.Classes {
		return
	}
	for _, n := range y.Counts {
		if n != y.Elements / *y.Distinct {
			return
		}
	}
	k.Pairs = true
	if p != nil && p.Spread > 0 && f.Graph != nil && len(f.Graph.Head) > 2 {
		k.Spread = float64(p.Spread)
	} else if p != nil && p.Values != nil && p.Values.NonFinite == 0 && f.Graph != nil && len(f.Graph.Head) > 2 {
		k.Spread = float64(p.Values.Max - p.Values.Min)
	}
}

const (
	mostRare    = 0.03 // share of the labels that are not of the most frequent class
	rareElement = 500  // labels from which that is told
	leastRare   = 4    // of those that are not
)

// rare notes how rare the labels are that are not of the most frequent class.
func (k *lossKind) rare(f *rule.Facts) {
	y, p := f.Labels, f.Predictions
	if p == nil || f.Inputs == nil || len(f.Inputs.Tensors) == 0 || len(y.Shape) == 0 || y.Elements < rareElement || y.Ignored > 0 || !k.Certain {
		return
	}
	in := f.Inputs.Tensors[0].Shape
	if len(in) == 0 || in[0] != y.Shape[0] || product(y.Shape) != y.Shape[0] || in[0] < 2 {
		return // labels of places, of several questions
	}
	if k.Function != "cross_entropy" && tablesOfNetwork(f) {
		return // a recommender is to say how probable a click is, however rare
	}
	most := int64(0)
	for _, class := range slices.Sorted(maps.Keys(y.Counts)) {
		if n := y.Counts[class]; n > most {
			k.Common, most = class, n
		}
	}
	if others := y.Elements - most; most > 0 && others >= leastRare && float64(others) <= mostRare*float64(y.Elements) {
		k.Rare, k.RareLabels = float64(others)/float64(y.Elements), y.Elements
	}
}

// tablesOfNetwork reports whether the network looks things up in a table.
func tablesOfNetwork(f *rule.Facts) bool {
	return f.Network != nil && slices.ContainsFunc(f.Network.Modules, func(m rule.ModuleFacts) bool { return m.Kind == record.EmbeddingModule })
}

// entropy of a distribution in nats; 0 when there is none.
func entropy(counts map[string]int64) float64 {
	total, h := int64(0), 0.0
	for _, n := range counts {
		total += n
	}
	for _, n := range slices.Sorted(maps.Values(counts)) { // one order, one sum
		if n > 0 {
			p := float64(n) / float64(total)
			h -= p * math.Log(p)
		}
	}
	return h
}

// classifies: the loss is one of a classification.
func (k *lossKind) classifies() bool { return k.Uniform > 0 }

// summed: the loss grows with the batch.
func (k *lossKind) summed() bool { return k.Reduction == "sum" || k.Reduction == "none" }
