package plan

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
)

// Names of the collections that exist without being defined.
const (
	Default   = "default" // what the script or the user names by pattern
	All       = "all"     // every tensor but the optimisers' state, and what Vigil knows of every training
	Weights   = "weights" // parameters that are not biases
	Biases    = "biases"
	Gradients = "gradients" // of weights and biases
	Losses    = "losses"
	Inputs    = "inputs"  // of the root module
	Outputs   = "outputs" // of the root module
	// What the losses were given.
	Labels      = "labels"
	Predictions = "predictions"
	// What optimisers keep of parameters.
	OptimizerVariables = "optimizer_variables"

	Layers = "layers" // inputs and outputs of every other module
	// What the hook for XGBoost saves besides, under names that begin like this.
	Metrics           = "metrics" // called DATA-METRIC: train-rmse
	Hyperparameters   = "hyperparameters"
	FeatureImportance = "feature_importance"
	Trees             = "trees"
	AverageShap       = "average_shap"
	FullShap          = "full_shap"
)

// XGBoost is the framework whose models are trees.
const XGBoost = "xgboost"

// builtin is a collection that exists without being defined. Membership goes
// by what the hook knows of a tensor; the pattern, which is the one smdebug
// uses, decides only where the hook knows nothing: for tensors that the script
// saved under a name of its own.
type builtin struct {
	name    string
	kinds   []record.Kind
	pattern string
	types   []string // with side: class names of modules
	side    record.Kind
	root    bool // with side: of the root module
	layers  bool // of all modules but the root
	def     *Request
	only    string // the framework that def is for; empty: all
	plain   bool   // the pattern decides for every tensor
}

// Patterns of activations hold for inputs and outputs too: a module whose
// attribute is called relu is one, whatever its class.
var builtins = []builtin{
	{name: Default},
	{name: All},
	{
		name: Losses, kinds: []record.Kind{record.Loss}, pattern: `[Ll]oss_(?!input).*output`,
		def: &Request{Schedule: Every(1), Want: Stats},
	},
	{
		name: Weights, kinds: []record.Kind{record.Weight}, pattern: `^(?!gradient).*weight`,
		def: &Request{Schedule: Every(Auto, record.Train, record.Global), Want: Stats | Hist},
	},
	{
		name: Biases, kinds: []record.Kind{record.Bias}, pattern: `^(?!gradient).*bias`,
		def: &Request{Schedule: Every(Auto, record.Train, record.Global), Want: Stats | Hist},
	},
	{
		name: Gradients, kinds: []record.Kind{record.Gradient}, pattern: `^gradient`,
		def: &Request{Schedule: Every(Auto, record.Train, record.Global), Want: Stats | Hist},
	},
	{name: Inputs, side: record.Input, root: true},
	{name: Outputs, side: record.Output, root: true},
	{name: Labels, kinds: []record.Kind{record.Label}, pattern: `^labels$`},
	{name: Predictions, kinds: []record.Kind{record.Prediction}, pattern: `^predictions$`},
	{name: OptimizerVariables, kinds: []record.Kind{record.State}},
	{name: Layers, layers: true},
	{name: "relu_output", pattern: `.*relu_output`, types: []string{"ReLU", "ReLU6"}, side: record.Output},
	{name: "relu_input", pattern: `.*relu_input`, types: []string{"ReLU", "ReLU6"}, side: record.Input},
	{name: "tanh_output", pattern: `.*tanh_output`, types: []string{"Tanh"}, side: record.Output},
	{name: "tanh_input", pattern: `.*tanh_input`, types: []string{"Tanh"}, side: record.Input},
	{name: "sigmoid_output", pattern: `.*sigmoid_output`, types: []string{"Sigmoid"}, side: record.Output},
	{name: "sigmoid_input", pattern: `.*sigmoid_input`, types: []string{"Sigmoid"}, side: record.Input},
	{name: "input_image", pattern: `.*hybridsequential0_input_0`, side: record.Input, root: true},
	{name: "input_sequence", pattern: `.*embedding0_input_0`, types: []string{"Embedding"}, side: record.Input},
	{name: Metrics, pattern: `^[^-/\s]+-[^/\s]+$`, plain: true},
	{name: Hyperparameters, pattern: `^hyperparameters/`, plain: true},
	{
		name: FeatureImportance, pattern: `^feature_importance/`, plain: true, only: XGBoost,
		def: &Request{Schedule: Every(Auto, record.Train, record.Global), Want: Stats},
	},
	{name: Trees, pattern: `^trees/`, plain: true},
	{name: AverageShap, pattern: `^average_shap/`, plain: true},
	{name: FullShap, pattern: `^full_shap/`, plain: true},
}

// Names are the names of the built-in collections, in the order they are
// shown.
func Names() []string {
	var out []string
	for _, b := range builtins {
		out = append(out, b.name)
	}
	return out
}

// known are the kinds by which the hook says what a tensor is.
var known = []record.Kind{record.Weight, record.Bias, record.Gradient, record.Loss, record.Input, record.Output, record.Metric, record.Label, record.Prediction, record.State, record.Training}

type builtinMatcher struct {
	builtin
	re *pyre.Regexp // nil: no pattern
}

func newBuiltin(b builtin) *builtinMatcher {
	m := &builtinMatcher{builtin: b}
	if b.pattern != "" {
		m.re = pyre.MustCompile(b.pattern)
	}
	return m
}

func (b *builtinMatcher) found(name string) bool {
	if b.re == nil {
		return false
	}
	ok, _ := b.re.Search(name) // the limit cannot be reached by these patterns
	return ok
}

func (b *builtinMatcher) isKind(k record.Kind) bool { return slices.Contains(b.kinds, k) }

func (b *builtinMatcher) has(t *record.TensorInfo) bool {
	root := t.Module == ""
	switch {
	case b.name == All && t.Kind != record.State && t.Kind != record.Training, slices.Contains(b.kinds, t.Kind):
		return true
	case b.root && side(t.Kind) == b.side && root, b.layers && (side(t.Kind) == record.Input || t.Kind == record.Output) && !root:
		return true
	case b.side != "" && side(t.Kind) == b.side:
		return slices.Contains(b.types, t.ModuleType) || b.found(t.Name)
	case b.name == Losses && t.Kind == record.Output:
		// The output of a loss that is part of the model; a layer that is
		// called so gives more than one number.
		return single(t.Shape) && b.found(t.Name)
	case !b.plain && (slices.Contains(known, t.Kind) || ofBoosting(t.Name)):
		return false
	}
	return b.found(t.Name)
}

// ofBoosting tells names whose end is that of a feature and says nothing of the
// tensor: full_shap/weight.
func ofBoosting(name string) bool {
	head, _, ok := strings.Cut(name, "/")
	return ok && slices.Contains([]string{Hyperparameters, FeatureImportance, Trees, AverageShap, FullShap}, head)
}

func single(shape []int64) bool {
	for _, d := range shape {
		if d != 1 {
			return false
		}
	}
	return true
}

// sides says whether a module's inputs and outputs belong.
func (b *builtinMatcher) sides(m *module) (input, output bool) {
	if b.name == All || b.layers && m.path != "" {
		return true, true
	}
	if b.side == "" {
		return false, false
	}
	yes := b.root && m.path == "" || slices.Contains(b.types, m.typ) || m.matches(b.side, b.found)
	return yes && b.side == record.Input, yes && b.side == record.Output
}
