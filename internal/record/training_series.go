package record

import "strings"

// Series that every training has. Their names begin with a word of ours, so that
// numbers that a script logs under the plain names stay apart from them. The rate
// of a further optimiser is called LearningRate/1, that of a further group of
// parameters LearningRate/group1.
const (
	LearningRate = "training/learning_rate" // what an update was made with
	GradientNorm = "training/gradient_norm" // of all gradients together, as the optimiser was about to use them
	UpdateSize   = "training/update_size"   // mean |change| of the weights by the update before, over their mean size
)

const trainingSeries = "training/"

// TrainingSeries is the series of a training that a plain name means:
// "learning_rate" is LearningRate.
func TrainingSeries(name string) string { return trainingSeries + name }

// TrainingName is the plain name of a series of a training.
func TrainingName(series string) string { return strings.TrimPrefix(series, trainingSeries) }
