package rule

import "github.com/vigil-ml/vigil/internal/record"

// The facts of a training, under the names by which rules know them.
type (
	// Facts are what the hook read of a training in its first steps.
	Facts = record.Facts
	// TensorFacts are a tensor's type, shape and values at one step.
	TensorFacts = record.TensorFacts
	// ValueFacts summarise values.
	ValueFacts = record.ValueFacts
	// ModuleFacts are one module of the network.
	ModuleFacts = record.ModuleFacts
	// LabelFacts are the labels that the loss got.
	LabelFacts = record.LabelFacts
	// FeatureLabels are numbers about labels of several values each.
	FeatureLabels = record.FeatureLabels
	// PredictionFacts are what the loss got as predictions.
	PredictionFacts = record.PredictionFacts
	// ParameterFact is one parameter.
	ParameterFact = record.ParameterFact
	// OptimiserFacts are one optimiser.
	OptimiserFacts = record.OptimiserFacts
	// AveragedFact is a batch normalisation in a frozen part that goes on averaging.
	AveragedFact = record.AveragedFact
	// LooseFact is a tensor of the loss that stands by itself.
	LooseFact = record.LooseFact
	// GroupFacts are one group of an optimiser's parameters.
	GroupFacts = record.GroupFacts
	// ScheduleFacts are how the learning rate went.
	ScheduleFacts = record.ScheduleFacts
	// ThreadFacts say how many threads a process computes with.
	ThreadFacts = record.ThreadFacts
	// DebuggingFacts are aids for finding mistakes that were left on.
	DebuggingFacts = record.DebuggingFacts
	// DebugAid is one of them.
	DebugAid = record.DebugAid
)

// FactReader is a rule that looks at the facts of a training. Facts comes
// whenever more of them is known, before the step from which on it is known is
// judged, at the latest before Finish; each time with all that is known. A rule
// keeps in its state what it has said, and what it needs of the facts at later
// steps.
type FactReader interface {
	Facts(f *Facts, r *Report)
}
