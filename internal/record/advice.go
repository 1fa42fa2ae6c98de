package record

// Advice is a direction in which a remedy moves a training: what it asks for,
// for a program to compare. Remedies that move nothing in such a direction ask
// for none.
type Advice string

// What remedies ask for.
const (
	TrainLonger       Advice = "train-longer"
	StopEarly         Advice = "stop-early"
	RaiseLearningRate Advice = "raise-learning-rate"
	LowerLearningRate Advice = "lower-learning-rate"
	RegulariseMore    Advice = "regularise-more"
	RegulariseLess    Advice = "regularise-less"
	ClipMore          Advice = "clip-more"
	ClipLess          Advice = "clip-less"
	LargerModel       Advice = "larger-model"
	SmallerModel      Advice = "smaller-model"
)
