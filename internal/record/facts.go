package record

import (
	"encoding/json"
	"fmt"
	"math"
)

// Facts are what a hook read of a training in its first steps: how model,
// loss, labels, data and optimiser fit together. The record is the same for
// every framework; a hook fills what it can see and leaves the rest out.
//
// A section is read once and never changed afterwards, so that whoever judges
// it later sees what was seen live. Its At is the first global step whose rules
// may look at it.
type Facts struct {
	V         int    `json:"v"` // FactsVersion of the hook; 0 where it does not say it
	Framework string `json:"framework"`

	Models     []ModelFacts     `json:"models"`
	Optimisers []OptimiserFacts `json:"optimisers"`
	Loss       *LossFacts       `json:"loss,omitempty"`
	Labels     *LabelFacts      `json:"labels,omitempty"`
	Step       string           `json:"step"` // what a step is, in words

	// Model and Optimiser are the first ones, for readers of JSON.
	Model     *ModelFacts     `json:"model,omitempty"`
	Optimiser *OptimiserFacts `json:"optimiser,omitempty"`
	// Tensors and Interval are what was captured, and every how many steps, when the
	// facts were last sent.
	Tensors  *CapturedFacts `json:"tensors,omitempty"`
	Interval int64          `json:"interval,omitempty"`
	// Epochs are those of the process, as far as they are known: they are counted on
	// through all its trainings.
	Epochs *EpochFacts `json:"epochs,omitempty"`
	// Program is what a program in Go says of itself, for people.
	Program map[string]json.RawMessage `json:"program,omitempty"`

	// Look is false where facts were not to be read: none of those below is there.
	// Nil otherwise.
	Look *bool `json:"look,omitempty"`

	Network     *NetworkFacts     `json:"network,omitempty"`
	Graph       *GraphFacts       `json:"graph,omitempty"`
	Predictions *PredictionFacts  `json:"predictions,omitempty"`
	Inputs      *InputFacts       `json:"inputs,omitempty"`
	Parameters  *ParameterFacts   `json:"parameters,omitempty"`
	Updates     *UpdateFacts      `json:"updates,omitempty"`
	Evaluation  *EvaluationFacts  `json:"evaluation,omitempty"`
	EvalTrained *EvalTrainedFacts `json:"eval_trained,omitempty"`
	EvalParts   *EvalPartsFacts   `json:"eval_parts,omitempty"`
	Astray      *AstrayFacts      `json:"astray,omitempty"`
	Unfrozen    *UnfrozenFacts    `json:"unfrozen,omitempty"`
	Averages    *AveragesFacts    `json:"averages,omitempty"`
	Schedule    *ScheduleFacts    `json:"schedule,omitempty"`
	Threads     *ThreadFacts      `json:"threads,omitempty"`
	Debugging   *DebuggingFacts   `json:"debugging,omitempty"`
	Calls       *CallFacts        `json:"calls,omitempty"`
	Cells       *CellFacts        `json:"cells,omitempty"`
	Boosting    *BoostingFacts    `json:"boosting,omitempty"`

	// Trainings are the later trainings of a process that does one after the
	// other: folds of a cross-validation, members of an ensemble, trials of a
	// search. What was seen before one says nothing about it.
	Trainings []TrainingFacts `json:"trainings,omitempty"`
}

// FactsVersion is raised when a key of the facts gets another meaning. A key
// that is added leaves it as it is.
const FactsVersion = 1

// CapturedFacts count the tensors that are captured.
type CapturedFacts struct {
	Weights   int64 `json:"weights"`
	Gradients int64 `json:"gradients"`
	Copied    int64 `json:"copied,omitempty"` // of the weights, those of copies that do not train
}

// ParseFacts reads facts; an empty text is none. Fields that a later hook adds
// are ignored.
func ParseFacts(b []byte) (*Facts, error) {
	if len(b) == 0 || string(b) == "null" {
		return nil, nil
	}
	var f Facts
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	return &f, nil
}

// Sections names the sections that are there and have a place of their own.
func (f *Facts) Sections() []string {
	var names []string
	f.sections(func(name string, _ int64, _ func()) { names = append(names, name) })
	return names
}

// Until gives the facts that rules may look at when they judge a global step:
// a section whose place is later is left out, and so is what another training
// than the one under way showed. What has no place of its own comes with the
// first that has one.
func (f *Facts) Until(step int64) *Facts {
	g := f.present(step)
	g.sections(func(_ string, at int64, drop func()) {
		if at > step {
			drop()
		}
	})
	if trainings := g.Trainings; len(trainings) > 0 && len(g.Sections()) == len(trainings) {
		return &Facts{Framework: f.Framework, Trainings: trainings}
	}
	return g
}

// After is the first step beyond the one given from which on rules may look at
// a further section; math.MaxInt64 when none is to come.
func (f *Facts) After(step int64) int64 {
	next := int64(math.MaxInt64)
	f.present(step).sections(func(_ string, at int64, _ func()) {
		if at > step {
			next = min(next, at)
		}
	})
	return next
}

func (f *Facts) sections(do func(name string, at int64, drop func())) {
	if s := f.Labels; s != nil {
		do("labels", s.At, func() { f.Labels = nil })
	}
	if s := f.Network; s != nil {
		do("network", s.At, func() { f.Network = nil })
	}
	if s := f.Graph; s != nil {
		do("graph", s.At, func() { f.Graph = nil })
	}
	if s := f.Predictions; s != nil {
		do("predictions", s.At, func() { f.Predictions = nil })
	}
	if s := f.Inputs; s != nil {
		do("inputs", s.At, func() { f.Inputs = nil })
	}
	if s := f.Parameters; s != nil {
		do("parameters", s.At, func() { f.Parameters = nil })
	}
	if s := f.Updates; s != nil {
		do("updates", s.At, func() { f.Updates = nil })
	}
	if s := f.Evaluation; s != nil {
		do("evaluation", s.At, func() { f.Evaluation = nil })
	}
	if s := f.EvalTrained; s != nil {
		do("eval_trained", s.At, func() { f.EvalTrained = nil })
	}
	if s := f.EvalParts; s != nil {
		do("eval_parts", s.At, func() { f.EvalParts = nil })
	}
	if s := f.Astray; s != nil {
		do("astray", s.At, func() { f.Astray = nil })
	}
	if s := f.Unfrozen; s != nil {
		do("unfrozen", s.At, func() { f.Unfrozen = nil })
	}
	if s := f.Calls; s != nil {
		do("calls", s.At, func() { f.Calls = nil })
	}
	if s := f.Cells; s != nil {
		do("cells", s.At, func() { f.Cells = nil })
	}
	if s := f.Averages; s != nil {
		do("averages", s.At, func() { f.Averages = nil })
	}
	if s := f.Schedule; s != nil {
		do("schedule", s.At, func() { f.Schedule = nil })
	}
	if s := f.Threads; s != nil {
		do("threads", s.At, func() { f.Threads = nil })
	}
	if s := f.Debugging; s != nil {
		do("debugging", s.At, func() { f.Debugging = nil })
	}
	if s := f.Boosting; s != nil {
		do("boosting", s.At, func() { f.Boosting = nil })
	}
	if n := f.Begun(math.MaxInt64); n > 0 { // a list: each entry keeps its own place
		for i := n - 1; i >= 0; i-- {
			do(trainingsName, f.Trainings[i].At, func() { f.Trainings = f.Trainings[:i] })
		}
	}
}

// ValueFacts summarise a tensor's values at one step. Large tensors may be
// judged by their first 2^20 elements.
type ValueFacts struct {
	Elements  int64  `json:"elements"` // that were looked at
	Min       Number `json:"min"`      // of the finite ones, as all below
	Max       Number `json:"max"`
	Mean      Number `json:"mean"`
	Std       Number `json:"std"`       // population
	Zeros     Number `json:"zeros"`     // share of elements that are exactly zero, 0 to 1
	NonFinite int64  `json:"nonfinite"` // NaN and infinities
	// SameRows: the batch has two samples or more and all are equal.
	SameRows bool `json:"same_rows"`
}

// TensorFacts are a tensor's type, shape and, where it was looked at, values.
type TensorFacts struct {
	DType  string      `json:"dtype"`
	Shape  []int64     `json:"shape"`
	Values *ValueFacts `json:"values,omitempty"`
}

// LossFacts are what backward was called on.
type LossFacts struct {
	Name     string `json:"name"`
	Function string `json:"function"` // in the graph: cross_entropy, mse_loss; "" when it cannot be told
	Module   string `json:"module"`   // class of the loss module, "" without one
	// Reduction is mean, sum or none; "" when it cannot be told.
	Reduction string         `json:"reduction,omitempty"`
	Settings  map[string]any `json:"settings,omitempty"` // label_smoothing, weight (bool), ignore_index, …
}

// LabelFacts are the labels that the loss got.
type LabelFacts struct {
	At        int64            `json:"at,omitempty"` // of the section; others and addends have none
	Loss      string           `json:"loss"`
	DType     string           `json:"dtype"`
	Shape     []int64          `json:"shape"`
	Range     []float64        `json:"range"`    // least and largest; null without a finite one
	Distinct  *int64           `json:"distinct"` // null: too many, or no whole numbers
	Counts    map[string]int64 `json:"counts"`   // null: the same, or more than 1000
	Elements  int64            `json:"elements"`
	Ignored   int64            `json:"ignored"`
	NonFinite int64            `json:"non_finite"`
	Mean      *float64         `json:"mean,omitempty"`
	Std       *float64         `json:"std,omitempty"`
	// OneHot: the last axis holds one 1 and otherwise 0, on every row.
	OneHot bool `json:"one_hot,omitempty"`
	// RowsSumToOne: the rows of the last axis (two entries or more) are
	// probabilities.
	RowsSumToOne bool `json:"rows_sum_to_one,omitempty"`
	// InOrder: four batches or more of one label for each sample came sorted by
	// class, two neighbouring classes at most in each of them.
	InOrder bool `json:"in_order,omitempty"`
	// Features is how labels of several values each vary from sample to sample;
	// nil without such labels.
	Features *FeatureLabels `json:"features,omitempty"`
	// Ahead: the labels are what the model was called with, one place further on, or two;
	// nil where they are not, at all steps that were looked at.
	Ahead *AheadFacts `json:"ahead,omitempty"`
	// YesWeight is how much a label of 1 counts in a cross-entropy of yes and no that the
	// script writes out, where one of 0 counts 1; 0 where that is 1, changes, or is not known.
	YesWeight float64 `json:"yes_weight,omitempty"`
	// Blanks: labels of ctc_loss name its blank; nil where none do.
	Blanks *BlankFacts `json:"blanks,omitempty"`
	// Ends: the label that the loss leaves out is the end of sequences, and what
	// fills them up counts; nil where that is not so.
	Ends *EndFacts `json:"ends,omitempty"`
	// UnlabelledEnd: the token that fills sequences up ends them, too; nil where that is not so.
	UnlabelledEnd *UnlabelledEndFacts `json:"unlabelled_end,omitempty"`
	// Filler is what fills sequences of labels up and counts; nil without it.
	Filler *FillerFacts `json:"filler,omitempty"`
	// Swapped: a loss module was given the label as its first argument.
	Swapped     bool          `json:"swapped,omitempty"`
	Predictions *TensorFacts  `json:"predictions"`
	Others      []*LabelFacts `json:"others,omitempty"`
}

// FeatureLabels are numbers about labels of which each sample has several,
// place by place: who knows only those places has this as a loss.
type FeatureLabels struct {
	Places   int64   `json:"places"`   // values of one sample
	Samples  int64   `json:"samples"`  // that were looked at
	Variance float64 `json:"variance"` // of a place over the samples, the mean of all places
	// Means of the places, where all labels are 0 to 1 and there are 100 at the most.
	Means []float64 `json:"means,omitempty"`
	// Entropy, in nats, of the mean of a place, the mean of all places, and Floor
	// that of single labels: the cross-entropy of who knows the means, and the
	// least there is. nil unless all labels are 0 to 1, or numbers of a few classes.
	Entropy *float64 `json:"entropy,omitempty"`
	Floor   *float64 `json:"floor,omitempty"`
}

// AheadFacts tell of a model that is to foretell the next place of its input.
type AheadFacts struct {
	Length int64 `json:"length"` // of a sequence
	Input  int64 `json:"input"`  // which of the tensors that the model was called with
	Alone  bool  `json:"alone"`  // it was the only sequence
	// Places is how far on they are: 1, or 2 of tokens; 0 in runs that do not say it and have 1.
	Places int64 `json:"places,omitempty"`
}

// BlankFacts are labels of ctc_loss that are its blank, of the sequences without
// what fills them up to one length.
type BlankFacts struct {
	Index  int64 `json:"index"`  // of the blank
	Labels int64 `json:"labels"` // that were looked at
	// Named are those that are the blank and do not stand between two that are the same.
	Named int64 `json:"named"`
	// Pairs are neighbours of which neither is the blank: without any, the script
	// puts one between all labels.
	Pairs int64 `json:"pairs"`
}

// EndFacts are sequences of labels of which each has the one that is left out once
// at the most, right before what fills it up.
type EndFacts struct {
	Token  int64 `json:"token"`  // that is left out
	Filler int64 `json:"filler"` // that fills sequences up, and stands nowhere else
	Rows   int64 `json:"rows"`   // sequences that end with the token
	After  int64 `json:"after"`  // labels that fill them up
}

// UnlabelledEndFacts count sequences of tokens of which a mask hides what fills them up,
// where what it hides is the last token that it lets through, too.
type UnlabelledEndFacts struct {
	Token   int64 `json:"token"`   // that fills sequences up
	Rows    int64 `json:"rows"`    // sequences that are filled up
	Ended   int64 `json:"ended"`   // those of them whose last token that is let through is the same
	Labels  int64 `json:"labels"`  // that count
	Counted int64 `json:"counted"` // those of them that are the token
}

// FillerFacts tell of the one token that fills sequences up to one length, at the
// end of them or in front, and stands nowhere else.
type FillerFacts struct {
	Token    int64  `json:"token"`
	Length   int64  `json:"length"`   // of the longest sequences
	Share    Number `json:"share"`    // of the places that it fills, 0 to 1
	Elements int64  `json:"elements"` // places, without those that a loss leaves out
	Front    bool   `json:"front,omitempty"`
}

// PredictionFacts are what the loss got as predictions.
type PredictionFacts struct {
	At int64 `json:"at,omitempty"` // of the section; addends have none
	TensorFacts
	// Axis holds the classes: 1 for a loss with class numbers as labels, the
	// last one otherwise.
	Axis int `json:"axis"`
	// Classes is the length of that axis, 1 without one.
	Classes int64 `json:"classes"`
	// RowsSumToOne: along the axis (two entries or more) the values are
	// probabilities; LogRows: their exponentials are.
	RowsSumToOne bool `json:"rows_sum_to_one"`
	LogRows      bool `json:"log_rows"`
	// OneClass: two steps at least were looked at, two samples at least in
	// each, and the largest entry of every sample is in one and the same place.
	OneClass bool  `json:"one_class"`
	Steps    int64 `json:"steps"` // that were looked at; the values are the first one's
	// Spread is the most that the entries of one sample lie apart along the axis,
	// at any of these steps, those that are masked left out; 0 when not known.
	Spread Number `json:"spread,omitempty"`
	// LabelShape is the shape of the labels that came with them. Where a loss
	// compares element by element, a different one means that it broadcasts.
	LabelShape []int64 `json:"label_shape"`
	// Way are the operations that made the predictions, down to the first that
	// uses a parameter, by names as in GraphFacts.Head. It is missing where they
	// were not the same at all steps, or cannot be told.
	Way []string `json:"way,omitempty"`
}

// Kinds of modules. A module of a kind of its own is "other", one that holds
// modules "container".
const (
	LinearModule    = "linear"
	ConvModule      = "convolution"
	EmbeddingModule = "embedding"
	RecurrentModule = "recurrent"
	AttentionModule = "attention"
	ActivationKind  = "activation"
	NormModule      = "normalisation"
	DropoutModule   = "dropout"
	PoolingModule   = "pooling"
)

// InputFacts are what the model was called with.
type InputFacts struct {
	At      int64         `json:"at"`
	Tensors []TensorFacts `json:"tensors"` // of the first call that was looked at
	// Features is about the first floating tensor with two axes or more, over
	// the steps that were looked at: axis 1 holds features (channels), all
	// others samples.
	Features *FeatureFacts `json:"features,omitempty"`
	// Steps whose inputs were looked at, Distinct how many of them differed
	// from all before.
	Steps    int64 `json:"steps"`
	Distinct int64 `json:"distinct"`
	// Renewed are the steps whose first tensor was neither the one of the step
	// before nor a view of it. PartOfMore: the inputs never differed, and a
	// loader that gives batches of that size has more data.
	Renewed    int64 `json:"renewed,omitempty"`
	PartOfMore bool  `json:"part_of_more,omitempty"`
	// Interleaved: the first tensor of images has three or four channels, and at
	// all of the first steps neighbours of one channel lay as far apart in it as
	// there are channels, as in images that hold their channels last.
	Interleaved bool `json:"interleaved,omitempty"`
	// Filler is what fills the first sequences of tokens up; nil without it.
	Filler *FillerFacts `json:"filler,omitempty"`
}

// FeatureFacts compare the features of the input with each other.
type FeatureFacts struct {
	Features int64  `json:"features"`
	StdMin   Number `json:"std_min"` // least and largest deviation of a feature
	StdMax   Number `json:"std_max"`
	MeanMin  Number `json:"mean_min"`
	MeanMax  Number `json:"mean_max"`
	Constant int64  `json:"constant"` // features that never varied
	// Faint are features that vary, by less than a thousandth of the largest deviation.
	Faint int64 `json:"faint,omitempty"`
}
