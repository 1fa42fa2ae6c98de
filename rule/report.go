package rule

import "time"

// Violation is one thing that a rule objects to, with its evidence. Empty
// texts and the severity are taken from the definition.
type Violation struct {
	Check   string // which sub-check
	Subject string // tensor, layer, class, GPU …
	Worker  string // "" when it is about all workers together
	Workers []string

	Observed   float64
	Threshold  float64
	Comparator string // how Observed stands to Threshold: "<", ">", ">="
	Context    map[string]any

	// Message is one sentence for a person: what, where, how bad.
	Message    string
	Severity   Severity
	CauseClass string
	Cause      string
	Remedy     string
	// Asks is what Remedy asks for. With a remedy of its own a violation brings
	// its own; without one the definition's count.
	Asks []Advice

	// Where is the place in the script, where the rule knows it; else the engine
	// looks for one.
	Where *Where
	// Share is the share of the training's time that it takes (0 to 1), Gain the
	// factor that mending could bring at most; 0 where it is not about time.
	Share, Gain float64

	// Steps is the number of analysed steps the verdict rests on. An error
	// that rests on a single step is lowered to a warning, unless its
	// cause class is non-finite or the facts of the training say it.
	Steps int
	// StopTraining asks for the job to be stopped.
	StopTraining bool
	// At places the violation elsewhere than at the step being judged.
	At *Point
}

// Point is a place in a run.
type Point struct {
	Step     int64
	Mode     Mode
	ModeStep int64
	Time     time.Time
}

// Report collects what a rule has to say at one step. The engine empties it.
type Report struct {
	Violations []Violation
	Datapoints int64
	Skipped    map[string]int64 // reason -> count, new at this step
	Notes      []string         // lines for the rule's details; each is kept once
	Closed     bool             // the rule has nothing more to judge
	Failed     error            // the rule cannot judge: its status is Error
	Documents  []string         // documents about the run that are to be written now, by kind
	Details    []string         // kinds of windows of detail that would help to judge
	Unjudged   string           // why the rule could not judge the job, at its end

	// Strings, set for Finish, names tensors of strings that the selectors
	// picked. Rules that judge numbers do not get them.
	Strings []string

	// Cut is set for Finish when the job did not come to its own end: it was
	// stopped, or failed. What it had not reached yet is no finding then.
	Cut bool
}

// Violate records a violation.
func (r *Report) Violate(v Violation) { r.Violations = append(r.Violations, v) }

// Inspect counts items that were looked at.
func (r *Report) Inspect(n int) { r.Datapoints += int64(n) }

// Skip counts an item that could not be judged, with the reason.
func (r *Report) Skip(reason string) {
	if r.Skipped == nil {
		r.Skipped = map[string]int64{}
	}
	r.Skipped[reason]++
}

// Note adds a line to the rule's details.
func (r *Report) Note(text string) { r.Notes = append(r.Notes, text) }

// NotJudged says, at the end of the job, why the rule saw too little to judge it:
// that it found nothing says nothing then.
func (r *Report) NotJudged(why string) { r.Unjudged = why }

// Close ends the rule with the status it has reached.
func (r *Report) Close(why string) {
	r.Closed = true
	if why != "" {
		r.Note(why)
	}
}

// Fail ends the rule with the status Error, because it cannot judge at all:
// what it needs is not there and will not come.
func (r *Report) Fail(err error) { r.Failed = err }

// Write asks for a document about the run to be written, or brought up to date.
// A rule whose document cannot be written gets the status Error.
func (r *Report) Write(kind string) { r.Documents = append(r.Documents, kind) }

// Detail asks for a window of detail, such as StackSamples, of the training under
// way. It may come or not; a rule does not wait for it.
func (r *Report) Detail(kind string) { r.Details = append(r.Details, kind) }

// StackSamples are the kind of detail that says which lines of the script the time
// goes to.
const StackSamples = "stacks"

// XgboostReport is the kind of the report on a training of boosted trees.
const XgboostReport = "xgboost"

// Reasons for which a tensor is skipped.
const (
	SkipNonFinite    = "non_finite"
	SkipStrings      = "strings"
	SkipEmpty        = "empty"
	SkipNoStats      = "no_statistics"
	SkipDType        = "dtype"
	SkipNoPrevious   = "no_previous"
	SkipShapeChanged = "shape_changed"
	SkipRank         = "rank"
)

// CauseClasses is the closed list of kinds of causes.
var CauseClasses = []string{
	"activation", "output-activation", "loss", "learning-rate", "optimizer", "zero-grad", "initialisation",
	"data-scaling", "data-loading", "labels", "imbalance", "structure", "not-updated", "eval-mode",
	"regularisation", "non-finite", "overfit", "epochs", "ranks", "hardware", "unknown",
	// Of slow or wasteful trainings.
	"data-wait", "loader-workers", "loader-respawn", "transforms", "collate", "disk", "small-batch", "python-loop",
	"checkpoint", "logging", "evaluation-share", "wasted-backward", "dense-gradients", "debug-mode", "precision", "oversubscription",
	"idle-cores", "rank-imbalance", "step-outliers", "memory-growth", "throttling", "swapping", "contention",
	"device-sync", "host-copy", "recompilation", "initialisation-time", "external-wait",
	"housekeeping", "conversion",
}
