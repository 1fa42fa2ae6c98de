// Package hook captures what happens inside a training written in Go, so that
// Vigil can judge it while it runs:
//
//	h := hook.Start(hook.Options{Model: "MLP", Optimizer: "SGD"})
//	defer h.Close()
//	w, g := h.Parameter("fc1", "Linear", "weight", 512, 784)
//	for … {
//		s := h.Begin(hook.Train)
//		…
//		s.Loss(loss)
//		s.Float32(w, weights)
//		s.Float32(g, gradients)
//		s.End()
//	}
//
// Started by `vigil run -- ./train`, such a program is captured, judged and
// shown like any other. Started alone, or with VIGIL=0, every call does nothing
// and costs nothing worth mentioning.
//
// A hook never gets in the way of training: no method panics or fails, and
// none waits longer than a tenth of a step (the first step also waits for the
// agent's plan, which takes milliseconds). What could not be captured is
// counted and shown with the run.
package hook

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

// Mode is the phase of training that a step belongs to.
type Mode uint8

// The modes.
const (
	Train   = Mode(record.Train)
	Eval    = Mode(record.Eval)
	Predict = Mode(record.Predict)
	Global  = Mode(record.Global)
)

// Kind says what a tensor is to the training.
type Kind string

// The kinds of tensors.
const (
	Weight   = Kind(record.Weight)
	Bias     = Kind(record.Bias)
	Gradient = Kind(record.Gradient)
	Input    = Kind(record.Input)  // of a module
	Output   = Kind(record.Output) // of a module
	Custom   = Kind(record.Custom)
)

// Options describe the training. All fields may be empty.
type Options struct {
	Model        string  // class or name of the model
	Optimizer    string  // class or name of the optimizer
	LearningRate float64 // of the optimizer at the beginning; 0: not known
	Loss         string  // name of the loss function
	// Facts are more of the training, for people: batch size, data. They stand
	// under "program" in the facts of the run.
	Facts map[string]any
	// StartAgent starts an agent when the program was not started by `vigil
	// run`. The program vigil is taken from VIGIL_BIN or the PATH.
	StartAgent bool
	// Socket is where the agent listens, for a program that knows it; "" means
	// what the environment says (VIGIL_SOCKET).
	Socket string
	// Rank, LocalRank and World place the process in a distributed training;
	// World 0 means what the environment says (RANK, LOCAL_RANK, WORLD_SIZE).
	Rank, LocalRank, World int
}

// Hook is one training process. A nil *Hook, like one that found no agent, is
// inert.
type Hook struct {
	mu      sync.Mutex
	client  *capture.Client // nil: inert
	err     error
	opts    Options
	started time.Time

	plan    *capture.Plan
	version uint64
	due     map[uint32][]int   // schedules by tensor id
	watched map[watchKey][]int // schedules by module and side
	said    bool

	tensors []*Tensor
	byName  map[string]*Tensor
	unsaid  []*Tensor // registered, not yet announced
	modules []capture.Module
	byPath  map[string]bool
	newMod  bool
	scalars map[string]*Tensor
	nextID  uint32
	shapes  uint32 // last shape id

	global  int64
	steps   [4]int64 // steps begun by mode
	budget  budget
	dropped map[string]int64
	breaker bool
	marks   marks
}

type watchKey struct {
	path string
	side record.Kind
}

// Start connects to the agent. It always gives a hook that can be used; Err
// says why one is inert.
func Start(o Options) *Hook {
	h := &Hook{
		opts: o, started: time.Now(), byPath: map[string]bool{}, byName: map[string]*Tensor{}, scalars: map[string]*Tensor{},
		dropped: map[string]int64{}, global: 0,
	}
	h.client, h.err = connect(o)
	if h.client != nil {
		h.marks.wanted = h.client.TakesMarks()
		h.goOn(h.client.Place())
	}
	return h
}

// goOn counts steps on where the run stood that this program goes on with.
func (h *Hook) goOn(at *record.Place) {
	if at == nil {
		return
	}
	h.global = at.Step
	for m := record.Train; m <= record.Global; m++ {
		h.steps[m] = at.Modes[m.String()]
	}
}

var errOff = errors.New("start hook: switched off by VIGIL=0")

func connect(o Options) (c *capture.Client, err error) {
	defer func() {
		if r := recover(); r != nil {
			c, err = nil, fmt.Errorf("start hook: %v", r)
		}
	}()
	if os.Getenv("VIGIL") == "0" {
		return nil, errOff
	}
	if o.World == 0 {
		o.Rank, o.LocalRank = envInt("RANK", 0), envInt("LOCAL_RANK", 0)
		o.World = envInt("WORLD_SIZE", 1)
	}
	socket := cmp.Or(o.Socket, os.Getenv("VIGIL_SOCKET"))
	if socket == "" {
		if !o.StartAgent {
			return nil, errors.New("start hook: VIGIL_SOCKET is not set; start the program with `vigil run -- PROGRAM`")
		}
		if socket, err = startAgent(); err != nil {
			return nil, fmt.Errorf("start hook: %w", err)
		}
	}
	options := capture.ClientOptions{Socket: socket, Hello: hello(o)}
	if os.Getenv("VIGIL_RESUME") != "" {
		options.Patience = time.Minute // the agent takes the run back first
	}
	c, err = capture.Dial(options)
	if err != nil {
		return nil, fmt.Errorf("start hook: %w", err)
	}
	return c, nil
}

// Err says why the hook is inert, nil when it is not.
func (h *Hook) Err() error {
	if h == nil {
		return errors.New("hook is nil")
	}
	return h.err
}

// Run is the path of the run that is written, "" when the hook is inert.
func (h *Hook) Run() string {
	if h == nil || h.client == nil {
		return ""
	}
	return h.client.Run()
}

// live locks the hook; false when it is inert, and then nothing is locked.
func (h *Hook) live() bool {
	if h == nil {
		return false
	}
	h.mu.Lock()
	if h.client == nil {
		h.mu.Unlock()
		return false
	}
	return true
}

// leave unlocks the hook, and makes it inert when something went wrong inside:
// the training must not see it.
func (h *Hook) leave() {
	if r := recover(); r != nil {
		h.err = fmt.Errorf("hook failed: %v", r)
		h.client.Close()
		h.client = nil
	}
	h.mu.Unlock()
}

// closeWait is how long Close waits for the next agent when one has just died.
const closeWait = time.Second

// Close ends the capture. The agent stores what was published before. When the
// agent has just died, Close waits up to a second for the next one.
func (h *Hook) Close() {
	if !h.live() {
		return
	}
	defer h.leave()
	bye := capture.Bye{Steps: map[string]int64{}, Dropped: h.dropped, Overhead: capture.HookOverhead{
		CapturedSeconds: h.budget.captured.Seconds(), StepSeconds: h.budget.stepped.Seconds(),
	}}
	for m, n := range h.steps {
		if n > 0 {
			bye.Steps[record.Mode(m).String()] = n
		}
	}
	h.announce()
	h.sendMarks(true)
	h.client.End()
	h.client.Reach(closeWait)
	h.client.Say(capture.TypeBye, bye)
	h.client.Close()
	h.client = nil
	h.err = errors.New("hook is closed")
}

// Notice tells the user something about this training. level is "info",
// "warning" or "error".
func (h *Hook) Notice(level, text, hint string) {
	if !h.live() {
		return
	}
	defer h.leave()
	h.client.Say(capture.TypeNotice, capture.Notice{Level: level, Text: text, Hint: hint})
}

func envInt(name string, or int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return or
}
