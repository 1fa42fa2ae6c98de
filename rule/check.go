package rule

import "strings"

// Check is one thing that a rule finds, as data: what "vigil rules describe",
// the documentation and the question "which file made this finding" are
// answered from. The checks of a rule stand in its definition.
type Check struct {
	// ID is the name of the rule and that of the check within it, as in
	// "labels_fit/broadcast". The second is what a violation and a finding
	// call the check.
	ID string
	// When says in one sentence of at most 40 words when the check fires.
	When string
	// Evidence says what the check measures, and its limit, in words with blanks that a
	// finding fills: {observed}, {threshold}, {subject} and the keys of its context. A
	// blank may name how a value is written: {share:%}, {growth:times} for factors,
	// {wait:seconds}, {memory:bytes}, {input:shape}, {labels:range} for least and largest,
	// {graph:back} for a list from its end. {key?text|other} is the first text where the
	// finding has the key, and neither nothing nor 0 there. It begins without a capital
	// and ends without a full stop.
	Evidence string
	// Severity and CauseClass are those of its findings; the lists name what
	// the evidence may make of them instead.
	Severity        Severity
	CauseClass      string
	OtherSeverities []Severity
	OtherCauses     []string // cause classes
	// Scope is the kind of training that the check is made for.
	Scope Scope
	// Status says where its findings count; the zero value is Settled.
	Status Status
	// Files are the source files that judge, the main one first.
	Files []string

	// Cause and Remedy are those of every finding of the check; "" where the
	// judging code gives them.
	Cause, Remedy string
	// Asks is what Remedy asks for.
	Asks []Advice
	// Parameters are those of the rule that the check judges by, where it
	// names them.
	Parameters []Parameter
}

// Status says whether a check's findings are reported wherever its rule runs.
type Status string

// Statuses of checks.
const (
	// Settled checks report wherever their rule runs.
	Settled Status = "default"
	// Experimental checks report only where they are asked for.
	Experimental Status = "experimental"
)

// Scope is a kind of training.
type Scope string

// The kinds of training that checks are made for; ScopeGeneral is any.
const (
	ScopeGeneral        Scope = "general"
	ScopeClassification Scope = "classification"
	ScopeRegression     Scope = "regression"
	ScopeAutoencoder    Scope = "autoencoder" // also variational ones
	ScopeContrastive    Scope = "contrastive"
	ScopeDensity        Scope = "density" // likelihoods with a learnt scale
	ScopeGAN            Scope = "gan"
	ScopePolicyGradient Scope = "policy-gradient"
	ScopeCTC            Scope = "ctc"
	ScopeSequences      Scope = "sequences" // recurrent layers and tokens
	ScopeAttention      Scope = "attention"
	ScopeImages         Scope = "images"
	ScopeEquations      Scope = "equations" // losses made of a network's derivatives
	ScopeEmbeddings     Scope = "embeddings"
	ScopeBoosting       Scope = "boosting" // boosted trees
	ScopeDistributed    Scope = "distributed"
)

// Scopes is the closed list of kinds of training.
var Scopes = []Scope{
	ScopeGeneral, ScopeClassification, ScopeRegression, ScopeAutoencoder, ScopeContrastive, ScopeDensity, ScopeGAN, ScopePolicyGradient,
	ScopeCTC, ScopeSequences, ScopeAttention, ScopeImages, ScopeEquations, ScopeEmbeddings, ScopeBoosting, ScopeDistributed,
}

// Name is the check's name within its rule.
func (c *Check) Name() string {
	_, name, _ := strings.Cut(c.ID, "/")
	return name
}

// IsExperimental reports whether the check reports only where it is asked for.
func (c *Check) IsExperimental() bool { return c.Status == Experimental }

// Check finds the check of a finding by the name that the finding calls it. A
// name may go on with "@" and another run that is compared with.
func (d *Definition) Check(name string) (*Check, bool) {
	name, _, _ = strings.Cut(name, "@")
	for i := range d.Checks {
		if d.Checks[i].Name() == name {
			return &d.Checks[i], true
		}
	}
	return nil, false
}

// Evidence is what a check brings for one thing that it objects to. All else
// that a finding says is the check's.
type Evidence struct {
	Subject string // tensor, layer, class, GPU …
	Worker  string // "" when it is about all workers together

	Observed   float64
	Threshold  float64
	Comparator string // how Observed stands to Threshold: "<", ">", ">="
	Context    map[string]any

	// Message is one sentence for a person: what, where, how bad.
	Message string
	// Steps is the number of analysed steps the verdict rests on.
	Steps int
	// At places it elsewhere than at the step being judged.
	At *Point
}

// Judged is a check in the form that new ones have: the data, and the one
// function that judges. T is what the rule gathers for its checks, such as the
// facts of a training or a window of a series. The function has no state and
// looks at nothing but its arguments.
type Judged[T any] struct {
	Check
	Judge func(T, Params) []Evidence
}

// Violations judges. What comes of it names the check and brings evidence only.
func (c *Judged[T]) Violations(of T, p Params) []Violation {
	var out []Violation
	for _, e := range c.Judge(of, p) {
		out = append(out, Violation{
			Check: c.Name(), Subject: e.Subject, Worker: e.Worker, Observed: e.Observed, Threshold: e.Threshold, Comparator: e.Comparator,
			Context: e.Context, Message: e.Message, Steps: e.Steps, At: e.At,
		})
	}
	return out
}

// First judges by checks of which one at most is meant to speak: the first that
// finds something. Experimental ones before it speak next to it, so that they
// hide nothing.
func First[T any](checks []Judged[T], of T, p Params) []Violation {
	var out []Violation
	for i := range checks {
		found := checks[i].Violations(of, p)
		out = append(out, found...)
		if len(found) > 0 && !checks[i].IsExperimental() {
			break
		}
	}
	return out
}

// Index gives the data of checks, for Definition.Checks.
func Index[T any](checks []Judged[T]) []Check {
	out := make([]Check, len(checks))
	for i := range checks {
		out[i] = checks[i].Check
	}
	return out
}
