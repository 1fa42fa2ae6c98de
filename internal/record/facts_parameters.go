package record

// ParameterFacts are the parameters of all models, in the order in which they
// are registered.
type ParameterFacts struct {
	At   int64           `json:"at"`
	List []ParameterFact `json:"list"`
	More int64           `json:"more,omitempty"`
	// Outside are parameters that the loss depends on and that belong to no
	// model an optimiser trains; no optimiser holds them. At most 200. Their
	// Module begins with the class of the outermost module that owns them. Their
	// gradients and changes are not looked at: Gradient is empty, Changed false.
	Outside []ParameterFact `json:"outside,omitempty"`
	// Anew are weights that a forward made itself, at both of two steps that
	// were looked at: they compute with what the models gave, belong to no
	// module, and are gone after backward.
	Anew []AnewFact `json:"anew,omitempty"`
	// Loose are tensors that the loss depends on and that neither a module nor an
	// optimiser has, and that were at the last look as at the first.
	Loose []LooseFact `json:"loose,omitempty"`
	// Averaged are batch normalisations whose running statistics changed between the
	// two looks although the part of the model around them is frozen: none of its
	// parameters asks for gradients, and none has changed. At most 64.
	Averaged []AveragedFact `json:"averaged,omitempty"`
	// Loads are calls of load_state_dict that did not fit entirely, the last of each
	// module that still exists. At most 20.
	Loads []LoadFact `json:"loads,omitempty"`
	// Updates that lie between the first look at the values and the last.
	Updates int64 `json:"updates"`
}

// AveragedFact is a batch normalisation in a frozen part of a model that goes on
// averaging.
type AveragedFact struct {
	Module string `json:"module"` // path
	// Part is the path of the smallest part around it that has other parameters.
	Part    string `json:"part"`
	Began   int64  `json:"began"`   // batches that it had averaged at the first look
	Batches int64  `json:"batches"` // that it averaged between the looks
	// Momentum with which it averages; nil for the mean of all batches.
	Momentum *float64 `json:"momentum,omitempty"`
	Least    Number   `json:"least"` // smallest running variance of a channel at the first look
	// Distance is how far the running mean went, in running standard deviations of
	// the first look, and Ratio the running variance to that of then; the medians
	// over the channels.
	Distance Number `json:"distance"`
	Ratio    Number `json:"ratio"`
}

// LooseFact is a tensor that asks for gradients and stands by itself: a
// parameter of any shape, or at most four numbers that no part of a network
// takes as input.
type LooseFact struct {
	Shape     []int64  `json:"shape"`
	Parameter bool     `json:"parameter"`       // made as a parameter, not as a plain tensor
	Value     *float64 `json:"value,omitempty"` // of a single number
}

// AnewFact is a weight that does not outlive its step.
type AnewFact struct {
	Operation string  `json:"operation"` // that takes it, by a name as in the graph: linear, convolution
	Shape     []int64 `json:"shape"`
}

// Gradients of a parameter over the first updates.
const (
	GradientMissing = "missing" // it never had one
	GradientZero    = "zero"    // it was zero throughout, at every update looked at
	GradientFinite  = "finite"
	GradientOdd     = "non_finite"
)

// ParameterFact is one parameter.
type ParameterFact struct {
	Name    string  `json:"name"`   // as its tensor is called
	Module  string  `json:"module"` // path of the module
	Type    string  `json:"type"`   // class of the module
	Kind    string  `json:"kind"`   // kind of the module
	Shape   []int64 `json:"shape"`
	Bias    bool    `json:"bias"`
	Trained bool    `json:"trained"` // it asks for gradients
	Held    bool    `json:"held"`    // by an optimiser
	// Gradient over the first updates.
	Gradient string `json:"gradient"`
	// Changed: its values differ between the first look and the last.
	Changed bool `json:"changed"`
	// First are its values before the first update that was seen (statistics
	// of all elements), FanIn what one output of it adds up.
	First *ValueFacts `json:"first,omitempty"`
	FanIn int64       `json:"fan_in"`
	// DType of its values; "" in facts that earlier hooks sent.
	DType string `json:"dtype,omitempty"`
	// Loaded: its values were put there by load_state_dict, which changed them, or
	// came with a whole model that torch.load gave.
	Loaded bool `json:"loaded,omitempty"`
	// Uneven is how much more the rows of a weight, or its columns, differ in mean or
	// size than those of values that were drawn one by one: about 1 in what an
	// initialiser drew, whatever the distribution. Nil where it is not known.
	Uneven *Number `json:"uneven,omitempty"`
	// Use is the kind that the operations it is used in show, where its module is of
	// no kind that says it, and FanIn was told by them: linear or convolution, of a weight
	// that meets what is no weight, and whose result is neither scaled nor normalised.
	Use string `json:"use,omitempty"`
	// LR is the rate of its group at the last look, where its optimiser has
	// several groups.
	LR *float64 `json:"lr,omitempty"`
	// Updates that an optimiser which holds it made, where there are several
	// optimisers.
	Updates *int64 `json:"updates,omitempty"`
	// Wasted: its gradient is computed, and neither it nor anything behind the
	// operations that use it is trained, as GraphFacts.Wasted has it.
	Wasted bool `json:"wasted,omitempty"`
	// Rows of an embedding's weight that its gradient was not zero in, the most at one of
	// the first updates; nil where the gradient was sparse, or there was none.
	Rows *int64 `json:"rows,omitempty"`
}
