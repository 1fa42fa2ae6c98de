package capture

import (
	"encoding/json"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// Kinds of messages on the socket.
const (
	TypeHello      = "hello"
	TypeModules    = "modules"
	TypeTensors    = "tensors"
	TypeShapes     = "shapes"
	TypeLayout     = "layout"
	TypeFacts      = "facts"
	TypeLoader     = "loader"
	TypeCompiler   = "compiler"
	TypeMissing    = "missing"
	TypeCollection = "collection"
	TypeNotice     = "notice"
	TypeCheckpoint = "checkpoint"
	TypeProvenance = "provenance"
	TypeTraceback  = "traceback"
	TypeBye        = "bye"
	TypeWelcome    = "welcome"
	TypeRefused    = "refused"
	TypePlan       = "plan"
	TypeControl    = "control"
)

// Hello is a hook's first message.
type Hello struct {
	V         int              `json:"v"`
	Session   string           `json:"session"` // 32 hex digits
	PID       int              `json:"pid"`
	Rank      int              `json:"rank"`
	LocalRank int              `json:"local_rank"`
	World     int              `json:"world"`
	Framework record.Framework `json:"framework"`
	Language  record.Framework `json:"language"`
	Script    string           `json:"script"`
	Takeover  bool             `json:"takeover"`
	Facts     bool             `json:"facts,omitempty"`   // facts were said before
	Reduces   bool             `json:"reduces,omitempty"` // the hook can compute statistics itself
	Shares    bool             `json:"shares,omitempty"`  // the weights lie in memory that other processes may train too
	// Loaded are the files that a resumed job has read as checkpoints, the last
	// one last.
	Loaded []Checkpoint `json:"loaded,omitempty"`
}

// Checkpoint is a file that a training has written, or read, to go on from. The
// place is where it stood when it wrote the file.
type Checkpoint struct {
	Path    string `json:"path"`
	MtimeNS int64  `json:"mtime_ns"` // since 1970
	Size    int64  `json:"size"`     // bytes
	record.Place
}

// Module is one node of the module tree.
type Module struct {
	Path  string `json:"path"`
	Type  string `json:"type"` // class name
	Order int    `json:"order"`
}

// Modules is the module tree.
type Modules struct {
	Modules []Module `json:"modules"`
	Root    string   `json:"root"` // class name
}

// TensorInfo announces a tensor under an id of the session.
type TensorInfo struct {
	ID uint32 `json:"id"`
	record.TensorInfo
}

// Tensors announces tensors.
type Tensors struct {
	Tensors []TensorInfo `json:"tensors"`
}

// Shape is a shape under an id of the session.
type Shape struct {
	ID    uint32  `json:"id"`
	Shape []int64 `json:"shape"`
}

// Shapes announces shapes of tensors whose shape varies.
type Shapes struct {
	Shapes []Shape `json:"shapes"`
}

// Entry is the place of one tensor in a frame.
type Entry struct {
	Tensor uint32 `json:"tensor"`
	Offset uint64 `json:"offset"`
	NBytes uint64 `json:"nbytes"`
}

// Layout is the layout of a frame.
type Layout struct {
	ID      uint32  `json:"id"`
	Bytes   uint64  `json:"bytes"`
	At      uint64  `json:"at,omitempty"` // where its first frame lies in the data area
	Entries []Entry `json:"entries"`
}

// Facts are what the hook understood of the training.
type Facts struct {
	Facts json.RawMessage `json:"facts"`
	Said  string          `json:"said"`
}

// Loader are the settings of a data loader, under the number that marks name it
// by.
type Loader struct {
	ID    int64           `json:"id"`
	Facts json.RawMessage `json:"facts"` // an object
}

// Compiler says how the compiler of the framework stands: sums since the process
// began.
type Compiler struct {
	Facts json.RawMessage `json:"facts"` // an object
}

// Missing says what is not captured and why.
type Missing struct {
	Missing []record.NotCaptured `json:"missing"`
}

// Collection is a collection that the script defined.
type Collection struct {
	Name   string   `json:"name"`
	Regex  []string `json:"regex,omitempty"`
	Names  []string `json:"names,omitempty"`
	Every  int64    `json:"every,omitempty"`
	Start  int64    `json:"start,omitempty"`
	End    int64    `json:"end,omitempty"`
	Steps  []int64  `json:"steps,omitempty"`
	Mode   string   `json:"mode,omitempty"` // empty: every mode
	Raw    bool     `json:"raw,omitempty"`
	Hist   bool     `json:"hist,omitempty"`
	Median bool     `json:"median,omitempty"`
	Prod   bool     `json:"prod,omitempty"`
	Off    bool     `json:"off,omitempty"` // at no step
	// Joins: the tensors belong to the collection, of which nothing is asked.
	Joins bool `json:"joins,omitempty"`
}

// Notice is a line for the user.
type Notice struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	Hint  string `json:"hint"`
}

// Provenance is what only the training process knows of what it is made of. What
// a message leaves out stays as an earlier one said.
type Provenance struct {
	Python        *record.Interpreter `json:"python,omitempty"`
	Path          []string            `json:"path,omitempty"` // sys.path: where its packages are installed
	Devices       []record.Device     `json:"devices,omitempty"`
	Seeds         map[string]uint64   `json:"seeds,omitempty"` // that were set, by generator
	Deterministic *bool               `json:"deterministic,omitempty"`
	Config        json.RawMessage     `json:"config,omitempty"` // an object: what the script says of itself
}

// Traceback is the exception that ends the process.
type Traceback struct {
	Error string `json:"error"` // its class
	Text  string `json:"text"`  // as the language prints it
}

// HookOverhead is what the hook measured of itself.
type HookOverhead struct {
	CapturedSeconds float64 `json:"captured_seconds"`
	StepSeconds     float64 `json:"step_seconds"`
	OnceSeconds     float64 `json:"once_seconds,omitempty"` // before the first step and after the last
}

// Bye closes a session in good order.
type Bye struct {
	Steps    map[string]int64 `json:"steps"`
	Overhead HookOverhead     `json:"overhead"`
	Dropped  map[string]int64 `json:"dropped"`
}

// RingInfo describes the ring in a Welcome.
type RingInfo struct {
	Bytes int64 `json:"bytes"`
}

// Welcome accepts a Hello.
type Welcome struct {
	V      int      `json:"v"`
	Run    string   `json:"run"`
	Worker string   `json:"worker"`
	Ring   RingInfo `json:"ring"`
	// Place is where the hook goes on counting steps; nil: at 0.
	Place *record.Place `json:"place,omitempty"`
	// Fills says that the agent knows Fill records.
	Fills bool `json:"fills,omitempty"`
	// Marks says that the agent knows Marks records.
	Marks bool `json:"marks,omitempty"`
	// Windows are those that are to come: a hook knows them before its first step.
	Windows []Window `json:"windows,omitempty"`
}

// Refused turns a Hello down; the hook goes inert. It is an error so that a
// Handler can return it.
type Refused struct {
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

func (r *Refused) Error() string { return r.Reason }

// Plan tells a hook what to capture.
type Plan struct {
	Version   uint64          `json:"version"`
	Budget    float64         `json:"budget"`
	Ring      PlanRing        `json:"ring"`
	Schedules []plan.Schedule `json:"schedules"`
	Tensors   [][2]int64      `json:"tensors"` // tensor id, index into Schedules or -1
	// Values say when the values of a tensor are wanted, not only statistics.
	// They are sent to a hook that can compute those.
	Values  [][2]int64   `json:"values,omitzero"`
	Modules []PlanModule `json:"modules"`
	Losses  bool         `json:"losses"`
	Strict  bool         `json:"strict"`
}

// PlanRing says how much of the data area the hook may use.
type PlanRing struct {
	Use int64 `json:"use"`
}

// Control is a request of a command such as `vigil stop`, sent instead of a
// hello; the answer is a JSON object and the connection closes.
type Control struct {
	Cmd string `json:"cmd"`
	// Reason says, with the command "idle", what was seen instead in a process
	// that could have trained and was not seen to.
	Reason string `json:"reason,omitempty"`
	// Lacks says, with the command "idle", that Reason is a framework that is
	// not installed, and that this ended the process.
	Lacks bool `json:"lacks,omitempty"`
	// Error is, with the command "idle", the class of the exception that ended
	// the process.
	Error string `json:"error,omitempty"`
	// Traceback is that exception as the language prints it.
	Traceback string `json:"traceback,omitempty"`
	// Plan says, with the command "plan", what is to be captured from now on.
	Plan *PlanRequest `json:"plan,omitempty"`
	// Window says, with the command "profile", what is to be sampled from now on.
	Window *WindowRequest `json:"window,omitempty"`
	// Number names, with the command "window", the window that is asked about.
	Number int `json:"number,omitempty"`
	// Stood is, with the command "stood", where the threads of a process stand: an
	// answer to Stand.
	Stood json.RawMessage `json:"stood,omitempty"`
	// Samples are, with the command "samples", what was seen in a window.
	Samples json.RawMessage `json:"samples,omitempty"`
}

// PlanRequest asks for a change of the plan in force.
type PlanRequest struct {
	Every   *int64            `json:"every,omitempty"` // interval of collections that name none; 0: by the budget
	Collect []plan.Collection `json:"collect,omitempty"`
	// For bounds what is asked for to so many steps of each mode; 0: no end.
	For int64 `json:"for,omitempty"`
	// Rules are to judge from the next step on, besides those that do.
	Rules []RuleRequest `json:"rules,omitempty"`
	// Monitor is the interval of machine metrics in milliseconds; 0: none are
	// sampled; nil: it stays.
	Monitor *int   `json:"monitor,omitempty"`
	Why     string `json:"why"` // for the plan's history: the words of who asked
}

// RuleRequest names a rule, the configuration under which it runs and its
// parameters as written.
type RuleRequest struct {
	Rule          string            `json:"rule"`
	Configuration string            `json:"configuration"`
	Params        map[string]string `json:"params,omitempty"`
}
