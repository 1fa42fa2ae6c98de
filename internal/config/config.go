// Package config turns what a user wrote (flags, environment, vigil.yaml) into
// the settings of a run, and names the place and the nearest known word when
// something is wrong. Precedence: flag, environment, file, default.
package config

import (
	"encoding/json"
	"time"

	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/plan"
)

// Flags are the flags of `vigil run` as text, with the tags that kong reads.
// A nil pointer is a flag that was not given. The same settings are read from
// the environment (VIGIL_ and the upper-cased name) and from the file.
type Flags struct {
	Dir        *string  `name:"dir" placeholder:"DIR" help:"Root of the runs (default vigil-runs)."`
	Name       *string  `name:"name" placeholder:"NAME" help:"The run's name; an existing one is refused (default: time and script)."`
	Tag        []string `name:"tag" sep:"none" placeholder:"K=V" help:"A tag of the run; repeatable."`
	Note       *string  `name:"note" placeholder:"TEXT" help:"A note on the run, for people."`
	Resume     *string  `name:"resume" placeholder:"RUN" help:"Go on with this run: the job is started again from its checkpoint."`
	ResumeStep *string  `name:"resume-step" placeholder:"N" help:"TRAIN step at which the resumed job goes on (default: as the checkpoint tells that it reads)."`
	Config     *string  `name:"config" placeholder:"FILE" help:"Configuration file: YAML, or the JSON of a SageMaker Debugger request or of smdebug's hook (default: vigil.yaml if it is there)."`
	Rules      *string  `name:"rules" placeholder:"SET" help:"Sets of rules, joined by commas: default, experimental, all, none (default: default)."`
	Rule       []string `name:"rule" sep:"none" placeholder:"NAME[:k=v,...]" help:"Add a rule, or set its parameters; repeatable."`
	Collect    []string `name:"collect" sep:"none" placeholder:"NAME[:k=v,...]" help:"A collection: every=N, start=N, end=N, steps=1/5/9, mode=train, regex=RE, raw, stats, hist; repeatable."`
	Every      *string  `name:"every" placeholder:"N" help:"Interval for collections that name none (default: chosen by the budget)."`
	SaveAll    *bool    `name:"save-all" help:"Every tensor, raw, at the interval."`
	Budget     *string  `name:"budget" placeholder:"P%" help:"Most that capture may add to the step time (default 2%)."`
	StopOn     *string  `name:"stop-on" placeholder:"WHAT" help:"Stop the job on a severity, on rules by name, or never (default never)."`
	Workers    *string  `name:"workers" placeholder:"WHICH" help:"Statistics of all ranks or of the chief only (default chief)."`
	Keep       *string  `name:"keep" placeholder:"SIZE,AGE" help:"Most that raw tensors may take below the root, how old they may become, or both: 20GB, 7d, 20GB,7d (default 20GB)."`
	MinFree    *string  `name:"min-free" placeholder:"P%" help:"Store no raw tensors while less of the disk is free: 5%, 10GB (default 5%)."`
	Look       *bool    `name:"look" negatable:"" help:"Read facts of the training for the diagnosis (default); --no-look leaves capture and the rules on curves."`
	Source     *bool    `name:"source" negatable:"" help:"Store what differs from the git commit with the run (default); --no-source leaves it out."`
	Monitor    *string  `name:"monitor" placeholder:"MS" help:"Interval of machine metrics: 100, 200, 500, 1000, 5000, 60000 ms, or off (default 500)."`
	Profile    []string `name:"profile" sep:"none" placeholder:"KIND:steps=A-B" help:"A window of detail: stacks:steps=50-80 or stacks:seconds=5-10, both ends included; repeatable."`
	NoProfile  *bool    `name:"no-profile" help:"No windows of detail by itself; those that are asked for remain."`
	KeepOutput *bool    `name:"keep-output" negatable:"" help:"Copy the job's output into the run (default where it does not go to a terminal); --no-keep-output leaves it out. What changes for the job: vigil logs --help."`
	UI         *bool    `name:"ui" help:"Start the dashboard beside the job and print its address."`
	Strict     *bool    `name:"strict" help:"Capture errors raise in training (for tests)."`
	Quiet      *bool    `name:"quiet" help:"No live view and no summary, only findings and errors."`
	NoStatus   *bool    `name:"no-status" help:"No status line in the terminal's last row."`
	JSON       *bool    `name:"json" help:"Output as JSON lines."`
	NoColor    *bool    `name:"no-color" help:"No colours; NO_COLOR is honoured too."`
}

// Run is everything a run is started with. It travels to the agent as JSON.
type Run struct {
	Dir        string            `json:"dir"`
	Name       string            `json:"name,omitempty"` // empty: made from time and script
	Tags       map[string]string `json:"tags,omitempty"`
	Note       string            `json:"note,omitempty"`
	Resume     string            `json:"resume,omitempty"`      // the run that goes on; empty: a new one
	ResumeStep *int64            `json:"resume_step,omitempty"` // TRAIN step where it does
	File       string            `json:"file,omitempty"`        // the configuration file read; empty: none
	Rules      string            `json:"rules"`                 // default, experimental, all, none; joined by commas
	Rule       []RuleConfig      `json:"rule,omitempty"`
	Collect    []plan.Collection `json:"collect,omitempty"`
	Every      int64             `json:"every"` // plan.Auto: by the budget
	SaveAll    bool              `json:"save_all,omitempty"`
	Budget     float64           `json:"budget"` // share of the step time: 0.02
	StopOn     When              `json:"stop_on"`
	AllWorkers bool              `json:"all_workers,omitempty"`
	Keep       int64             `json:"keep"`                  // bytes of raw tensors; 0: no bound
	KeepAge    time.Duration     `json:"keep_age,omitempty"`    // of raw tensors; 0: no bound
	MinFree    MinFree           `json:"min_free,omitzero"`     // of the disk; zero: 5 %
	NoLook     bool              `json:"no_look,omitempty"`     // facts of the training are not read
	NoSource   bool              `json:"no_source,omitempty"`   // no diff of the code is stored
	Monitor    int               `json:"monitor,omitempty"`     // interval of machine metrics in milliseconds; 0: none
	Windows    []Window          `json:"windows,omitempty"`     // of detail, that are asked for
	NoProfile  bool              `json:"no_profile,omitempty"`  // no others
	KeepOutput *bool             `json:"keep_output,omitempty"` // the job's output is copied into the run; nil: where no terminal shows it
	UI         bool              `json:"ui,omitempty"`          // the dashboard is started beside the job
	Strict     bool              `json:"strict,omitempty"`
	Quiet      bool              `json:"quiet,omitempty"`
	NoStatus   bool              `json:"no_status,omitempty"`
	JSON       bool              `json:"json,omitempty"`
	NoColor    bool              `json:"no_color,omitempty"`
	Mutes      []Mute            `json:"mutes,omitempty"`
	Actions    []Action          `json:"actions,omitempty"`
	Profiler   json.RawMessage   `json:"profiler,omitempty"` // what a SageMaker request asks of profiling, an object
	Warnings   []string          `json:"warnings,omitempty"` // for the user, before anything starts
}

// Defaults are the settings of a run when nothing is said.
func Defaults() Run {
	return Run{Dir: "vigil-runs", Rules: "default", Every: plan.Auto, Budget: 0.02, Keep: 20e9, Monitor: DefaultMonitor}
}

// PlanOptions are the settings that the plan needs.
func (r Run) PlanOptions(framework string) plan.Options {
	return plan.Options{Every: r.Every, Budget: r.Budget, SaveAll: r.SaveAll, Framework: framework}
}

// Mute keeps findings from counting: those of Rule (empty: all rules) whose
// subject matches the Python regular expression Tensor (empty: all).
type Mute struct {
	Rule   string `json:"rule,omitempty"`
	Tensor string `json:"tensor,omitempty"`
	Reason string `json:"reason"`
}

// Action is done when a rule fires: it runs Command (argv, no shell) with the
// finding as JSON on its standard input, tells somebody, or stops the job.
type Action struct {
	Command []string      `json:"command,omitempty"`
	Notify  notify.Spec   `json:"notify,omitzero"`
	Stop    *Stop         `json:"stop,omitempty"`
	Broken  *Broken       `json:"broken,omitempty"`
	On      When          `json:"on"`
	Timeout time.Duration `json:"timeout,omitempty"` // of the command, or of one try; 0: what suits it
	At      string        `json:"at"`                // where it was written
}

// Stop stops the job if the run's name begins with Prefix.
type Stop struct {
	Prefix string `json:"prefix,omitempty"`
}

// Broken is an action that is not known. It is skipped, and the record of the
// run says so.
type Broken struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// KV is one key and value of a SPEC, in the order written.
type KV struct{ Key, Value string }

// UsageError is a mistake of the user: what it is about, and what to do.
type UsageError struct {
	Message string // one sentence: what is wrong, and where
	What    string // the thing: flag, file, value
	Hint    string // what to do; may be empty

	cause error
}

func (e *UsageError) Error() string { return e.Message }

func (e *UsageError) Unwrap() error { return e.cause }
