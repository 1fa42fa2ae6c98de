// Package builtin holds the rules that come with Vigil. Each has a file of its
// own; checks of facts, and what several rules share, have files next to them. A
// rule is added by a file and a line in the list below.
//
// Where a rule takes part in the default set it does so with a judgement of
// its own, switched on by a parameter that is off when the rule is asked for
// by name: there precision comes first, so a verdict needs several independent
// signs over many steps, and each threshold is relative to something that the
// training itself shows.
package builtin

import (
	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

var all = []*rule.Definition{
	&notFinite,
	&outputActivation,
	&lossChoice,
	&labelsFit,
	&dataScaling,
	&zeroGrad,
	&notUpdated,
	&evaluationMode,
	&initialWeights,
	&networkStructure,
	&regularisation,
	&sameBatches,
	&padding,
	&alwaysClipped,
	&optimiserSettings,
	&vanishingGradient,
	&explodingTensor,
	&deadRelu,
	&weightUpdateRatio,
	&allZero,
	&learningRate,
	&lossSpike,
	&lossFlat,
	&impossibleLoss,
	&tooFewUpdates,
	&ranksDiverge,
	&lossNotDecreasing,
	&stalledTraining,
	&slow.Training,
	&slow.MemoryGrowth,
	&unchangedTensor,
	&poorWeightInitialization,
	&saturatedActivation,
	&overfit,
	&overtraining,
	&similarAcrossRuns,
	&tensorVariance,
	&featureImportanceOverweight,
	&treeDepth,
	&createXgboostReport,
	&underfit,
	&gradientClipping,
	&updateGradientMismatch,
	&accuracyDrop,
	&inputDrift,
	&lowFeatureImportance,
	&classImbalance,
	&confusion,
	&checkInputImages,
	&nlpSequenceRatio,
	&hardwareUtilization,
}

// All gives the definitions in the order of the documentation.
func All() []*rule.Definition { return all }
