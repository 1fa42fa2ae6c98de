package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A state that is taken after the padding says nothing of the sequence once what
// the samples had different is lost in rounding.
func TestStateAfterPadding(t *testing.T) {
	after := func(left float64, token *int64) func(*record.Facts) {
		return func(f *record.Facts) {
			module(f, "rnn").AfterPadding = &record.AfterPaddingFacts{Length: 90, Padding: 78, Token: token, Left: record.Number(left)}
		}
	}
	pad := new(int64)
	const found = "warning state data-loading rnn"
	runFacts(t, "padding", []factCase{
		{"nothing is left", lstm(), after(2e-8, pad), found, "after all 90 positions, but most sequences end with 78 or more positions of padding (token 0)"},
		{"of features", lstm(), after(0, nil), found, "78 or more positions of padding. By then"},
		{"said once, however much padding there is", lstm(), func(f *record.Facts) {
			after(2e-8, pad)(f)
			module(f, "emb").Input = &record.TensorFacts{DType: "I64", Shape: []int64{48, 90}, Values: &record.ValueFacts{Elements: 4320, Zeros: 0.95}}
		}, found, ""},
		{"a border of images that are read pixel by pixel", lstm(), func(f *record.Facts) {
			module(f, "rnn").AfterPadding = &record.AfterPaddingFacts{Length: 784, Padding: 202, Left: 4e-8}
		}, "", ""},
		{"something is left", lstm(), after(1e-5, pad), "", ""},
		{"none", lstm(), nil, "", ""},
	})
}

// Which token fills sequences up does not matter, and labels that do so count only where the loss counts them.
func TestFiller(t *testing.T) {
	filler := func(share float64, length int64) *record.FillerFacts {
		return &record.FillerFacts{Token: 99, Length: length, Share: record.Number(share), Elements: 4096}
	}
	of := func(input, labels *record.FillerFacts) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Filler: input}
			f.Labels = &record.LabelFacts{Loss: "cross_entropy", Filler: labels}
		}
	}
	runFacts(t, "padding", []factCase{
		{"nearly all of the input", lstm(), of(filler(0.93, 128), nil), "warning share data-loading inputs", "93 % of the tokens that the model gets are padding, up to length 128 (token 99)"},
		{"a good part", lstm(), of(filler(0.8, 128), nil), "", ""},
		{"short sequences", lstm(), of(filler(0.93, 12), nil), "", ""},
		{"most of the labels", lstm(), of(filler(0.8, 128), filler(0.8, 128)), "warning labels data-loading cross_entropy", "80 % of the labels"},
		{"half of the labels", lstm(), of(filler(0.55, 128), filler(0.55, 128)), "", ""},
	})
}
