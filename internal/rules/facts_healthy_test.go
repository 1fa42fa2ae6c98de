package rules_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// healthy are trainings of which no rule has anything to say, not even what is
// only worth knowing.
func healthy() []factCase {
	batchNorms := []string{"bn1", "layer1.bn1", "layer1.bn2", "layer2.bn1", "layer2.bn2"}
	return []factCase{
		{"classifier", classifier(), nil, "", ""},
		{"resnet", resnet(), nil, "", ""},
		{"transformer", transformer(), nil, "", ""},
		{"mobilenet", mobilenet(), nil, "", ""},
		{"lstm", lstm(), nil, "", ""},
		{"gan", gan(), nil, "", ""},
		{"two heads", twoHeads(), nil, "", ""},
		{"logistic regression", network("fc Linear 20 2"), nil, "", ""},
		{"nothing known", &record.Facts{Framework: "pytorch", Labels: &record.LabelFacts{}}, nil, "", ""},
		{"no network and no graph", classifier(), func(f *record.Facts) { f.Network, f.Graph = nil, nil }, "", ""},
		{"only a network", &record.Facts{Network: classifier().Network}, nil, "", ""},
		{"frozen backbone", resnet(), func(f *record.Facts) {
			change(f, pretrained, "")
			change(f, freeze, "conv1", "bn1", "layer1.", "layer2.")
		}, "", ""},
		{"frozen first layers", resnet(), func(f *record.Facts) { change(f, freeze, "conv1", "bn1", "layer1.") }, "", ""},
		{"frozen first layer", classifier(), func(f *record.Facts) { change(f, freeze, "fc1") }, "", ""},
		{"frozen embedding", transformer(), func(f *record.Facts) { change(f, freeze, "emb") }, "", ""},
		{"frozen head", classifier(), func(f *record.Facts) { change(f, freeze, "fc3") }, "", ""},
		{"frozen encoder in the middle", network("image Conv2d 3 8 3", "act ReLU", "text.fc1 Linear 20 30", "text.fc2 Linear 30 40", "fuse Linear 48 10", "out Linear 10 2", "x1 Linear 2 3", "x2 Linear 3 2"), func(f *record.Facts) {
			change(f, freeze, "text.")
		}, "", ""},
		{"frozen blur", network("c1 Conv2d 3 8 3", "act ReLU", "blur Conv2d 8 8 3 8", "c2 Conv2d 8 8 3", "act2 ReLU", "fc Linear 8 2"), func(f *record.Facts) {
			change(f, freeze, "blur")
			change(f, begin(constant(1./9)), "blur")
		}, "", ""},
		{"frozen normalisation", resnet(), func(f *record.Facts) {
			change(f, freeze, batchNorms...)
			for i := range f.Network.Modules {
				f.Network.Modules[i].Training = f.Network.Modules[i].Kind != record.NormModule
			}
		}, "", ""},
		{"biases only, of a network that was trained before", classifier(), func(f *record.Facts) {
			change(f, pretrained, "")
			change(f, freeze, "fc1.weight", "fc2.weight", "fc3.weight")
		}, "", ""},
		{"factors of low rank", network("q Linear 32 32", "q.f Factors 32 32 4", "act ReLU", "v Linear 32 32", "v.f Factors 32 32 4", "act2 ReLU", "head Linear 32 10"), func(f *record.Facts) {
			change(f, freeze, "q", "v")
		}, "", ""},
		{"tied weights", transformer(), func(f *record.Facts) {
			f.Parameters.List = slices.DeleteFunc(f.Parameters.List, func(p record.ParameterFact) bool { return p.Name == "Net_head.weight" })
		}, "", ""},
		{"residual branches that begin with nothing", resnet(), func(f *record.Facts) {
			change(f, begin(constant(0)), "layer1.bn2", "layer2.bn2")
			change(f, flat, "layer1.conv2", "layer2.conv2")
		}, "", ""},
		{"head of zeros", classifier(), func(f *record.Facts) { change(f, begin(constant(0)), "fc3") }, "", ""},
		{"head of ones", classifier(), func(f *record.Facts) { change(f, begin(constant(1)), "fc3") }, "", ""},
		{"biases of zero", classifier(), func(f *record.Facts) { change(f, begin(constant(0)), "fc1.bias", "fc2.bias", "fc3.bias") }, "", ""},
		{"last two layers of zeros beside a residual", network("stem Conv2d 3 16 3", "act ReLU", "b.conv1 Conv2d 16 16 3", "b.act ReLU", "b.conv2 Conv2d 16 16 3", "fc Linear 16 10"), func(f *record.Facts) {
			change(f, begin(constant(0)), "b.conv2", "fc")
		}, "", ""},
		{"small normal weights of a language model", transformer(), func(f *record.Facts) {
			change(f, begin(normal(0, 0.02)), "block.attn", "block.ff1.weight", "head.weight")
			change(f, begin(normal(0, 0.004)), "block.ff2.weight")
		}, "", ""},
		{"weights for fan out", mobilenet(), func(f *record.Facts) {
			change(f, begin(normal(0, math.Sqrt(2./(9*32)))), "dw.weight", "stem.weight")
			change(f, begin(normal(0, math.Sqrt(2./64))), "pw.weight")
		}, "", ""},
		{"orthogonal weights with a gain", classifier(), func(f *record.Facts) { change(f, begin(normal(0, math.Sqrt(2./64))), "fc1.weight", "fc2.weight") }, "", ""},
		{"random frequencies", network("freq Linear 2 64", "fc1 Linear 128 64", "act ReLU", "fc2 Linear 64 1"), func(f *record.Facts) {
			change(f, begin(normal(0, 10)), "freq.weight")
			f.Graph.NonLinear = 2
		}, "", ""},
		{"frequencies and a head", network("freq Linear 2 64", "fc Linear 128 1"), func(f *record.Facts) {
			change(f, begin(normal(0, 10)), "freq.weight")
			f.Graph.NonLinear = 1
		}, "", ""},
		{"output for fan out", network("c1 Conv2d 3 64 3", "act ReLU", "c2 Conv2d 64 1 1"), func(f *record.Facts) {
			change(f, begin(normal(0, math.Sqrt(2))), "c2.weight")
		}, "", ""},
		{"half a rate of zero", classifier(), func(f *record.Facts) {
			g := f.Optimisers[0].Groups[0]
			g.LR = setTo(0)
			f.Optimisers[0].Groups = append(f.Optimisers[0].Groups, g)
			change(f, still, "fc1")
		}, "", ""},
		{"warm-up from a rate of zero", classifier(), func(f *record.Facts) { group(f, "Adam").LR = setTo(0) }, "", ""},
		{"dead embedding rows", lstm(), func(f *record.Facts) { change(f, flat, "emb") }, "", ""},
		{"scales that rounding keeps at 1", transformer(), func(f *record.Facts) { change(f, still, "block.norm") }, "", ""},
		{"complex weights", classifier(), func(f *record.Facts) {
			change(f, func(p *record.ParameterFact) { p.First, p.Changed = nil, false }, "")
		}, "", ""},
		{"updates that are written by hand", classifier(), func(f *record.Facts) {
			change(f, func(p *record.ParameterFact) { p.Held = false }, "fc1", "fc2")
			f.Optimisers[0].Groups[0].Parameters = 2
		}, "", ""},
		{"a teacher beside the model", gan(), func(f *record.Facts) {
			change(f, release, "d1", "d2")
			unreach(f, "d1", "d2")
			f.Optimisers = f.Optimisers[:1]
		}, "", ""},
		{"a model whose optimiser has not been called", gan(), func(f *record.Facts) {
			change(f, release, "d1", "d2")
			unreach(f, "d1")
		}, "", ""},
		{"cleared gradients", classifier(), func(f *record.Facts) {
			change(f, flat, "")
			f.Updates.Cleared = 5
		}, "", ""},
		{"an image that is optimised", resnet(), func(f *record.Facts) {
			change(f, release, "")
			f.Optimisers = []record.OptimiserFacts{{Class: "Adam", Groups: []record.GroupFacts{{LR: setTo(0.1), Parameters: 1, Strangers: 1}}}}
		}, "", ""},
		{"Monte Carlo dropout", transformer(), func(f *record.Facts) {
			f.Evaluation = &record.EvaluationFacts{Steps: 3, Training: []string{"drop", "block.drop"}, Kinds: []string{"dropout"}}
		}, "", ""},
		{"evaluation in training mode without effect", classifier(), func(f *record.Facts) {
			f.Evaluation = &record.EvaluationFacts{Steps: 3, RootTraining: true}
			f.EvalTrained = &record.EvalTrainedFacts{At: 1}
		}, "", ""},
		{"dropout of 0 in evaluation", network("fc1 Linear 20 64", "drop Dropout 0", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) {
			f.Evaluation = &record.EvaluationFacts{Steps: 3, RootTraining: true, Training: []string{"drop"}}
		}, "", ""},
		{"normalisation that always uses the batch", resnet(), func(f *record.Facts) {
			for _, n := range batchNorms {
				module(f, n).Settings["track_running_stats"] = false
			}
			f.Evaluation = &record.EvaluationFacts{Steps: 3, RootTraining: true, Training: batchNorms}
		}, "", ""},
		{"running statistics that fit", resnet(), func(f *record.Facts) {
			f.Evaluation = &record.EvaluationFacts{Steps: 3, Statistics: []record.StatisticsFact{{Module: "bn1", Distance: 0.4, Ratio: 1.3}, {Module: "layer1.bn1", Distance: 7, Ratio: 3}, {Module: "layer1.bn2", Distance: 0.4, Ratio: 1}}}
		}, "", ""},
		{"linear autoencoder", network("down Linear 64 48", "up Linear 48 64"), func(f *record.Facts) {
			f.Loss.Function, f.Graph.Head = "mse_loss", []string{"mse_loss", "linear"}
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{Shape: []int64{32, 64}}}}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{Shape: []int64{32, 64}}}
		}, "", ""},
		{"factors of a linear classifier", network("down Linear 1000 8", "up Linear 8 100"), nil, "", ""},
		{"two heads on the input", network("a Linear 20 3", "b Linear 20 4"), nil, "", ""},
		{"bag of words", network("emb Embedding 1000 16", "fc Linear 16 4"), nil, "", ""},
		{"functional activations", network("fc1 Linear 20 64", "fc2 Linear 64 10"), func(f *record.Facts) { f.Graph.NonLinear = 1 }, "", ""},
		{"an activation that the graph does not know", classifier(), func(f *record.Facts) { f.Graph.NonLinear = 0 }, "", ""},
		{"a graph that was not read to its end", network("fc1 Linear 20 64", "fc2 Linear 64 10"), func(f *record.Facts) { f.Graph.Complete = false }, "", ""},
		{"dropout in a residual at the end", transformer(), func(f *record.Facts) { f.Graph.Head = []string{"cross_entropy", "matmul", "add", "dropout", "linear"} }, "", ""},
		{"much dropout", network("fc1 Linear 20 512", "act ReLU", "drop Dropout 0.75", "fc2 Linear 512 10"), nil, "", ""},
		{"dropout that is switched off", network("fc1 Linear 20 512", "act ReLU", "drop Dropout 0.9", "fc2 Linear 512 10"), func(f *record.Facts) { module(f, "drop").Training = false }, "", ""},
		{"dropout of attention and embeddings", network("emb Embedding 100 32", "a Dropout 0.8", "block.attn.drop Dropout 0.9", "fc1 Linear 32 32", "act ReLU", "fc2 Linear 32 2"), nil, "", ""},
		{"usual decay", classifier(), func(f *record.Facts) { group(f, "AdamW").WeightDecay = setTo(0.1) }, "", ""},
		{"decay of a hundredth at each update", classifier(), func(f *record.Facts) { g := group(f, "AdamW"); g.LR, g.WeightDecay = setTo(0.01), setTo(1) }, "", ""},
		{"strong decay against strong gradients", classifier(), func(f *record.Facts) {
			group(f, "Adam").WeightDecay = setTo(0.3)
			f.Updates.Norms = []record.Number{50, 60, 70}
		}, "", ""},
		{"decay with momentum", classifier(), func(f *record.Facts) {
			*group(f, "SGD") = record.GroupFacts{LR: setTo(0.1), WeightDecay: setTo(5e-4), Momentum: setTo(0.9), Parameters: 6}
		}, "", ""},
		{"ridge regression", network("fc Linear 20 1"), func(f *record.Facts) {
			*group(f, "SGD") = record.GroupFacts{LR: setTo(0.1), WeightDecay: setTo(1), Parameters: 2}
		}, "", ""},
		{"all data at once", classifier(), func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{Shape: []int64{200, 20}}}, Steps: 20, Distinct: 1}
		}, "", ""},
		{"four samples", classifier(), func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{Shape: []int64{4, 2}}}, Steps: 20, Distinct: 1}
		}, "", ""},
		{"one sample at a time", classifier(), func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{Shape: []int64{1, 20}}}, Steps: 20, Distinct: 20}
		}, "", ""},
		{"environments that begin alike", classifier(), func(f *record.Facts) {
			f.Labels = &record.LabelFacts{Std: setTo(1)}
			f.Inputs = &record.InputFacts{
				Tensors:  []record.TensorFacts{{Shape: []int64{8, 20}, Values: &record.ValueFacts{SameRows: true}}},
				Features: &record.FeatureFacts{Features: 20, StdMin: 0.1, StdMax: 1}, Steps: 20, Distinct: 20,
			}
		}, "", ""},
		{"clipping of outliers", classifier(), func(f *record.Facts) {
			f.Updates.Clip = &record.ClipFacts{MaxNorm: 1, Calls: 10, Clipped: 2, Norms: []record.Number{0.4, 7, 0.5}}
		}, "", ""},
		{"strong momentum", classifier(), func(f *record.Facts) {
			*group(f, "SGD") = record.GroupFacts{LR: setTo(0.01), Momentum: setTo(0.99), Parameters: 6}
		}, "", ""},
		{"a policy that climbs", classifier(), func(f *record.Facts) {
			f.Loss.Function = ""
			group(f, "Adam").Maximize = true
		}, "", ""},
		{"a generator that climbs", gan(), func(f *record.Facts) { group(f, "Adam").Maximize = true }, "", ""},
		{"a high learning rate", classifier(), func(f *record.Facts) { *group(f, "SGD") = record.GroupFacts{LR: setTo(30), Parameters: 6} }, "", ""},
	}
}

// Healthy trainings leave every rule on facts silent, whatever sections there
// are.
func TestHealthyFacts(t *testing.T) {
	for _, rule := range []string{"not_updated", "evaluation_mode", "initial_weights", "network_structure", "regularisation", "same_batches", "clipping", "optimiser_settings"} {
		t.Run(rule, func(t *testing.T) { runFacts(t, rule, healthy()) })
	}
}

// What was said is not said again after a restart, and not when more is known.
func TestFactsAreJudgedOnce(t *testing.T) {
	config := rules.Config{Rule: "not_updated"}
	f := classifier()
	change(f, release, "fc3")
	f.Parameters.At, f.Evaluation = 1, &record.EvaluationFacts{At: 3, Steps: 1}
	loss := func(step int64) input { return input{step: step, scalars: map[string]float64{"loss": 1}} }
	j := newJob(t, config)
	j.engine.Facts(f)
	j.feed(loss(0), loss(1))
	state, err := j.engine.Save()
	if err != nil || len(j.found) != 1 || j.found[0].Step != 1 {
		t.Fatalf("findings are %v, %v", j.found, err)
	}
	next := newJob(t, config)
	if err := next.engine.Restore(state); err != nil {
		t.Fatal(err)
	}
	next.engine.Facts(f)
	next.feed(loss(2), loss(3), loss(4))
	if len(next.found) != 0 || len(next.engine.Findings()) != 1 {
		t.Errorf("after a restart it says %v, all in all %v", next.found, next.engine.Findings())
	}
}
