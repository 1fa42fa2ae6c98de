// Package live turns what happens in a run into what a person sees while it
// happens: a status line on a terminal, plain lines elsewhere.
package live

import (
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Event is one piece of news of a running job, sent by the agent to the
// launcher (one JSON object per line) and rebuilt from the store by tail.
// Exactly one of the pointers is set; Follows and
// Clock go with a finding.
type Event struct {
	Time     time.Time       `json:"time"`
	Start    *Start          `json:"start,omitempty"`
	Said     *Said           `json:"said,omitempty"`
	Progress *Progress       `json:"progress,omitempty"`
	Finding  *record.Finding `json:"finding,omitempty"`
	Follows  *record.Follows `json:"follows,omitempty"` // what the finding follows from, once that is known
	Clock    *record.Clock   `json:"clock,omitempty"`   // of the training when the finding was made
	Notice   *Notice         `json:"notice,omitempty"`
	Stop     *Stop           `json:"stop,omitempty"`
	Summary  *Summary        `json:"summary,omitempty"`
}

// Start is the first event: what is begun and where it goes.
type Start struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Resumed bool   `json:"resumed,omitempty"`
}

// Said is the line that reports what was understood of the training.
type Said struct {
	Worker string `json:"worker"`
	Text   string `json:"text"`
}

// Progress is sent at most five times a second.
type Progress struct {
	Step             int64     `json:"step"` // global
	Mode             string    `json:"mode"`
	ModeStep         int64     `json:"mode_step"`
	Update           *int64    `json:"update,omitempty"` // the last TRAIN step; nil before the first
	Total            int64     `json:"total,omitempty"`  // updates of the whole training, where a trainer told it
	Epoch            int64     `json:"epoch,omitempty"`  // 0 where it is not known
	EpochStep        int64     `json:"epoch_step,omitempty"`
	EpochSteps       int64     `json:"epoch_steps,omitempty"` // 0 where it is not known
	EpochLeft        float64   `json:"epoch_left,omitempty"`  // seconds to the end of the epoch, 0 where that is not known
	Left             float64   `json:"left,omitempty"`        // seconds to the end of the training, 0 where that is not known
	Loss             *float64  `json:"loss,omitempty"`
	Losses           []float64 `json:"losses,omitempty"`             // recent TRAIN losses, oldest first, at most 60
	StepSeconds      float64   `json:"step_seconds"`                 // median of recent steps
	StepsPerSecond   float64   `json:"steps_per_second,omitempty"`   // of the last seconds, all between steps included; 0 where that is not known
	SamplesPerSecond float64   `json:"samples_per_second,omitempty"` // of one worker; 0 where the batch is not known
	Overhead         float64   `json:"overhead"`                     // percent
	Early            bool      `json:"early,omitempty"`              // too little training yet for a share of it to say something
	Dropped          int64     `json:"dropped"`
	Workers          int       `json:"workers"`
	Unjudged         bool      `json:"unjudged,omitempty"` // no rule has judged anything yet
}

// Notice is a warning of Vigil itself: what it is about and what to do. Level is
// info, warning, error, or asked: what the user wants to know even when all is quiet.
type Notice struct {
	Level string `json:"level"` // info, warning, error
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
}

// Stop asks the launcher to end the job because a rule said so.
type Stop struct {
	Rule          string `json:"rule"`
	Configuration string `json:"configuration"`
	Message       string `json:"message"`
}

// Summary is the last event: what was captured, what was not and why.
type Summary struct {
	Run         record.Run           `json:"run"`
	Path        string               `json:"path"`
	Tensors     int                  `json:"tensors"`
	Values      int64                `json:"values"` // scalars and statistics rows stored
	RawBytes    int64                `json:"raw_bytes"`
	NotCaptured []record.NotCaptured `json:"not_captured"`
	Groups      []record.Group       `json:"groups"`
	Rules       []record.RuleStatus  `json:"rules"`
	Actions     []record.Attempt     `json:"actions,omitempty"` // those that did not come to a good end
	Quiet       string               `json:"quiet,omitempty"`   // what is said where no finding counts
	Good        bool                 `json:"good,omitempty"`    // that is good news
	Removed     bool                 `json:"removed,omitempty"` // the run was not kept: no framework was imported
}
