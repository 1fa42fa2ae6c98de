package record

import (
	"encoding/json"
	"time"
)

// Event is something in a job that has a beginning and a length and happens
// seldom: a checkpoint, an evaluation, a pass of a loader, a phase of the job.
type Event struct {
	Worker string          `json:"worker,omitempty"` // "" when it is the host's
	Host   string          `json:"host,omitempty"`
	Kind   string          `json:"kind"` // see the constants
	Name   string          `json:"name,omitempty"`
	Start  time.Time       `json:"start"`
	End    time.Time       `json:"end"`            // Start where it is a moment
	Step   int64           `json:"step,omitempty"` // global step at its beginning
	Facts  json.RawMessage `json:"facts,omitempty"`
}

// Kinds of events.
const (
	PhaseEvent      = "phase"      // of the job: Name is one of the phases
	EvaluationEvent = "evaluation" // between two updates
	CheckpointEvent = "checkpoint"
	LoaderEvent     = "loader" // one pass of a loader; Facts are its settings
	DetailEvent     = "detail" // a window of detail; Name is its kind
	// CompilerEvent reports how the framework's compiler stood; Facts are what it had done.
	CompilerEvent = "compiler"
	// EarlierRunsEvent reports how earlier runs of the script were; Facts are EarlierRuns.
	EarlierRunsEvent = "earlier-runs"
	ClockEvent       = "clock" // the host's clock jumped; Facts say by how much
)

// Phases of a job.
const (
	StartUpPhase    = "start-up"
	TrainingPhase   = "training"
	EvaluationPhase = "evaluation"
	FinishingPhase  = "finishing"
)
