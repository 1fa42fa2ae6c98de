package record

// NetworkFacts are the modules of the first model in the order in which one
// forward called them.
type NetworkFacts struct {
	At      int64         `json:"at"`
	Modules []ModuleFacts `json:"modules"`
	More    int64         `json:"more,omitempty"` // modules that did not fit into the record
	// Uncalled are the modules that this forward did not call, in the order in which
	// they are registered: lists of modules, parts that others compute with, and what is
	// never used.
	Uncalled []UncalledFact `json:"uncalled,omitempty"`
}

// UncalledFact is a module that was not called.
type UncalledFact struct {
	Path string `json:"path"`
	Type string `json:"type"` // class
}

// ModuleFacts are one module. Only those without children, and attention and
// recurrent ones as a whole, have values.
type ModuleFacts struct {
	Path string `json:"path"`
	Type string `json:"type"` // class: Linear, BatchNorm2d
	Kind string `json:"kind"`
	// Calls in one forward; Order of the first of them.
	Calls    int64 `json:"calls"`
	Order    int64 `json:"order"`
	Training bool  `json:"training"`
	// Recorded are its calls in that forward with gradients turned on, InGraph
	// the operations in the graph that use its weights: fewer, when the loss does
	// not depend on all calls. Only of modules that were called four times or more,
	// and of those with States.
	Recorded int64 `json:"recorded,omitempty"`
	InGraph  int64 `json:"in_graph,omitempty"`
	// States are the calls, from the forward to the first backward of the step, in which a
	// recurrent module took a single step from the state that it had returned before; StatesCut
	// those in which gradients could not go back through that state (64 at most),
	// StatesCutInGraph those of them on whose result the loss depends.
	States           int64 `json:"states,omitempty"`
	StatesCut        int64 `json:"states_cut,omitempty"`
	StatesCutInGraph int64 `json:"states_cut_in_graph,omitempty"`
	// AfterPadding: of a recurrent module the loss takes only the state after the
	// last place, which is padding in nearly all samples; nil otherwise.
	AfterPadding *AfterPaddingFacts `json:"after_padding,omitempty"`
	// Settings are what its constructor was given, as far as rules ask: p,
	// dim, inplace, negative_slope, bias, momentum, eps, track_running_stats,
	// in_features, out_features, kernel_size, groups, num_layers.
	Settings map[string]any `json:"settings,omitempty"`
	Input    *TensorFacts   `json:"input,omitempty"`
	Output   *TensorFacts   `json:"output,omitempty"`
}

// AfterPaddingFacts are about a state that is taken after padding.
type AfterPaddingFacts struct {
	Length  int64  `json:"length"`  // of the sequences, padding included
	Padding int64  `json:"padding"` // places of it, the median of the samples
	Token   *int64 `json:"token"`   // that pads; null of features
	// Left is how far the states of the samples lie apart after the padding, as a
	// share of how far they lay apart at the end of each sequence.
	Left Number `json:"left"`
}

// GraphFacts are the operations between the loss and the parameters, by
// neutral names: cross_entropy, log_softmax, softmax, sigmoid, tanh, relu,
// linear, convolution, matmul, dropout, batch_norm, mean, sum, log, add, mul and others.
type GraphFacts struct {
	At       int64 `json:"at"`
	Nodes    int64 `json:"nodes"`
	Complete bool  `json:"complete"` // all of it was walked
	// Head is the way from the loss down to the first operation that uses a
	// parameter, that operation included: ["cross_entropy", "softmax",
	// "linear"]. Where a node has several inputs it follows the one that the
	// loss takes as prediction, otherwise the first that needs gradients.
	Head []string `json:"head"`
	// Weighted counts the operations that use a weight, NonLinear those
	// between them that are no affine function of what the model computed:
	// activations, normalisation by the batch, pooling by maximum, products of
	// two computed tensors, recurrent cells, attention.
	Weighted  int64 `json:"weighted"`
	NonLinear int64 `json:"non_linear"`
	// Unreached are trained parameters that the loss does not depend on.
	Reached   int64    `json:"reached"`
	Unreached []string `json:"unreached,omitempty"` // at most 50
	// Dropout is the largest share that a dropout among the operations drops,
	// be it a module or not; 0 without one.
	Dropout float64 `json:"dropout,omitempty"`
	// Penalty is what the script adds to the loss of the parameters themselves;
	// nil without it.
	Penalty *PenaltyFacts `json:"penalty,omitempty"`
	// AcrossSamples: nll_loss gets log_softmax over the samples of a batch, or
	// ctc_loss one over samples or time steps.
	AcrossSamples bool `json:"across_samples,omitempty"`
	// NormedAcross: outputs are divided by their norm over the samples of a batch.
	NormedAcross bool `json:"normed_across,omitempty"`
	// Cosines: cross_entropy gets cosines of what the model makes of a sample and of
	// one vector for each class, as they are.
	Cosines bool `json:"cosines,omitempty"`
	// Agreement: the loss is made of cosines between outputs of one network, each of which
	// trains both sides, and of nothing else.
	Agreement bool `json:"agreement,omitempty"`
	// Copies: the labels of nll_loss are the tokens that the network begins with, each
	// at its own place, and nothing on the way moves places.
	Copies bool `json:"copies,omitempty"`
	// Likelihood tells of a loss that is made of logarithms of probabilities, some of
	// which it makes smaller; nil otherwise.
	Likelihood *LikelihoodFacts `json:"likelihood,omitempty"`
	// Density tells of a loss that is minus the logarithm of a normal, or Laplace, density
	// of the labels, and of nothing else; nil otherwise.
	Density *DensityFacts `json:"density,omitempty"`
	// SoftmaxOfOne counts the softmaxes over an axis of length one among the
	// operations: what they give is 1 whatever they get.
	SoftmaxOfOne int64 `json:"softmax_of_one,omitempty"`
	// ZeroFactors counts the products of the first loss with a constant that is zero
	// throughout: no gradient comes through them.
	ZeroFactors int64 `json:"zero_factors,omitempty"`
	// Stretched is a difference, product or quotient between the loss and a layer with something
	// that is no result of the model, which made a square of a column or a row;
	// nil without one.
	Stretched *StretchedFact `json:"stretched,omitempty"`
	// Flat is what is behind operations without a slope only; nil without
	// such.
	Flat *FlatFacts `json:"flat,omitempty"`
	// Wasted tells of operations that backward goes through although nothing that is
	// trained lies behind them; nil where there are none.
	Wasted *WastedFacts `json:"wasted,omitempty"`
	// Terms are what the loss is the sum of, where it is the errors of one
	// prediction and something else; nil otherwise.
	Terms *TermFacts `json:"terms,omitempty"`
	// Addends are the losses that the loss is the sum of, in the order of the graph;
	// nil where it is one alone, or they were not the same at all steps.
	Addends []AddendFacts `json:"addends,omitempty"`
	// Attention is what the places of a sequence see of each other in attention
	// to themselves, by the length of the sequence.
	Attention []AttentionFacts `json:"attention,omitempty"`
	// OverQueries counts attention maps of a sequence to itself whose softmax goes over
	// another axis than the one that is summed over when values are weighted.
	OverQueries int64 `json:"over_queries,omitempty"`
	// PaddingSeen tells of attention that sees the padding of each sample and
	// nothing else: its mask is the wrong way round. Nil otherwise.
	PaddingSeen *PaddingSeenFacts `json:"padding_seen,omitempty"`
	// Lost counts the losses that are a sum with a constant term, where gradients
	// that no gradient goes through were taken before, not for parameters.
	Lost int64 `json:"lost,omitempty"`
	// SecondZero tells of second derivatives of the network's output by its input
	// that are zero everywhere, as those of ReLU are; nil where none was taken.
	SecondZero *SecondFacts `json:"second_zero,omitempty"`
	// Renamed is a change of shape, before a layer or between layers, that names
	// axes again where they should have been exchanged; nil without one.
	Renamed *RenamedFact `json:"renamed,omitempty"`
	// Overlap is the operation whose results a Dice loss, or one of its kin, takes
	// for probabilities; "" where the loss is none.
	Overlap string `json:"overlap,omitempty"`
	// OverlapGrows: such a loss grows with the overlap, which is that with the labels.
	OverlapGrows bool `json:"overlap_grows,omitempty"`
	// Policy is how a loss holds logarithms of the probabilities of what was
	// chosen, times what that was worth; nil where it does not.
	Policy *PolicyFacts `json:"policy,omitempty"`
	// Prior is the divergence from a standard normal distribution that is added to
	// a loss, as a variational autoencoder's; nil without one.
	Prior *PriorFacts `json:"prior,omitempty"`
	// Rootless: backward was called on a tensor that is the result of no
	// operation that gradients go through, and on nothing else.
	Rootless bool `json:"rootless,omitempty"`
	// Several losses, or several backwards, make one step: what one graph does
	// not reach another may. Micro-batches of one loss count once.
	Parts int64 `json:"parts"`
}

// PenaltyFacts are squares, magnitudes or norms of parameters that a script adds
// to its loss.
type PenaltyFacts struct {
	Kind   string `json:"kind"`   // l2: sum of squares; l1: sum of magnitudes; norm: Euclidean norm
	Factor Number `json:"factor"` // that it is multiplied with, the median of those of all terms
	// Pull is the norm of its gradient, at the step that was looked at.
	Pull    Number `json:"pull"`
	Tensors int64  `json:"tensors"` // parameters that are in it
}

// AddendFacts are one loss of a sum, and what it got.
type AddendFacts struct {
	Function  string `json:"function"`  // cross_entropy, mse_loss, …
	Reduction string `json:"reduction"` // mean, sum or none; "" when it cannot be told
	// Masked: what it gives is multiplied place by place, so not all labels need count.
	Masked      bool             `json:"masked,omitempty"`
	Labels      *LabelFacts      `json:"labels"`
	Predictions *PredictionFacts `json:"predictions"`
}

// TermFacts take a loss apart into errors and the rest.
type TermFacts struct {
	Function string  `json:"function"` // of the errors: mse_loss, binary_cross_entropy, …
	Places   int64   `json:"places"`   // values that are compared, of the whole batch
	Weight   float64 `json:"weight"`   // of the mean error in the loss
	// Labels is what the errors compare with, where they are written out and
	// LabelFacts does not tell; nil otherwise.
	Labels *FeatureLabels `json:"labels,omitempty"`
	Others string         `json:"others"`           // divergence, as of a variational autoencoder; magnitudes of units; other
	Factor float64        `json:"factor,omitempty"` // the largest factor of the other terms; 0 where it was not noted
}

// PolicyFacts are about a policy gradient.
type PolicyFacts struct {
	Terms int64 `json:"terms"` // logarithms, or sums of them, that are multiplied with what was chosen is worth
	// Twice: the logarithms were made of what softmax gave, as if that were scores.
	Twice bool `json:"twice,omitempty"`
}

// PriorFacts are about a divergence from a standard normal distribution.
type PriorFacts struct {
	Sign int64 `json:"sign"` // in the loss: 1 where it becomes smaller, -1 where it becomes larger
	// Apart: it depends on parameters, all other terms on others.
	Apart bool `json:"apart,omitempty"`
}

// AttentionFacts are the attention maps of one length.
type AttentionFacts struct {
	Length int64 `json:"length"`
	Maps   int64 `json:"maps"`
	Causal int64 `json:"causal"` // of these: no place sees a later one
}

// PaddingSeenFacts are about a padding mask that is the wrong way round.
type PaddingSeenFacts struct {
	Token  int64 `json:"token"`  // that pads; 0 of features that are all zero
	Seen   int64 `json:"seen"`   // places of the batch that hold it
	Hidden int64 `json:"hidden"` // the others
}

// SecondFacts are about second derivatives that are zero everywhere.
type SecondFacts struct {
	Units []string `json:"units"` // relu, leaky_relu, hardtanh, …
	Taken int64    `json:"taken"` // in the first steps
}

// RenamedFact is a view, or a reshape, that gives two axes each other's lengths
// and leaves the values where they are.
type RenamedFact struct {
	From []int64 `json:"from"`
	To   []int64 `json:"to"`
	// What comes after it: the path of a layer that got the model's input so, or
	// the name of an operation, "" where that is not known.
	At string `json:"at"`
	// Samples: the axis of the samples is one of the two.
	Samples bool `json:"samples"`
}

// FlatFacts are trained parameters to which no way leads from the loss but
// through an operation whose gradient is zero everywhere.
type FlatFacts struct {
	Operations []string `json:"operations"` // as people call them: round, sign
	Parameters []string `json:"parameters"` // at most 50
}

// WastedFacts count operations of the graph, those that only bring a parameter into shape
// left out. A parameter is trained when an optimiser has it with a learning rate that is
// not 0 or that a scheduler changes. A hook on a module, and a gradient that is asked for of
// what is no parameter, need what lies before them.
type WastedFacts struct {
	Operations int64 `json:"operations"` // behind which nothing is trained
	Of         int64 `json:"of"`
}

// StretchedFact is an operation that stretched what it was given.
type StretchedFact struct {
	At   int     `json:"at"` // in the head, or in Way
	From []int64 `json:"from"`
	To   []int64 `json:"to"`
	// Way is that from the loss down to a layer, as the head's; empty where the
	// operation is in the head.
	Way []string `json:"way,omitempty"`
}

// LikelihoodFacts count the logarithms of probabilities that a loss is made of,
// by which way it moves them. One: all are of the same output, or of what is left to 1.
type LikelihoodFacts struct {
	Larger  int64 `json:"larger"`
	Smaller int64 `json:"smaller"`
	One     bool  `json:"one"`
}

// DensityFacts tell of a likelihood with a mean, and mostly a scale, that the network gives.
type DensityFacts struct {
	Kind   string `json:"kind"`   // normal, laplace
	Larger bool   `json:"larger"` // its sign is turned: the loss wants the errors larger
	// Way are the operations from the errors down to the first with a parameter, as of a head.
	Way []string `json:"way"`
	// Held: a scale at which errors do not count costs something, as it is to be; nil of a
	// constant scale.
	Held *bool `json:"held,omitempty"`
}
