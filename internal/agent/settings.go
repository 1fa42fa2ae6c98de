package agent

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
)

// Settings say what the agent is to do. They travel as one JSON document on
// the agent's standard input.
type Settings struct {
	Name      string          `json:"name"`      // of the run
	Dir       string          `json:"dir"`       // root of the runs
	Command   []string        `json:"command"`   // of the training
	Directory string          `json:"directory"` // working directory of the command
	Script    string          `json:"script,omitempty"`
	Host      string          `json:"host"`
	Started   time.Time       `json:"started"`
	Config    config.Run      `json:"config"`
	Socket    string          `json:"socket"` // path to listen on
	Launcher  *record.Process `json:"launcher,omitempty"`
	Vigil     string          `json:"vigil"`    // version
	Takeover  bool            `json:"takeover"` // an earlier agent of this run died; this one goes on

	// Created says that the launcher has made the run's directory (with
	// store.Create, so that a taken name or a root that cannot be written is
	// told before the training starts): the agent uses store.Resume. It is set
	// on the first start too, when Takeover is not.
	Created bool `json:"created,omitempty"`
	// Resume says that the run is an earlier one that goes on.
	Resume *Resume `json:"resume,omitempty"`
	// ListenFD is the number of an inherited descriptor that listens on Socket
	// already; 0: the agent makes the socket itself. The launcher owns the
	// path: an agent with ListenFD neither binds nor unlinks it, so no hook is
	// ever refused while agents change.
	ListenFD int `json:"listen_fd,omitempty"`
	// Python is what rules that are Python classes run with.
	Python Python `json:"python,omitzero"`
	// RingBytes is the size of each worker's ring; 0: what suits the machine.
	RingBytes int64 `json:"ring_bytes,omitempty"`
}

// Python says with what rules that are Python classes run.
type Python struct {
	Interpreter string `json:"interpreter,omitempty"` // of rules that name none; empty: there is none
	Lib         string `json:"lib"`                   // the directory that holds the package vigil
	Program     string `json:"program"`               // vigil itself
}

// Ended says that the job is over. The launcher sends it on the agent's
// standard input as {"ended": …}; the agent then finishes the run.
type Ended struct {
	ExitCode  int    `json:"exit_code"`
	Status    string `json:"status"` // record.Completed, Failed, Stopped, Ended or Lost
	StoppedBy string `json:"stopped_by,omitempty"`
	// StartSeconds went by from the launcher's own start to the job's.
	StartSeconds float64 `json:"start_seconds,omitempty"`
	// OutOfMemory says that the kernel killed the command for lack of memory.
	OutOfMemory bool `json:"out_of_memory,omitempty"`
}

// input is one JSON value of the standard input after the settings.
type input struct {
	Ended *Ended `json:"ended"`
}

// readSettings reads the first JSON value of the stream.
func readSettings(d *json.Decoder) (Settings, error) {
	var s Settings
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("read settings: %w", err)
	}
	if s.Name == "" || s.Dir == "" || s.Socket == "" {
		return s, fmt.Errorf("read settings: name %q, dir %q and socket %q must not be empty", s.Name, s.Dir, s.Socket)
	}
	return s, nil
}

// readEnded waits for the end of the job. A stream that ends without saying so
// means that the launcher died; ok is then false.
func readEnded(d *json.Decoder) (e Ended, ok bool) {
	for {
		var in input
		if err := d.Decode(&in); err != nil {
			return Ended{}, false
		}
		if in.Ended != nil {
			return *in.Ended, true
		}
	}
}
