package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestEvaluationMode(t *testing.T) {
	training := func(f *record.Facts) {
		f.Evaluation = &record.EvaluationFacts{Steps: 4, RootTraining: true, Training: []string{"drop", "block.drop"}, Kinds: []string{"dropout"}}
	}
	standing := func(always bool) func(*record.Facts) {
		return func(f *record.Facts) {
			f.EvalTrained = &record.EvalTrainedFacts{At: 2, Modules: []string{"bn1"}, Kinds: []string{"normalisation"}, Always: always, Since: &record.UpdateFact{Step: 71, ModeStep: 60}}
		}
	}
	parts := func(f *record.Facts) {
		f.EvalParts = &record.EvalPartsFacts{At: 3, Modules: []string{"layer1.bn1"}, Kinds: []string{"normalisation"}}
	}
	far := func(f *record.Facts) {
		f.Evaluation = &record.EvaluationFacts{Steps: 2, Statistics: []record.StatisticsFact{{Module: "bn1", Distance: 9, Ratio: 1}, {Module: "layer1.bn1", Distance: 0.1, Ratio: 0.01}, {Module: "layer1.bn2", Distance: 0.1, Ratio: 1}}}
	}
	behind := func(momentum float64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Evaluation = &record.EvaluationFacts{At: 62, Steps: 2, Statistics: []record.StatisticsFact{{Module: "bn1", Distance: 3.8, Ratio: 0.5}}}
			module(f, "bn1").Settings["momentum"] = momentum
		}
	}
	averaged := func(began int64, least, distance, ratio record.Number) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Parameters.Averaged = []record.AveragedFact{
				{Module: "layer1.bn1", Part: "layer1", Began: began, Batches: 8, Momentum: setTo(0.1), Least: least, Distance: distance, Ratio: ratio},
				{Module: "layer1.bn2", Part: "layer1", Began: began, Batches: 8, Momentum: setTo(0.1), Least: 0.2, Distance: 0.01, Ratio: 1.02},
			}
		}
	}
	runFacts(t, "evaluation_mode", []factCase{
		{"a frozen body that averages other data", resnet(), averaged(301, 0.25, 0.26, 0.51), "info frozen_statistics eval-mode layer1.bn1", "layer1 is frozen (requires_grad=False), but batch normalisation in it goes on averaging: the running statistics of layer1.bn1 move to those of other data (mean up to 0.457 std away, variance 0.14 times)"},
		{"a frozen body that averages data of another mean", resnet(), averaged(301, 1.3, 0.6, 1.1), "info frozen_statistics eval-mode layer1.bn1", "mean up to 1.05 std away"},
		{"a frozen body that averages data like those before", resnet(), averaged(301, 0.25, 0.1, 0.8), "", ""},
		{"a frozen body that was never trained", resnet(), averaged(1, 0.91, 0.5, 0.4), "", ""},
		{"a frozen body that was loaded without the number of its batches", resnet(), averaged(1, 0.2, 0.5, 0.4), "info frozen_statistics eval-mode layer1.bn1", ""},
		{"a frozen body that hardly averages", resnet(), func(f *record.Facts) {
			averaged(301, 0.25, 0.02, 0.9)(f)
			f.Parameters.Averaged[0].Momentum = setTo(0.001)
		}, "", ""},
		{"a frozen body in evaluation mode", resnet(), func(f *record.Facts) {
			standing(true)(f)
			f.EvalTrained.Frozen = []string{"bn1"}
		}, "", ""},
		{"a frozen part in evaluation mode, after an evaluation", resnet(), func(f *record.Facts) {
			standing(false)(f)
			f.EvalTrained.Frozen = []string{"bn1"}
		}, "", ""},
		{"a frozen part in evaluation mode of a new model", resnet(), func(f *record.Facts) {
			parts(f)
			f.EvalParts.Frozen = []string{"layer1.bn1"}
		}, "", ""},
		{"evaluated in training mode", transformer(), training, "warning evaluated_in_training_mode eval-mode evaluation", "in training mode: drop and block.drop (dropout) still drop values or use batch statistics at 4 evaluation steps. Call model.eval() before"},
		{"samples of a posterior", transformer(), func(f *record.Facts) {
			training(f)
			f.Evaluation.Purpose = record.PurposeSamples
		}, "", ""},
		{"labels that are guessed", transformer(), func(f *record.Facts) {
			training(f)
			f.Evaluation.Purpose = record.PurposeTargets
		}, "", ""},
		{"a generator that is looked at", gan(), func(f *record.Facts) {
			training(f)
			f.Evaluation.Training = []string{"bn"}
		}, "info evaluated_in_training_mode eval-mode evaluation", ""},
		{"trained in evaluation mode", resnet(), standing(false), "warning trained_in_evaluation_mode eval-mode training", "mode since step 60: bn1 (normalisation) have no effect"},
		{"trained in evaluation mode, in a run that does not say since when", resnet(), func(f *record.Facts) {
			standing(false)(f)
			f.EvalTrained.Since = nil
		}, "warning trained_in_evaluation_mode eval-mode training", "in evaluation mode: bn1 (normalisation) have no effect"},
		{"never in training mode, from where an initialiser began", resnet(), standing(true), "warning trained_in_evaluation_mode eval-mode training", "in evaluation mode: bn1 (normalisation) have no effect"},
		{"never in training mode, from what was trained before", resnet(), func(f *record.Facts) {
			standing(true)(f)
			change(f, pretrained, "")
		}, "info trained_in_evaluation_mode eval-mode training", ""},
		{"never in training mode, and a part of it was called before", resnet(), func(f *record.Facts) {
			standing(true)(f)
			f.Models = append(f.Models, record.ModelFacts{Name: "Sequential", Class: "Sequential", Called: true})
		}, "warning trained_in_evaluation_mode eval-mode training", ""},
		{"a new part in evaluation mode", resnet(), parts, "warning trained_in_evaluation_mode eval-mode training", "A part of the model is trained in evaluation mode although it was not pretrained: layer1.bn1 (normalisation)"},
		{"a part that was trained before", resnet(), func(f *record.Facts) {
			parts(f)
			change(f, pretrained, "layer1.")
		}, "", ""},
		{"a part that is frozen", resnet(), func(f *record.Facts) {
			parts(f)
			change(f, freeze, "layer1.")
		}, "", ""},
		{"a part that was trained before, behind a new stem", resnet(), func(f *record.Facts) {
			parts(f)
			change(f, pretrained, "layer1.conv1")
		}, "", ""},
		{"statistics far away", resnet(), far, "info statistics eval-mode bn1", "bn1 and layer1.bn1 (2 of 3) do not match the evaluation data (up to 9 std apart)"},
		{"statistics that hardly follow", resnet(), func(f *record.Facts) {
			far(f)
			module(f, "bn1").Settings["momentum"] = 0.0001
		}, "warning statistics eval-mode bn1", ""},
		{"statistics that are what they began with", resnet(), behind(0.0005), "warning statistics eval-mode bn1", ""},
		{"a momentum that is what a decay of 0.999 leaves", resnet(), behind(1 - 0.999), "warning statistics eval-mode bn1", ""},
		{"as far away with the usual momentum", resnet(), behind(0.1), "", ""},
		{"a frozen layer keeps its statistics", resnet(), func(f *record.Facts) {
			standing(true)(f)
			change(f, freeze, "bn1")
		}, "", ""},
		{"statistics in training mode", resnet(), func(f *record.Facts) {
			far(f)
			f.Evaluation.RootTraining = true
		}, "", ""},
	})
}

// The step in the text is that of the heading: of the first update that was made so.
func TestEvaluationModeHasOneStep(t *testing.T) {
	j := newJob(t, config("EvaluationMode"))
	f := resnet()
	f.EvalTrained = &record.EvalTrainedFacts{At: 74, Modules: []string{"bn1"}, Kinds: []string{"normalisation"}, Since: &record.UpdateFact{Step: 71, ModeStep: 60}}
	for step := range int64(90) {
		if step == 74 {
			j.engine.Facts(f)
		}
		mode := record.Train
		if step%8 == 7 {
			mode = record.Eval
		}
		j.feed(input{step: step, mode: mode, scalars: map[string]float64{"loss": 1}})
	}
	if len(j.found) != 1 {
		t.Fatalf("found %+v", j.found)
	}
	got := j.found[0]
	var clock *record.Clock
	if at := clock.At(&got); at != "step 60" || !strings.Contains(got.Message, "since step 60:") || got.Step != 71 || got.Context["since"] != int64(60) || !got.Time.Equal(epoch.Add(74*time.Second)) {
		t.Errorf("heading %q, finding %+v", at, got)
	}
}
