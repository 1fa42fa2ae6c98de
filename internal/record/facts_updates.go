package record

// UpdateFacts are how the first updates went.
type UpdateFacts struct {
	At    int64 `json:"at"`
	Steps int64 `json:"steps"` // updates that were looked at
	// Kept: those whose first backward found the gradients of an earlier
	// update still there, not zero and unchanged since, for most parameters.
	Kept int64 `json:"kept"`
	// Cleared: those at which the optimiser found no gradient, or zeros only,
	// although backward had been called since the last update.
	Cleared int64 `json:"cleared"`
	// NoBackward: those before which backward was not called at all, and whose
	// gradients were none, zero, or those of the update before.
	NoBackward int64 `json:"no_backward"`
	// Norms of all gradients, as the optimiser used them.
	Norms []Number `json:"norms,omitempty"`
	// Each tells the same of every optimiser, in the order of their first
	// updates, where there are several.
	Each []OptimiserUpdates `json:"each,omitempty"`
	// Clip is how gradients were clipped by norm; nil when they were not, or
	// not by the framework's own function.
	Clip *ClipFacts `json:"clip,omitempty"`
}

// OptimiserUpdates are the first updates by one of several optimisers.
type OptimiserUpdates struct {
	Class string `json:"class"`
	Model string `json:"model"` // that it updates, or the first of them; "" when it is not known
	Steps int64  `json:"steps"`
	Kept  int64  `json:"kept"`
}

// ClipFacts are calls of the framework's clipping by norm, or by value.
type ClipFacts struct {
	MaxNorm Number   `json:"max_norm"`
	Calls   int64    `json:"calls"`
	Clipped int64    `json:"clipped"`
	Norms   []Number `json:"norms"` // before clipping, of the first calls
	// ByValue: elements are clipped one by one. MaxNorm is the largest
	// magnitude that is left to them, Norms the largest there were.
	ByValue bool `json:"by_value,omitempty"`
	// Library: an installed library made the calls, such as a trainer, whose default the
	// limit may be.
	Library bool `json:"library,omitempty"`
}

// What passes without gradients in training mode are for, where they are no
// evaluation.
const (
	PurposeSamples = "samples" // several over the same inputs between two updates: Monte Carlo dropout
	PurposeTargets = "targets" // over new inputs before each update: labels are guessed
)

// EvaluationFacts are the first evaluation steps.
type EvaluationFacts struct {
	At    int64 `json:"at"`
	Steps int64 `json:"steps"` // that were looked at
	// RootTraining: the model as a whole stood in training mode. Modules that
	// do although it does not were put there on purpose, or by mistake.
	RootTraining bool `json:"root_training"`
	// Purpose is what passes in training mode are for, where that is certain:
	// PurposeSamples or PurposeTargets.
	Purpose string `json:"purpose,omitempty"`
	// Training are dropout and batch normalisation modules that ran in
	// training mode, at most 50.
	Training []string `json:"training,omitempty"`
	Kinds    []string `json:"kinds,omitempty"` // their kinds, each once
	// Statistics compare the running statistics of normalisation with a batch:
	// |running mean − batch mean| in units of the batch's deviation, largest
	// over channels, per module.
	Statistics []StatisticsFact `json:"statistics,omitempty"`
	// FunctionalDropout: the function dropout dropped, in evaluation mode
	// because it was not told of the mode.
	FunctionalDropout bool `json:"functional_dropout,omitempty"`
	// Layer is the first layer with a weight that ran, and Input what it got at
	// the first of these steps; both are missing where that was no floating
	// tensor.
	Layer string       `json:"layer,omitempty"`
	Input *TensorFacts `json:"input,omitempty"`
	// File and Line are where the script ran the model first in these steps.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Extent
}

// ScheduleFacts are the learning rate of a training's only optimiser, the
// largest of its groups, at some of its updates: after the first look, then
// every hundred or more, and at the end. They come at the end.
type ScheduleFacts struct {
	At int64 `json:"at"`
	// Initial is the rate that a scheduler was given to scale, or its largest;
	// null without a scheduler of PyTorch's.
	Initial *float64  `json:"initial"`
	Steps   []int64   `json:"steps"` // updates before each rate
	Rates   []float64 `json:"rates"`
	// Plateau is what a scheduler was given that waits for a metric to stand
	// still; nil without such.
	Plateau *PlateauFacts `json:"plateau,omitempty"`
}

// PlateauFacts are the calls of a scheduler that lowers the rate when a metric
// does not get better.
type PlateauFacts struct {
	Mode     string   `json:"mode"` // min or max: which of the metrics counts as better
	Patience int64    `json:"patience"`
	Metrics  []Number `json:"metrics"` // the first 200
	Lowered  []int    `json:"lowered"` // the calls that lowered the rate
}

// StatisticsFact is one module's running statistics against a batch.
type StatisticsFact struct {
	Module   string `json:"module"`
	Distance Number `json:"distance"`
	Ratio    Number `json:"ratio"` // running variance to batch variance, median over channels
}

// EvalTrainedFacts say that updates were made while the model stood in
// evaluation mode, after it had been in training mode before.
type EvalTrainedFacts struct {
	At      int64    `json:"at"`
	Modules []string `json:"modules"` // dropout and batch normalisation modules that stood still, at most 50
	Kinds   []string `json:"kinds"`
	// Frozen are those of Modules that stand in a part of the model whose parameters
	// all ask for no gradients: the smallest part around them that has parameters.
	Frozen []string `json:"frozen,omitempty"`
	// Always: the model never was in training mode.
	Always bool `json:"always"`
	// Since is the first of these updates; nil in runs that do not say it.
	Since *UpdateFact `json:"since,omitempty"`
}

// UpdateFact is one update of the weights.
type UpdateFact struct {
	Step     int64 `json:"step"`
	ModeStep int64 `json:"mode_step"` // TRAIN step
}

// EvalPartsFacts say that the model stood in training mode at the third update,
// and parts of it in evaluation mode.
type EvalPartsFacts struct {
	At      int64    `json:"at"`
	Modules []string `json:"modules"` // dropout and batch normalisation modules that stood still, at most 50
	Kinds   []string `json:"kinds"`
	Frozen  []string `json:"frozen,omitempty"` // of Modules, as in EvalTrainedFacts
}

// AstrayFacts say that an optimiser found no gradients any more from a step on,
// although backward was called: another instance of the model got them, of
// which no optimiser holds anything.
type AstrayFacts struct {
	At         int64  `json:"at"`
	Since      int64  `json:"since"`            // TRAIN step
	Never      bool   `json:"never,omitempty"`  // none came from the beginning on, as far as was looked
	Latest     bool   `json:"latest,omitempty"` // it was then or up to 16 updates earlier: gradients that stay where they are, as zeros, are looked at now and then
	Optimiser  string `json:"optimiser"`
	Model      string `json:"model"` // class of that instance
	Parameters int64  `json:"parameters"`
}

// UnfrozenFacts say that parameters that were frozen in the first steps got
// gradients from a step on, at two looks that are 16 updates or more apart, and
// that no optimiser had them, although one had others of the same model. Their
// values stayed.
type UnfrozenFacts struct {
	At         int64    `json:"at"`
	Since      int64    `json:"since"` // TRAIN step of the first of these looks
	Optimiser  string   `json:"optimiser"`
	Parameters int64    `json:"parameters"`
	Elements   int64    `json:"elements"`
	Held       int64    `json:"held"`  // elements of the same models that optimisers have
	Names      []string `json:"names"` // of the parameters, at most 20
}

// AveragesFacts are the averages of weights that were called: AveragedModel of
// PyTorch, as far as it was there in the first steps. They come at the end.
type AveragesFacts struct {
	At   int64         `json:"at"`
	List []AverageFact `json:"list"` // at most 8
}

// AverageFact is one average of the weights of a model.
type AverageFact struct {
	Class   string `json:"class"`   // of the model that it is an average of
	Uses    int64  `json:"uses"`    // calls
	Updates int64  `json:"updates"` // of the average, when the run ended or it was called last
	Steps   int64  `json:"steps"`   // TRAIN steps before its last call
}
