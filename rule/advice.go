package rule

import "github.com/vigil-ml/vigil/internal/record"

// Advice is a direction in which a remedy moves a training. Of two findings
// that ask for opposite things only the one with more evidence is shown as
// advice.
type Advice = record.Advice

// What remedies ask for.
const (
	TrainLonger       = record.TrainLonger
	StopEarly         = record.StopEarly
	RaiseLearningRate = record.RaiseLearningRate
	LowerLearningRate = record.LowerLearningRate
	RegulariseMore    = record.RegulariseMore
	RegulariseLess    = record.RegulariseLess
	ClipMore          = record.ClipMore
	ClipLess          = record.ClipLess
	LargerModel       = record.LargerModel
	SmallerModel      = record.SmallerModel
)
