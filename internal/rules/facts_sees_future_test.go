package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A model that is to foretell what comes next does not see it.
func TestSeesAhead(t *testing.T) {
	foretells := func(alone bool, maps ...record.AttentionFacts) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Labels = &record.LabelFacts{DType: "I64", Shape: []int64{24, 32}, Elements: 6144, Ahead: &record.AheadFacts{Length: 32, Alone: alone}}
			f.Graph.Attention = maps
		}
	}
	both := func(f *record.Facts) {
		foretells(true)(f)
		f.Network.Modules[1].Settings = map[string]any{"bidirectional": true}
	}
	runFacts(t, "network_structure", []factCase{
		{"no mask", transformer(), foretells(true, record.AttentionFacts{Length: 32, Maps: 2}), "warning sees_ahead structure attention", "sequences of 32), and attention has no causal mask"},
		{"a token more in front", transformer(), foretells(true, record.AttentionFacts{Length: 33, Maps: 2}), "warning sees_ahead structure attention", ""},
		{"a mask", transformer(), foretells(true, record.AttentionFacts{Length: 32, Maps: 2, Causal: 2}), "", ""},
		{"an encoder, and a decoder with a mask", transformer(), foretells(false, record.AttentionFacts{Length: 32, Maps: 4, Causal: 2}), "", ""},
		{"attention between other things", transformer(), foretells(true, record.AttentionFacts{Length: 8, Maps: 2}), "", ""},
		{"labels that are something else", transformer(), func(f *record.Facts) {
			foretells(true, record.AttentionFacts{Length: 32, Maps: 2})(f)
			f.Labels.Ahead = nil
		}, "", ""},
		{"an encoder, and a recurrent decoder that attends to it", lstm(), foretells(false, record.AttentionFacts{Length: 32, Maps: 1}), "", ""},
		{"an encoder and a decoder, both without a mask", transformer(), foretells(false, record.AttentionFacts{Length: 32, Maps: 4}), "warning sees_ahead structure attention", ""},
		{"a layer that reads both ways", lstm(), both, "warning sees_ahead structure rnn", "is bidirectional"},
		{"a layer that reads one way", lstm(), foretells(true), "", ""},
		{"an encoder that reads both ways", lstm(), func(f *record.Facts) {
			both(f)
			f.Labels.Ahead.Alone = false
		}, "", ""},
	})
}

// Tokens that the data set moved by one place, for a model that moves them itself.
func TestMovedTwice(t *testing.T) {
	moved := func(places int64, maps ...record.AttentionFacts) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Labels = &record.LabelFacts{DType: "I64", Shape: []int64{512}, Elements: 512, Ahead: &record.AheadFacts{Length: 16, Places: places}}
			f.Graph.Attention = maps
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"moved twice", transformer(), moved(2, record.AttentionFacts{Length: 16, Maps: 2, Causal: 2}), "warning shifted_twice labels cross_entropy", "two (sequences of 16): each position predicts"},
		{"moved once", transformer(), moved(1, record.AttentionFacts{Length: 16, Maps: 2, Causal: 2}), "", ""},
		{"a run that does not say it", transformer(), moved(0, record.AttentionFacts{Length: 16, Maps: 2, Causal: 2}), "", ""},
	})
	runFacts(t, "network_structure", []factCase{
		{"moved twice, without a mask", transformer(), moved(2, record.AttentionFacts{Length: 16, Maps: 2}), "", ""},
	})
}

// Labels that nobody moved: each place gives back the token that it sees.
func TestNotMoved(t *testing.T) {
	copies := func(maps ...record.AttentionFacts) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Labels = &record.LabelFacts{DType: "I64", Shape: []int64{512}, Elements: 512}
			f.Graph.Copies, f.Graph.Attention = true, maps
		}
	}
	reads := func(both bool) func(*record.Facts) {
		return func(f *record.Facts) {
			copies()(f)
			f.Network.Modules[1].Settings = map[string]any{"bidirectional": both}
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"a causal mask", transformer(), copies(record.AttentionFacts{Length: 16, Maps: 2, Causal: 2}), "warning not_shifted labels cross_entropy", "input tokens, although its attention has a causal mask. The model only"},
		{"a sequence that is restored", transformer(), copies(record.AttentionFacts{Length: 16, Maps: 2}), "", ""},
		{"an encoder and a decoder", transformer(), copies(record.AttentionFacts{Length: 16, Maps: 4, Causal: 2}), "", ""},
		{"a recurrent layer", lstm(), reads(false), "warning not_shifted labels cross_entropy", "although the recurrent layer rnn is unidirectional"},
		{"one that reads both ways", lstm(), reads(true), "", ""},
		{"neither", lstm(), copies(), "", ""},
		{"labels that are something else", transformer(), func(f *record.Facts) {
			copies(record.AttentionFacts{Length: 16, Maps: 2, Causal: 2})(f)
			f.Graph.Copies = false
		}, "", ""},
	})
}

// A padding mask that hides the tokens is told, whatever else attention sees.
func TestSeesPadding(t *testing.T) {
	runFacts(t, "network_structure", []factCase{
		{"the wrong way round", transformer(), func(f *record.Facts) {
			f.Graph.PaddingSeen = &record.PaddingSeenFacts{Token: 0, Seen: 200, Hidden: 312}
		}, "error padding_mask_inverted structure attention", "attention sees the 200 padding positions of a batch (token 0) and none of the 312 others. Invert it"},
		{"as it should be", transformer(), nil, "", ""},
	})
}

// A term of the loss that is made of gradients without a graph trains nothing.
func TestLostTerm(t *testing.T) {
	runFacts(t, "not_updated", []factCase{
		{"a penalty that is a constant", gan(), func(f *record.Facts) { f.Graph.Lost = 1 }, "warning term_without_graph not-updated loss", "create_graph=True"},
		{"none", gan(), nil, "", ""},
	})
}

// A divergence from the prior of the wrong sign has no limit; where it alone trains
// the encoder, the code was cut off from the errors.
func TestPrior(t *testing.T) {
	prior := func(p record.PriorFacts) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "a scalar of the script"}
			f.Graph.Prior = &p
		}
	}
	runFacts(t, "loss_choice", []factCase{
		{"made larger", classifier(), prior(record.PriorFacts{Sign: -1}), "warning prior_sign loss loss", "to the reconstruction error"},
		{"made smaller", classifier(), prior(record.PriorFacts{Sign: 1}), "", ""},
		{"an optimiser that maximises", classifier(), func(f *record.Facts) {
			prior(record.PriorFacts{Sign: -1})(f)
			f.Optimisers[0].Groups[0].Maximize = true
		}, "", ""},
	})
	runFacts(t, "not_updated", []factCase{
		{"a code without gradients", classifier(), prior(record.PriorFacts{Sign: 1, Apart: true}), "warning latent_code_cut not-updated loss", "rsample"},
		{"a code with gradients", classifier(), prior(record.PriorFacts{Sign: 1}), "", ""},
		{"a policy of normal distributions", classifier(), func(f *record.Facts) {
			prior(record.PriorFacts{Sign: 1, Apart: true})(f)
			f.Graph.Policy = &record.PolicyFacts{Terms: 1}
		}, "", ""},
	})
}
