package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

func TestNotUpdated(t *testing.T) {
	strangers := func(n int64) func(*record.Facts) {
		return func(f *record.Facts) {
			change(f, release, "")
			g := group(f, "Adam")
			g.Parameters, g.Strangers = n, n
		}
	}
	copied := func(f *record.Facts) {
		for i := range f.Parameters.List {
			f.Parameters.List[i].Gradient, f.Parameters.List[i].Changed = record.GradientMissing, false
		}
		f.Models[0].Called, f.Graph, f.Network = false, nil, nil
		f.Updates.Norms, f.Updates.NoBackward = make([]rule.Number, f.Updates.Steps), 0
	}
	whileNorms := func(f *record.Facts) { // a body in evaluation mode
		for i := range f.Network.Modules {
			f.Network.Modules[i].Training = false
		}
	}
	alone := func(gradient string) func(*record.Facts) {
		return func(f *record.Facts) {
			strangers(6)(f)
			f.Models, f.Graph, f.Network = nil, nil, nil
			f.Updates.Norms = make([]rule.Number, f.Updates.Steps)
			for i := range f.Parameters.List {
				p := &f.Parameters.List[i]
				p.Name, p.Module, p.Kind, p.Gradient, p.Changed = fmt.Sprintf("Adam_param_%d", i), "", "other", gradient, false
			}
		}
	}
	runFacts(t, "not_updated", []factCase{
		{"head left out", classifier(), func(f *record.Facts) { change(f, release, "fc3") }, "error parameters_in_no_optimiser not-updated fc3", "fc3 gets gradients, but no optimiser has them (2 parameters, 11 % of the elements of Net)"},
		{"middle left out", resnet(), func(f *record.Facts) { change(f, release, "layer1.") }, "error parameters_in_no_optimiser not-updated layer1.conv1", "layer1.conv1, layer1.bn1, layer1.conv2 and 1 more get gradients"},
		{"one scalar left out", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) { change(f, release, "fc2.bias") }, "warning parameters_in_no_optimiser not-updated fc2", ""},
		{"fresh body left out", resnet(), func(f *record.Facts) { change(f, release, "conv1", "bn1", "layer1.", "layer2.") }, "warning parameters_in_no_optimiser not-updated conv1", "keep their random initial values"},
		{"trained body left out", resnet(), func(f *record.Facts) {
			change(f, pretrained, "conv1", "bn1", "layer1.", "layer2.")
			change(f, release, "conv1", "bn1", "layer1.", "layer2.")
		}, "info parameters_in_no_optimiser not-updated conv1", "Turn requires_grad off"},
		{"all but factors of low rank left out", network("q Linear 32 32", "q.f Factors 32 32 4", "act ReLU", "head Linear 32 10"), func(f *record.Facts) {
			change(f, release, "q", "head")
		}, "info parameters_in_no_optimiser not-updated q", ""},
		{"weights left out", classifier(), func(f *record.Facts) { change(f, release, "fc1.weight", "fc2.weight", "fc3.weight") }, "info parameters_in_no_optimiser not-updated fc1", ""},
		{"factors that came after the optimiser", network("q Linear 64 64", "q.f Factors 64 64 4", "n LayerNorm 64", "v Linear 64 64", "v.f Factors 64 64 4", "head Linear 64 10"), func(f *record.Facts) {
			change(f, release, "q.f", "v.f")
			change(f, func(p *record.ParameterFact) { p.Trained, p.Changed, p.Gradient = false, false, record.GradientMissing }, "q", "v", "n")
		}, "error parameters_in_no_optimiser not-updated q.f", "of Net), while 2 weights in the optimiser"},
		{"factors that came after the optimiser of all others", network("q Linear 64 64", "q.f Factors 64 64 4", "n LayerNorm 64", "v Linear 64 64", "v.f Factors 64 64 4", "m LayerNorm 64", "head Linear 64 10"), func(f *record.Facts) {
			change(f, release, "q.f", "v.f")
		}, "error parameters_in_no_optimiser not-updated q.f", "q.f and v.f get gradients"},
		{"one step is too few", classifier(), func(f *record.Facts) {
			change(f, release, "fc3")
			f.Parameters.Updates = 1
		}, "", ""},
		{"one of two models in part", gan(), func(f *record.Facts) { change(f, release, "g2") }, "error parameters_in_no_optimiser not-updated g2", "of Generator"},

		{"another instance of the model", classifier(), strangers(6), "error optimiser_of_another_model not-updated Adam", "None of the tensors of the optimiser Adam (6) belongs to the trained model Net"},
		{"another instance, and no model that is known", classifier(), func(f *record.Facts) {
			strangers(6)(f)
			f.Models, f.Parameters, f.Graph, f.Network = nil, nil, nil, nil
			f.Updates.Norms = make([]rule.Number, f.Updates.Steps)
		}, "error optimiser_of_another_model not-updated Adam", "none of the 6 tensors"},
		{"another instance, of which the optimiser alone has something left", classifier(), alone("missing"), "error optimiser_of_another_model not-updated Adam", "none of the 6 tensors"},
		{"tensors that the loss reaches", classifier(), alone("zero"), "", ""},
		{"other tensors", classifier(), strangers(2), "", ""},
		{"a copy of the model is trained", classifier(), func(f *record.Facts) { copied(f) }, "error optimiser_of_another_model not-updated Net", "that instance is never called"},
		{"gradients that were thrown away", classifier(), func(f *record.Facts) {
			copied(f)
			f.Updates.NoBackward = f.Updates.Steps
		}, "", ""},
		{"another instance from the middle on", classifier(), func(f *record.Facts) {
			f.Astray = &record.AstrayFacts{At: 9, Since: 7, Optimiser: "Adam", Model: "Net", Parameters: 6}
		}, "error another_instance_trained not-updated Adam", "Since step 7 the parameters of the optimiser Adam get no gradients; another Net gets them"},
		{"another instance from the beginning on", classifier(), func(f *record.Facts) {
			f.Astray = &record.AstrayFacts{At: 30, Never: true, Optimiser: "Adam", Model: "Net", Parameters: 6}
			f.Models[0].Called, f.Graph = true, nil
			for i := range f.Parameters.List {
				f.Parameters.List[i].Gradient = "missing"
			}
		}, "error another_instance_trained not-updated Adam", "The parameters of the optimiser Adam get no gradients"},
		{"the same, its gradients left as zeros", classifier(), func(f *record.Facts) {
			f.Astray = &record.AstrayFacts{At: 9, Since: 7, Latest: true, Optimiser: "Adam", Model: "Net", Parameters: 6}
		}, "error another_instance_trained not-updated Adam", "Since step 7 at the latest the parameters"},
		{"an average that was never updated", resnet(), func(f *record.Facts) {
			f.Averages = &record.AveragesFacts{List: []record.AverageFact{{Class: "Net", Uses: 60, Steps: 2500}}}
		}, "warning average_never_updated not-updated Net", "The averaged copy of Net was used 60 times and updated 0 times in 2500 steps, so it has the weights from before training."},
		{"an average that was updated, and one that was used before training", resnet(), func(f *record.Facts) {
			f.Averages = &record.AveragesFacts{List: []record.AverageFact{{Class: "Net", Uses: 60, Steps: 2500, Updates: 1}, {Class: "Net", Uses: 1, Steps: 0}}}
		}, "", ""},
		{"a body that is unfrozen and in no optimiser", resnet(), func(f *record.Facts) {
			f.Unfrozen = &record.UnfrozenFacts{Since: 90, Optimiser: "Adam", Parameters: 56, Elements: 9900, Held: 100, Names: []string{"Net_a.weight", "Net_a.bias", "Net_b.weight", "Net_b.bias"}}
		}, "error unfrozen_not_in_optimiser not-updated Net_a.weight", "From step 90 at the latest 56 parameters get gradients that no optimiser uses: among them Net_a.weight, Net_a.bias and Net_b.weight (9900 elements, frozen before; Adam has 100)."},
		{"a module in a plain list", classifier(), func(f *record.Facts) {
			f.Parameters.Outside = slices.Clone(f.Parameters.List[:2])
		}, "warning module_in_no_optimiser not-updated fc1", "The loss depends on 2 parameters of fc1 that are in no optimiser"},
		{"a generator whose optimiser has the critic's parameters", critics(), nil, "error in_two_optimisers not-updated g1", "Two optimisers have the same 4 parameters, while no optimiser has 4 parameters of g1 and g2"},
		{"a generator that was trained before, behind two optimisers of one network", critics(), func(f *record.Facts) {
			for i := range f.Parameters.Outside {
				f.Parameters.Outside[i].First.Max += 0.1
			}
		}, "", ""},
		{"two optimisers of two networks", critics(), func(f *record.Facts) {
			f.Optimisers[0].Groups[0].Parameters, f.Optimisers[1].Groups[0].Parameters = 2, 2
		}, "", ""},
		{"two optimisers that share an encoder", critics(), func(f *record.Facts) {
			f.Optimisers[0].Groups[0].Parameters, f.Optimisers[1].Groups[0].Parameters = 3, 3
		}, "", ""},
		{"a target that does not ask for gradients", critics(), func(f *record.Facts) {
			for i := range f.Parameters.Outside {
				f.Parameters.Outside[i].Trained = false
			}
		}, "", ""},
		{"a trained network behind the model", classifier(), func(f *record.Facts) {
			change(f, pretrained, "fc1")
			f.Parameters.Outside = slices.Clone(f.Parameters.List[:2])
		}, "", ""},

		{"body detached", resnet(), func(f *record.Facts) { unreach(f, "conv1", "bn1", "layer1.", "layer2.") }, "error no_gradient not-updated conv1", "No gradient reaches conv1, bn1, layer1.conv1 and 7 more (20 parameters, 98 % of the elements)"},
		{"first layer detached", classifier(), func(f *record.Facts) { unreach(f, "fc1") }, "warning no_gradient not-updated fc1", "No gradient reaches fc1 (2 parameters, 22 % of the elements)"},
		{"embedding detached in a model with a bias of its own", network("song Embedding 150 24", "fc1 Linear 24 24", "act ReLU", "fc2 Linear 24 150"), func(f *record.Facts) {
			unreach(f, "song")
			own := f.Parameters.List[1]
			own.Name, own.Module, own.Kind, own.Bias, own.Shape = "bias", "", "container", true, []int64{150}
			f.Parameters.List = append([]record.ParameterFact{own}, f.Parameters.List...)
			for i := range f.Network.Modules {
				f.Network.Modules[i].Order++
			}
			f.Network.Modules = append([]record.ModuleFacts{{Type: "TwoTower", Kind: "container", Calls: 1}}, f.Network.Modules...)
		}, "warning no_gradient not-updated song", "No gradient reaches song"},
		{"trained body without gradients", resnet(), func(f *record.Facts) {
			change(f, pretrained, "")
			unreach(f, "conv1", "bn1", "layer1.", "layer2.")
		}, "info no_gradient not-updated conv1", ""},
		{"body in evaluation mode", resnet(), func(f *record.Facts) {
			unreach(f, "conv1", "bn1", "layer1.", "layer2.")
			whileNorms(f)
		}, "info no_gradient not-updated conv1", ""},
		{"head that is not used yet", twoHeads(), func(f *record.Facts) { unreach(f, "b") }, "info no_gradient not-updated b", ""},
		{"layer that is never called", classifier(), func(f *record.Facts) {
			unreach(f, "fc2")
			uncalled(f, "fc2")
		}, "info no_gradient not-updated fc2", "fc2 was not called in the first 5 updates, so 2 parameters"},
		{"attention is called as a whole", network("attn MultiheadAttention 32", "attn.out_proj Linear 32 32", "act ReLU", "head Linear 32 10"), func(f *record.Facts) {
			unreach(f, "attn.out_proj")
			uncalled(f, "attn.out_proj")
		}, "info no_gradient not-updated attn.out_proj", "No gradient reaches attn.out_proj"},
		{"gradients missing, but reached", classifier(), func(f *record.Facts) { change(f, cut, "fc1") }, "", ""},
		{"graph not read to its end", classifier(), func(f *record.Facts) {
			unreach(f, "fc1")
			f.Graph.Complete = false
		}, "", ""},
		{"generator detached", gan(), func(f *record.Facts) { unreach(f, "g1", "g2") }, "warning no_gradient not-updated g1", ""},
		{"generator that was called, and is not the model that was looked into", gan(), func(f *record.Facts) {
			lookInto(f, "Discriminator", "d1", "d2")
			f.Models[0].Called = true
			unreach(f, "g1", "g2")
			eachUpdates(f, 4)
		}, "warning no_gradient not-updated g1", "No gradient reaches g1 and g2"},
		{"generator that was not called", gan(), func(f *record.Facts) {
			lookInto(f, "Discriminator", "d1", "d2")
			unreach(f, "g1", "g2")
		}, "info no_gradient not-updated g1", "not called"},
		{"generator whose optimiser waits", gan(), func(f *record.Facts) {
			unreach(f, "g1", "g2")
			eachUpdates(f, 1)
		}, "", ""},
		{"body and head with an optimiser each", classifier(), func(f *record.Facts) {
			f.Optimisers = append(f.Optimisers, f.Optimisers[0])
			unreach(f, "fc1")
			eachUpdates(f, 5)
		}, "warning no_gradient not-updated fc1", ""},
		{"what a layer gives goes on without gradients", network("a Linear 20 32", "b Linear 32 32", "c Linear 32 32", "act ReLU", "d Linear 32 10"), func(f *record.Facts) {
			unreach(f, "b")
			shapes(f, []int64{64, 32}, "b", "c")
			module(f, "b").Output.Values, module(f, "c").Input.Values = &record.ValueFacts{Min: -1, Max: 2}, &record.ValueFacts{Min: -1, Max: 2}
		}, "warning no_gradient not-updated b", ""},
		{"blocks whose sum goes on without gradients", blocks(), func(f *record.Facts) {
			unreach(f, "blocks.0.fc1", "blocks.0.fc2")
			shapes(f, []int64{64, 32}, "blocks.0.fc2", "blocks.1.attn.qkv")
		}, "warning no_gradient not-updated blocks.0.fc1", ""},
		{"a large output that nobody uses yet", network("a Linear 20 32", "side Linear 32 256", "act ReLU", "out Linear 256 10", "b Linear 32 10"), func(f *record.Facts) {
			unreach(f, "side", "out")
			shapes(f, []int64{64, 10}, "out")
			f.Predictions = &record.PredictionFacts{Classes: 10, TensorFacts: record.TensorFacts{Shape: []int64{64, 10}}}
		}, "info no_gradient not-updated side", ""},
		{"models that take turns", gan(), func(f *record.Facts) { unreach(f, "g1") }, "info no_gradient not-updated g1", ""},

		{"frozen between", classifier(), func(f *record.Facts) { change(f, freeze, "fc2") }, "warning frozen_between not-updated fc2", "fc2 is frozen (requires_grad=False)"},
		{"two frozen between", network("a Linear 8 8", "b Linear 8 8", "c Linear 8 8", "d Linear 8 8", "e Linear 8 8", "f Linear 8 8", "act ReLU"), func(f *record.Facts) { change(f, freeze, "b", "d") }, "warning frozen_between not-updated b", "b and d are frozen"},
		{"a weight alone", classifier(), func(f *record.Facts) { change(f, freeze, "fc2.weight") }, "warning frozen_between not-updated fc2", ""},
		{"every weight", classifier(), func(f *record.Facts) { change(f, freeze, "fc1.weight", "fc2.weight", "fc3.weight") }, "warning biases_only not-updated fc3",
			"Only biases are trained: all 3 weights (98 % of the elements)"},
		{"every weight but the last layer's", classifier(), func(f *record.Facts) {
			change(f, pretrained, "fc1", "fc2")
			change(f, freeze, "fc1.weight", "fc2.weight")
		}, "", ""},
		{"all but the last normalisation", resnet(), func(f *record.Facts) {
			last := ""
			for _, p := range f.Parameters.List {
				if p.Kind == record.NormModule {
					last = p.Module
				}
			}
			for _, p := range f.Parameters.List {
				if p.Module != last {
					change(f, freeze, p.Module)
				}
			}
		}, "warning biases_only not-updated fc", "Only a part of the normalisation is trained"},
		{"all but normalisation", resnet(), func(f *record.Facts) {
			for _, p := range f.Parameters.List {
				if p.Kind != record.NormModule {
					change(f, freeze, p.Module)
				}
			}
		}, "", ""},
		{"a block among blocks", blocks(), func(f *record.Facts) { change(f, freeze, "blocks.1.") }, "warning frozen_between not-updated blocks.1", "blocks.1 is frozen (requires_grad=False) although blocks.2, which has the same structure, and the layers before and after it are trained"},
		{"a part of a block among blocks", blocks(), func(f *record.Facts) { change(f, freeze, "blocks.1.attn.") }, "warning frozen_between not-updated blocks.1.attn", "although blocks.2.attn"},
		{"a block that was trained before", blocks(), func(f *record.Facts) {
			change(f, pretrained, "")
			change(f, freeze, "blocks.1.")
		}, "", ""},
		{"the first blocks", blocks(), func(f *record.Facts) { change(f, freeze, "stem", "blocks.0.", "blocks.1.") }, "", ""},
		{"most blocks", blocks(), func(f *record.Facts) { change(f, freeze, "blocks.0.", "blocks.1.", "blocks.2.") }, "", ""},
		{"the last block and the head", blocks(), func(f *record.Facts) { change(f, freeze, "blocks.3.", "head") }, "", ""},
		{"two layers in a row as they were initialised", deepNetwork(), func(f *record.Facts) { change(f, freeze, "c", "d") }, "warning frozen_between not-updated c", "c and d are frozen"},
		{"two layers in a row that were loaded", deepNetwork(), func(f *record.Facts) {
			change(f, freeze, "c", "d")
			change(f, func(p *record.ParameterFact) { p.Loaded = true }, "c", "d")
		}, "", ""},
		{"two layers in a row from elsewhere", deepNetwork(), func(f *record.Facts) {
			change(f, freeze, "c", "d")
			change(f, begin(normal(0, 0.3)), "c", "d")
		}, "", ""},
		{"the only recurrent layer", network("emb Embedding 100 32", "rnn LSTM 32 64", "fc Linear 64 10", "act ReLU"), func(f *record.Facts) { change(f, freeze, "rnn") }, "warning frozen_between not-updated rnn", ""},
		{"a reservoir", network("emb Embedding 100 32", "reservoir LSTM 32 64", "fc Linear 64 10", "act ReLU"), func(f *record.Facts) { change(f, freeze, "reservoir") }, "", ""},
		{"recurrent layer over a frozen embedding", network("emb Embedding 100 32", "rnn LSTM 32 64", "fc Linear 64 10", "act ReLU"), func(f *record.Facts) { change(f, freeze, "emb", "rnn") }, "", ""},
		{"a copy that follows", classifier(), func(f *record.Facts) {
			change(f, freeze, "fc2")
			change(f, func(p *record.ParameterFact) { p.Changed = true }, "fc2")
		}, "", ""},
		{"a target", network("online Linear 8 8", "target Linear 8 8", "predictor Linear 8 8", "act ReLU"), func(f *record.Facts) { change(f, freeze, "target") }, "", ""},
		{"three of five frozen", network("a Linear 8 8", "b Linear 8 8", "c Linear 8 8", "d Linear 8 8", "e Linear 8 8", "act ReLU"), func(f *record.Facts) { change(f, freeze, "b", "d", "c") }, "", ""},

		{"a new neck frozen with a trained body", withNeck(), func(f *record.Facts) {
			change(f, pretrained, "body", "bn")
			change(f, freeze, "body", "bn", "neck")
		}, "warning frozen_neck not-updated neck", "neck is frozen (requires_grad=False) together with pretrained layers"},
		{"a neck that came with the body", withNeck(), func(f *record.Facts) {
			change(f, pretrained, "body", "bn", "neck")
			change(f, freeze, "body", "bn", "neck")
		}, "", ""},
		{"a new neck frozen with a body that was loaded", withNeck(), func(f *record.Facts) {
			change(f, func(p *record.ParameterFact) { p.Loaded = true }, "body", "bn")
			change(f, freeze, "body", "bn", "neck")
		}, "warning frozen_neck not-updated neck", ""},
		{"a neck that was loaded with the body", withNeck(), func(f *record.Facts) {
			change(f, pretrained, "body", "bn")
			change(f, func(p *record.ParameterFact) { p.Loaded = true }, "body", "bn", "neck")
			change(f, freeze, "body", "bn", "neck")
		}, "", ""},
		{"a neck that is trained", withNeck(), func(f *record.Facts) {
			change(f, pretrained, "body", "bn")
			change(f, freeze, "body", "bn")
		}, "", ""},
		{"random features", withNeck(), func(f *record.Facts) { change(f, freeze, "body", "bn", "neck") }, "", ""},
		{"a neck that is random on purpose", network("body Conv2d 3 16 3", "bn BatchNorm2d 16", "random_neck Linear 64 64", "act ReLU", "head Linear 64 10"), func(f *record.Facts) {
			change(f, pretrained, "body", "bn")
			change(f, freeze, "body", "bn", "random_neck")
		}, "", ""},

		{"nothing moves", classifier(), func(f *record.Facts) { change(f, still, "") }, "error unchanged not-updated parameters", "No weight has changed over 5 updates"},
		{"one layer does not move", classifier(), func(f *record.Facts) { change(f, still, "fc2") }, "warning unchanged not-updated fc2", "fc2 has not changed over 5 updates"},
		{"first layer under a gradient that vanishes", classifier(), func(f *record.Facts) {
			change(f, still, "fc1")
			group(f, "SGD")
		}, "", ""},
		{"four updates are too few", classifier(), func(f *record.Facts) {
			change(f, still, "")
			f.Parameters.Updates = 4
		}, "", ""},
		{"learning rate of 0", classifier(), func(f *record.Facts) {
			change(f, still, "")
			group(f, "Adam").LR = setTo(0)
		}, "warning zero_rate learning-rate learning rate", "The learning rate is 0"},
		{"learning rate that is rounded away", classifier(), func(f *record.Facts) {
			change(f, still, "")
			group(f, "Adam").LR = setTo(1e-12)
		}, "warning tiny_rate learning-rate learning rate", "1e-12"},
		{"learning rate that is rounded away with SGD", classifier(), func(f *record.Facts) {
			change(f, still, "")
			group(f, "SGD").LR = setTo(1e-8)
		}, "warning tiny_rate learning-rate learning rate", ""},
		{"a warm-up that begins at nothing", classifier(), func(f *record.Facts) {
			change(f, still, "")
			group(f, "Adam").LR = setTo(1e-12)
			f.Optimisers[0].WarmUp = &record.WarmUpFacts{Step: 9, To: setTo(0.003)}
		}, "", ""},
		{"nothing moves in a warm-up", classifier(), func(f *record.Facts) {
			change(f, still, "")
			group(f, "Adam").LR = setTo(3e-6)
			f.Optimisers[0].WarmUp = &record.WarmUpFacts{Step: 9, To: setTo(0.003)}
		}, "error unchanged not-updated parameters", "learning rate is 3e-06 (warm-up, rises to 0.003). Look for code"},
		{"nothing moves while the rate rises to nobody knows what", classifier(), func(f *record.Facts) {
			change(f, still, "")
			group(f, "Adam").LR = setTo(3e-6)
			f.Optimisers[0].WarmUp = &record.WarmUpFacts{Step: 9, To: setTo(1)}
		}, "error unchanged not-updated parameters", "learning rate is 3e-06 (at step 9, rising). Look for code"},
		{"bfloat16 weights that rounding keeps where they are", classifier(), func(f *record.Facts) {
			change(f, still, "")
			change(f, typed("BF16"), "")
			group(f, "Adam").LR = setTo(1e-4)
		}, "error unchanged not-updated parameters", "the weights are bfloat16, and an update (about 0.001"},
		{"float16 weights that rounding keeps where they are", classifier(), func(f *record.Facts) {
			change(f, still, "")
			change(f, typed("F16"), "")
			group(f, "Adam").LR = setTo(1e-5)
		}, "error unchanged not-updated parameters", "the weights are float16"},
		{"one layer of bfloat16 weights that rounding keeps where it is", classifier(), func(f *record.Facts) {
			change(f, still, "fc2")
			change(f, typed("BF16"), "")
			group(f, "Adam").LR = setTo(1e-4)
		}, "warning unchanged not-updated fc2", "fc2 has not changed over 5 updates, although gradients are there: the weights are bfloat16"},
		{"bfloat16 weights whose updates are far larger than rounding", classifier(), func(f *record.Facts) {
			change(f, still, "")
			change(f, typed("BF16"), "")
			group(f, "Adam").LR = setTo(1e-2)
		}, "error unchanged not-updated parameters", "Look for code that writes the old values back"},
		{"float32 weights at the same rate", classifier(), func(f *record.Facts) {
			change(f, still, "")
			change(f, typed("F32"), "")
			group(f, "Adam").LR = setTo(1e-4)
		}, "error unchanged not-updated parameters", "Look for code that writes the old values back"},
		{"a rate that only 16 bits round away", classifier(), func(f *record.Facts) {
			change(f, still, "")
			change(f, typed("BF16"), "")
			group(f, "Adam").LR = setTo(5e-8)
		}, "error unchanged not-updated parameters", "the weights are bfloat16"},
		{"a rate that is rounded away in float32, too", classifier(), func(f *record.Facts) {
			change(f, still, "")
			change(f, typed("BF16"), "")
			group(f, "Adam").LR = setTo(1e-12)
		}, "warning tiny_rate learning-rate learning rate", "1e-12"},
		{"learning rate unknown", classifier(), func(f *record.Facts) {
			change(f, still, "")
			group(f, "Adam").LR = nil
		}, "", ""},

		{"a group that never moves", classifier(), func(f *record.Facts) {
			change(f, rate(0.01), "")
			change(f, rate(0), "fc1")
		}, "warning zero_group not-updated fc1", "The learning rate of fc1 is 0: after 5 updates"},
		{"a trained body that is kept still", resnet(), func(f *record.Facts) {
			change(f, pretrained, "conv1", "bn1", "layer1.", "layer2.")
			change(f, rate(0.01), "")
			change(f, rate(0), "conv1", "bn1", "layer1.", "layer2.")
		}, "", ""},
		{"a group that is warmed up", classifier(), func(f *record.Facts) { change(f, func(p *record.ParameterFact) { p.LR = setTo(0.01) }, "") }, "", ""},
		{"a layer made in forward", classifier(), func(f *record.Facts) {
			f.Parameters.Anew = []record.AnewFact{{Operation: "linear", Shape: []int64{32, 32}}}
		}, "warning weights_recreated not-updated forward", "The loss depends on 1 weight that forward re-creates each time (linear [32 32])"},

		{"no slope in the middle", classifier(), func(f *record.Facts) {
			change(f, flat, "fc1")
			f.Graph.Flat = &record.FlatFacts{Operations: []string{"round"}, Parameters: []string{"Net_fc1.weight", "Net_fc1.bias"}}
		}, "warning zero_gradient_operation not-updated fc1", "the loss depends on them only through round, whose gradient is zero"},
		{"no slope before the last layer", classifier(), func(f *record.Facts) {
			change(f, flat, "fc1", "fc2")
			f.Graph.Flat = &record.FlatFacts{Operations: []string{"sign"}, Parameters: []string{"Net_fc1.weight", "Net_fc1.bias", "Net_fc2.weight", "Net_fc2.bias"}}
		}, "error zero_gradient_operation not-updated fc1", ""},
		{"no slope before the loss", classifier(), func(f *record.Facts) {
			change(f, flat, "")
			f.Graph.Flat = &record.FlatFacts{Operations: []string{"round"}}
			for _, p := range f.Parameters.List {
				f.Graph.Flat.Parameters = append(f.Graph.Flat.Parameters, p.Name)
			}
		}, "error zero_gradient_operation not-updated fc1", ""},
		{"no slope, and gradients all the same", classifier(), func(f *record.Facts) {
			f.Graph.Flat = &record.FlatFacts{Operations: []string{"round"}, Parameters: []string{"Net_fc1.weight"}}
		}, "", ""},
		{"no slope", classifier(), func(f *record.Facts) { change(f, flat, "") }, "warning zero_gradients not-updated gradients", "all 6 parameters are exactly zero at 5 updates"},
		{"a factor of 0", classifier(), func(f *record.Facts) { change(f, flat, ""); f.Graph.ZeroFactors = 1 }, "warning zero_gradients not-updated gradients", "what it is computed from is multiplied by 0"},
		{"softmax with a single class", classifier(), func(f *record.Facts) {
			change(f, flat, "")
			f.Predictions = &record.PredictionFacts{Classes: 1}
		}, "", ""},
		{"no slope for some", classifier(), func(f *record.Facts) { change(f, flat, "fc1") }, "", ""},

		{"an optimiser of nothing that asks for a gradient", classifier(), func(f *record.Facts) { asleep(f, "") }, "error nothing_trainable not-updated parameters", "all 6 parameters (6154 elements) of the optimiser have requires_grad=False, and none has changed in 5 updates"},
		{"the same after fewer updates", classifier(), func(f *record.Facts) { asleep(f, ""); f.Parameters.Updates = 4 }, "", ""},
		{"a frozen body below a head that is trained", classifier(), func(f *record.Facts) { asleep(f, "fc1", "fc2"); change(f, pretrained, "fc1", "fc2") }, "", ""},
		{"gradients that the script sets by hand", classifier(), func(f *record.Facts) {
			asleep(f, "")
			change(f, func(p *record.ParameterFact) { p.Changed = true }, "")
		}, "", ""},
		{"an input that is trained beside a frozen model", classifier(), func(f *record.Facts) {
			asleep(f, "")
			f.Optimisers[0].Groups[0].Parameters = 7
		}, "", ""},
	})
}

// asleep turns requires_grad off for parameters before the first update.
func asleep(f *record.Facts, paths ...string) {
	f.Optimisers[0].Groups = []record.GroupFacts{{LR: setTo(0.01), Parameters: int64(len(f.Parameters.List))}}
	change(f, func(p *record.ParameterFact) { p.Trained, p.Changed, p.Gradient = false, false, record.GradientMissing }, paths...)
}

// rate puts a parameter into a group with a rate; with 0 it does not move.
func rate(lr float64) func(*record.ParameterFact) {
	return func(p *record.ParameterFact) { p.LR, p.Changed = setTo(lr), lr != 0 }
}

// lookInto has the network list the modules of another model than the first.
func lookInto(f *record.Facts, model string, paths ...string) {
	f.Network.Modules = []record.ModuleFacts{{Path: model, Kind: "container", Training: true}}
	for i, path := range paths {
		f.Network.Modules = append(f.Network.Modules, record.ModuleFacts{Path: path, Kind: record.LinearModule, Order: int64(i + 1), Training: true})
	}
}

// eachUpdates says how often the optimiser of each parameter stepped.
func eachUpdates(f *record.Facts, n int64) {
	change(f, func(p *record.ParameterFact) { p.Updates = &n }, "")
}

// shapes gives modules a shape of what goes in and comes out.
func shapes(f *record.Facts, shape []int64, paths ...string) {
	for _, path := range paths {
		m := module(f, path)
		m.Input, m.Output = &record.TensorFacts{Shape: shape}, &record.TensorFacts{Shape: shape}
	}
}

// withNeck is a body, a layer that a new task may have brought, and a head.
func withNeck() *record.Facts {
	return network("body Conv2d 3 16 3", "bn BatchNorm2d 16", "neck Linear 64 64", "act ReLU", "head Linear 64 10")
}

// blocks is a network of blocks that are built alike.
func blocks() *record.Facts {
	modules := []string{"stem Linear 20 32", "stem_act ReLU"}
	for i := range 4 {
		for _, m := range []string{"attn.qkv Linear 32 96", "attn.proj Linear 32 32", "fc1 Linear 32 64", "act ReLU", "fc2 Linear 64 32"} {
			modules = append(modules, fmt.Sprintf("blocks.%d.%s", i, m))
		}
	}
	return network(append(modules, "head Linear 32 10")...)
}

func deepNetwork() *record.Facts {
	return network("a Linear 8 8", "b Linear 8 8", "c Linear 8 8", "d Linear 8 8", "e Linear 8 8", "f Linear 8 8", "act ReLU")
}

// Parameters next to the model are somebody's to update, or nobody's.
func TestLooseParameters(t *testing.T) {
	half := 0.5
	beside := func(loose ...record.LooseFact) func(*record.Facts) {
		return func(f *record.Facts) { f.Parameters.Loose = loose }
	}
	plain := func(reached int64) *record.Facts {
		return &record.Facts{
			Optimisers: []record.OptimiserFacts{{Class: "SGD", Groups: []record.GroupFacts{{Parameters: 2}}}},
			Parameters: &record.ParameterFacts{Updates: 9},
			Graph:      &record.GraphFacts{Nodes: 16, Complete: true, Head: []string{"cross_entropy", "linear"}, Weighted: 3, NonLinear: 2, Reached: reached, Parts: 1},
		}
	}
	stiffness := record.LooseFact{Shape: []int64{}, Parameter: true, Value: &half}
	runFacts(t, "not_updated", []factCase{
		{"a coefficient", classifier(), beside(stiffness), "warning tensor_in_no_optimiser not-updated a parameter of shape []", "The loss depends on a parameter of shape [] (1 tensor), which asks to be trained but belongs to no module and no optimiser"},
		{"weights of losses in a list", classifier(), beside(record.LooseFact{Shape: []int64{1}, Parameter: true}, record.LooseFact{Shape: []int64{1}, Parameter: true}), "warning tensor_in_no_optimiser not-updated a parameter of shape [1]", "on a parameter of shape [1] (2 tensors), which ask"},
		{"a number", classifier(), beside(record.LooseFact{Shape: []int64{1}}), "warning tensor_in_no_optimiser not-updated a tensor of shape [1]", ""},
		{"optimisers that take turns", classifier(), func(f *record.Facts) { beside(stiffness)(f); f.Optimisers = append(f.Optimisers, f.Optimisers[0]) }, "", ""},
		{"weights in a dict, of which the optimiser has the last", plain(2), beside(record.LooseFact{Shape: []int64{64, 20}}, record.LooseFact{Shape: []int64{64, 64}}), "warning tensor_in_no_optimiser not-updated a tensor of shape [64 20]", "The loss depends on a tensor of shape [64 20] and a tensor of shape [64 64] (2 tensors)"},
		{"the optimiser's own tensors are not reached", plain(0), beside(stiffness), "", ""},
		{"hardly any update yet", classifier(), func(f *record.Facts) { beside(stiffness)(f); f.Parameters.Updates = 3 }, "", ""},
	})
}

// A recurrence needs the history of its state.
func TestStatesWithoutHistory(t *testing.T) {
	cell := func(recorded, inGraph, states, cut, cutInGraph int64) func(*record.Facts) {
		return func(f *record.Facts) {
			m := module(f, "rnn")
			m.Recorded, m.InGraph, m.States, m.StatesCut, m.StatesCutInGraph = recorded, inGraph, states, cut, cutInGraph
		}
	}
	const found = "warning states_cut not-updated rnn"
	linear := func(calls int64) func(*record.Facts) {
		return func(f *record.Facts) {
			m := module(f, "fc2")
			m.Recorded, m.InGraph = calls, 1
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{32, 12, 4}}}, Steps: 8, Distinct: 8}
		}
	}
	runFacts(t, "not_updated", []factCase{
		{"detached at every step, the last output used", lstm(), cell(12, 1, 11, 11, 1), found, "rnn runs 12 times in one forward, but the loss depends only on the last call"},
		{"detached at every step, all outputs used", lstm(), cell(12, 12, 11, 11, 11), found, "gets its own state back at 11 steps in a row, each time detached from its history"},
		{"the first outputs left out", lstm(), cell(12, 12, 11, 11, 8), found, ""},
		{"the model is called for every step", lstm(), cell(1, 12, 11, 11, 11), found, ""},
		{"detached now and then", lstm(), cell(12, 12, 11, 3, 3), "", ""},
		{"detached but for the last few steps", lstm(), cell(12, 4, 11, 8, 1), "", ""},
		{"acting with a detached state, learning on sequences", lstm(), cell(1, 12, 11, 11, 0), "", ""},
		{"with its history", lstm(), cell(12, 12, 11, 0, 0), "", ""},
		{"a cell of one's own, called along a sequence", classifier(), linear(12), "warning states_cut not-updated fc2", ""},
		{"one of several candidates is used", classifier(), linear(5), "", ""},
		{"called a few times", classifier(), linear(3), "", ""},
	})
}

// Blocks that are frozen were trained before, or are to be thawed.
func TestFrozenBlocksAsInitialised(t *testing.T) {
	stages := func() *record.Facts {
		return network("stage1.0 Conv2d 1 8 3", "stage1.1 BatchNorm2d 8", "stage2.0 Conv2d 8 16 3", "stage2.1 BatchNorm2d 16", "stage3.0 Conv2d 16 32 3", "stage3.1 BatchNorm2d 32", "fc Linear 32 5")
	}
	blocks := func() *record.Facts {
		return network("emb Embedding 100 32", "block.0.ff1 Linear 32 128", "block.0.norm LayerNorm 128", "block.0.ff2 Linear 128 32", "block.1.ff1 Linear 32 128", "block.1.norm LayerNorm 128", "block.1.ff2 Linear 128 32",
			"block.2.ff1 Linear 32 128", "block.2.norm LayerNorm 128", "block.2.ff2 Linear 128 32", "head Linear 32 100")
	}
	frozen := func(paths ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			for i := range f.Parameters.List {
				p := &f.Parameters.List[i]
				if slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(p.Module, path) }) {
					p.Trained, p.Held, p.Changed, p.Gradient = false, false, false, record.GradientMissing
				}
				if !p.Bias && p.First != nil { // no two layers begin alike
					p.First.Mean += record.Number(1e-4 * float64(i))
				}
				if p.Kind == record.NormModule {
					mean := record.Number(1)
					if p.Bias {
						mean = 0
					}
					p.First = &record.ValueFacts{Elements: 16, Min: mean, Max: mean, Mean: mean}
				}
			}
		}
	}
	worn := func(paths ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			frozen(paths...)(f)
			for i := range f.Parameters.List {
				if p := &f.Parameters.List[i]; p.First != nil {
					p.First.Max += 0.1
				}
			}
		}
	}
	runFacts(t, "not_updated", []factCase{
		{"after a trained layer", blocks(), frozen("block.0", "block.1"), "warning frozen_stack not-updated block.0", "block.0 and block.1 are frozen (requires_grad=False) at random initial values, while block.2"},
		{"trained before", blocks(), worn("block.0", "block.1"), "", ""},
		{"all blocks: there is no other that is trained", blocks(), frozen("block."), "", ""},
		{"from the first on: they may be thawed", stages(), frozen("stage1", "stage2"), "", ""},
	})
	for _, c := range []struct {
		name   string
		facts  *record.Facts
		do     func(*record.Facts)
		steps  int64
		thawed bool
		want   string
	}{
		{"frozen to the end", stages(), frozen("stage1", "stage2"), 120, false, "warning frozen_stack stage1"},
		{"thawed on the way", stages(), frozen("stage1", "stage2"), 120, true, ""},
		{"a short job", stages(), frozen("stage1", "stage2"), 40, false, ""},
		{"trained before", stages(), worn("stage1", "stage2"), 120, false, ""},
		{"one layer and no block", classifier(), frozen("fc1"), 120, false, ""},
		{"all blocks after a trained embedding", blocks(), frozen("block."), 120, false, "warning frozen_stack block.0"},
		{"all blocks, thawed on the way", blocks(), frozen("block."), 120, true, ""},
		{"all blocks of a network that was loaded", blocks(), worn("block."), 120, false, ""},
		{"all blocks and the embedding before them", blocks(), frozen("emb", "block."), 120, false, ""},
		{"all blocks but their normalisation", blocks(), frozen("block.0.ff", "block.1.ff", "block.2.ff"), 120, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.do(c.facts)
			got := ""
			for _, x := range judgeFrozen(t, c.facts, c.steps, c.thawed) {
				got = fmt.Sprintf("%s %s %s", x.Severity, x.Check, x.Subject)
			}
			if got != c.want {
				t.Errorf("finding is %q, want %q", got, c.want)
			}
		})
	}
}

// judgeFrozen lets not_updated look at a training of so many steps; thawed:
// what was frozen asks for gradients from its middle on.
func judgeFrozen(t *testing.T, f *record.Facts, steps int64, thawed bool) (found []record.Finding) {
	t.Helper()
	set, err := rules.Set("default", "pytorch")
	if err != nil {
		t.Fatal(err)
	}
	set = slices.DeleteFunc(set, func(c rules.Config) bool { return c.Rule != "not_updated" })
	start := func(thawed bool) *rules.Engine {
		e, err := rules.NewEngine(rules.Options{Configs: set, OnFinding: func(f record.Finding) { found = append(found, f) }})
		if err != nil {
			t.Fatal(err)
		}
		var infos []record.TensorInfo
		for _, p := range f.Parameters.List {
			infos = append(infos, record.TensorInfo{Name: p.Name, Kind: record.Weight, Shape: p.Shape, Frozen: !p.Trained && !thawed})
		}
		e.Announce("worker_0", infos)
		e.Facts(f)
		return e
	}
	e := start(false)
	for n := range steps {
		s := &record.Step{Worker: "worker_0", Mode: record.Train, Step: n, ModeStep: n}
		for _, p := range f.Parameters.List {
			if n%10 == 0 {
				x := record.TensorStats{Tensor: p.Name}
				x.Stats.Count, x.Stats.L1 = 100, 7
				s.Stats = append(s.Stats, x)
			}
		}
		if n == steps/2 { // the agent restarts
			state, err := e.Save()
			if err != nil {
				t.Fatal(err)
			}
			e = start(thawed)
			if err := e.Restore(state); err != nil {
				t.Fatal(err)
			}
		}
		e.Observe(rules.NewComplete([]*record.Step{s}))
	}
	e.Finish(record.Completed)
	return found
}

// critics is a critic that two optimisers hold, and a generator that none does.
func critics() *record.Facts {
	f := gan()
	f.Parameters.Outside = slices.Clone(f.Parameters.List[:4])
	for i := range f.Parameters.Outside {
		if p := &f.Parameters.Outside[i]; p.First != nil {
			first := *p.First
			p.First = &first
		}
	}
	f.Parameters.List = f.Parameters.List[4:]
	f.Models = f.Models[1:]
	for i := range f.Optimisers {
		f.Optimisers[i].Groups = slices.Clone(f.Optimisers[i].Groups)
	}
	return f
}
