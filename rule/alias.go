package rule

import (
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// The shapes of captured data, under the names by which rules know them.
type (
	// Mode is the phase of training a step belongs to.
	Mode = record.Mode
	// Kind says what a tensor is to the training.
	Kind = record.Kind
	// Severity of a finding.
	Severity = record.Severity
	// TensorInfo is what is known of a tensor besides its values.
	TensorInfo = record.TensorInfo
	// Derived is a number computed at capture because a rule asked.
	Derived = record.Derived
	// Stats are the numbers computed from one tensor in one pass.
	Stats = tensor.Stats
	// Number is a float64 that JSON can spell even when it is not finite;
	// for states.
	Number = record.Number
	// Values are a tensor's bytes.
	Values = tensor.View

	// Scalar is a number with a name.
	Scalar = record.Scalar

	// Window is a closed span of a job's time; Sample, StepTime and Event are in it.
	Window = record.Window
	// Sample is what the metrics of a machine were at one instant.
	Sample = record.Sample
	// StepTime is where the time of a step went.
	StepTime = record.StepTime
	// Event is something in a job that has a beginning and a length.
	Event = record.Event
	// StepPart is one of the parts that a step's time is divided into.
	StepPart = record.StepPart
	// StackDetail says where a process was while its stacks were sampled,
	// StackShare is one of the stacks, Frame a call on it.
	StackDetail = record.StackDetail
	// EarlierRuns is how long a step took in earlier runs of the script.
	EarlierRuns = record.EarlierRuns
	StackShare  = record.StackShare
	Frame       = record.Frame

	// Where is a place in a script.
	Where = record.Where

	// Need is what one configuration of a rule asks of capture.
	Need = plan.Need
	// Want says what is kept of a due tensor.
	Want = plan.Want
	// Selector names tensors.
	Selector = plan.Selector
	// Schedule says which steps of each mode are due.
	Schedule = plan.Schedule
	// ModeSchedule says which steps of one mode are due.
	ModeSchedule = plan.ModeSchedule
	// Pair asks for statistics against an earlier value of the same tensor.
	Pair = plan.Pair
	// PairOptions and PairStats are of Compare.
	PairOptions = tensor.PairOptions
	// PairStats compare two values of a tensor.
	PairStats = tensor.PairStats
	// Units asks for per-unit activity of an activation tensor.
	Units = plan.Units
	// Reading asks for numbers that tell what a tensor's values mean; it is
	// one of Classes, Tokens and Images.
	Reading = plan.Reading
	// Classes asks for how often each class is labelled, and predicted.
	Classes = plan.Classes
	// Tokens asks for how often values occur among token ids.
	Tokens = plan.Tokens
	// Images asks for mean and deviation per channel.
	Images = plan.Images
)

// Parts of a step, and how many there are.
const (
	WaitForData    = record.WaitForData
	CopyToDevice   = record.CopyToDevice
	Forward        = record.Forward
	Backward       = record.Backward
	WaitForRanks   = record.WaitForRanks
	Optimizer      = record.Optimizer
	SaveCheckpoint = record.SaveCheckpoint
	OtherPart      = record.Other
	StepParts      = record.StepParts
)

// Kinds of events.
const (
	PhaseEvent       = record.PhaseEvent
	EvaluationEvent  = record.EvaluationEvent
	CheckpointEvent  = record.CheckpointEvent
	LoaderEvent      = record.LoaderEvent
	CompilerEvent    = record.CompilerEvent
	DetailEvent      = record.DetailEvent
	EarlierRunsEvent = record.EarlierRunsEvent
)

// StartUpPhase is the Name of the PhaseEvent that ends with the first step.
const StartUpPhase = record.StartUpPhase

// Modes.
const (
	Train   = record.Train
	Eval    = record.Eval
	Predict = record.Predict
	Global  = record.Global
)

// Severities, most serious first.
const (
	Error   = record.Error
	Warning = record.Warning
	Info    = record.Info
)

// Kinds of tensors.
const (
	Weight   = record.Weight
	Bias     = record.Bias
	Gradient = record.Gradient
	Loss     = record.Loss
	Input    = record.Input
	Output   = record.Output
	Metric   = record.Metric
	Custom   = record.Custom
	// What a loss was given.
	Label      = record.Label
	Prediction = record.Prediction
	State      = record.State
)

// What is wanted of a due tensor.
const (
	WantStats = plan.Stats
	WantHist  = plan.Hist
	WantRaw   = plan.Raw
	// Computed at capture from values that are not kept; read by Item.Number
	// under MedianKey, ProdKey and the keys next to them.
	WantMedian = plan.Median
	WantProd   = plan.Prod
)

// Auto as an interval leaves it to the overhead budget.
const Auto = plan.Auto

// Quantities of a Pair and of Units, appended to the key with a dot.
const (
	PairMeanAbsDiff = plan.PairMeanAbsDiff
	PairMaxAbsDiff  = plan.PairMaxAbsDiff
	PairMeanAbsFrom = plan.PairMeanAbsFrom
	PairNotClose    = plan.PairNotClose
	PairShapeChange = plan.PairShapeChange
	UnitsTotal      = plan.UnitsTotal
	UnitsInactive   = plan.UnitsInactive
	UnitsSamples    = plan.UnitsSamples
	UnitsNegative   = plan.UnitsNegative
	UnitsLow        = plan.UnitsLow
	UnitsHigh       = plan.UnitsHigh

	UnitsLeast       = plan.UnitsLeast
	UnitsLeastActive = plan.UnitsLeastActive
	UnitsLeastKept   = plan.UnitsLeastKept
	FirstNaN         = plan.FirstNaN
	FirstPosInf      = plan.FirstPosInf
	FirstNegInf      = plan.FirstNegInf
)

// StringCount is the number of strings of a tensor of strings, for Item.Number.
const StringCount = record.StringCount

// What WantMedian and WantProd bring, for Item.Number: MedianErrorKey only where
// the median is approximate, ProdKey where float64 holds the product.
const (
	MedianKey      = plan.MedianKey
	MedianErrorKey = plan.MedianErrorKey
	ProdKey        = plan.ProdKey
	ProdSignKey    = plan.ProdSignKey
	ProdLogKey     = plan.ProdLogKey
)

// QuantileKey names a quantile that a need asked for, for Item.Number.
func QuantileKey(q float64) string { return plan.QuantileKey(q) }

// Compare compares two values of a tensor; those with PairOptions.Close count
// what is not close, with the tolerance relative to b.
func Compare(a, b Values, o PairOptions) PairStats { return tensor.ComputePair(b, a, o) }

// At is element i of a tensor's values in row-major order.
func At(v Values, i int64) float64 { return tensor.ToFloat64(v, i) }

// Quantities of Classes, Tokens and Images, appended to the key with a dot;
// those that end with a bracket go on with one number or two, and "]".
const (
	ClassLabel          = plan.ClassLabel
	ClassWrong          = plan.ClassWrong
	ClassCell           = plan.ClassCell
	ClassNotLabels      = plan.ClassNotLabels
	ClassNotPredictions = plan.ClassNotPredictions
	ClassLengths        = plan.ClassLengths
	ClassTooMany        = plan.ClassTooMany
	TokenCount          = plan.TokenCount
	TokenSize           = plan.TokenSize
	TokenRows           = plan.TokenRows
	TokenNotIDs         = plan.TokenNotIDs
	ImageCount          = plan.ImageCount
	ImageChannels       = plan.ImageChannels
	ImageValues         = plan.ImageValues
	ImageMean           = plan.ImageMean
	ImageM2             = plan.ImageM2
	ImageRank           = plan.ImageRank
)

// TrainOnly is a schedule with one interval in TRAIN and GLOBAL steps, where
// weights and gradients are.
func TrainOnly(every int64) Schedule {
	var s Schedule
	s[Train].Every, s[Global].Every = every, every
	s[Eval].Off, s[Predict].Off = true, true
	return s
}

// AllModes is a schedule with the same interval in every mode.
func AllModes(every int64) Schedule {
	var s Schedule
	for m := range s {
		s[m].Every = every
	}
	return s
}

// Everything selects whatever was saved.
func Everything() Selector { return Selector{Regex: []string{".*"}} }

// Library reports whether a file is not the user's own, but of Python or a package.
func Library(file string) bool { return record.Library(file) }
