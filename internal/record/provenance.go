package record

import (
	"encoding/json"
	"maps"
)

// Provenance is what a run was made of: code, settings, software and machine.
// Values of names that sound like a secret are not in it.
type Provenance struct {
	Git *Git `json:"git,omitempty"`
	// Hyperparameters are the flags of the command line with their values.
	Hyperparameters map[string]string `json:"hyperparameters,omitempty"`
	// Config is what the script gave vigil.config: an object.
	Config json.RawMessage `json:"config,omitempty"`
	// Environment has the variables of a closed list that were set.
	Environment map[string]string `json:"environment,omitempty"`
	Python      *Interpreter      `json:"python,omitempty"`
	Packages    map[string]string `json:"packages,omitempty"` // name: version
	Machine     *Machine          `json:"machine,omitempty"`
	Devices     []Device          `json:"devices,omitempty"` // that the weights lie on
	Seeds       map[string]uint64 `json:"seeds,omitempty"`   // by generator
	// Deterministic reports whether the framework was asked for deterministic
	// algorithms; nil: not known.
	Deterministic *bool `json:"deterministic,omitempty"`
}

// Git is the state of the repository that the command was started in.
type Git struct {
	Commit    string `json:"commit,omitempty"` // empty: there is none yet
	Branch    string `json:"branch,omitempty"` // empty: none is checked out
	Dirty     bool   `json:"dirty"`            // files that git knows differ from the commit
	Changed   int    `json:"changed"`          // how many
	Untracked int    `json:"untracked"`        // files that git does not know, and does not ignore
	// Diff is what differs from the commit: a file of the run; empty: nothing
	// does, or it is not stored.
	Diff      string `json:"diff,omitempty"`
	Truncated bool   `json:"truncated,omitempty"` // the diff was longer than what is stored
	// LeftOut are files whose differences are not in the diff: binary, large, or
	// of a name that sounds like a secret.
	LeftOut []string `json:"left_out,omitempty"`
}

// Interpreter is the Python of the training process.
type Interpreter struct {
	Version        string `json:"version"`
	Implementation string `json:"implementation,omitempty"` // CPython
	Executable     string `json:"executable,omitempty"`
}

// Machine is the host.
type Machine struct {
	OS     string `json:"os"`
	Kernel string `json:"kernel,omitempty"`
	CPU    string `json:"cpu,omitempty"`
	Cores  int    `json:"cores"`            // that the process may use
	Memory int64  `json:"memory,omitempty"` // bytes
}

// Device is what weights lie on.
type Device struct {
	Type   string `json:"type"` // cpu, cuda, …
	Index  int    `json:"index"`
	Name   string `json:"name,omitempty"`
	Memory int64  `json:"memory,omitempty"` // bytes
}

// Add takes over what other says; what it leaves out stays.
func (p *Provenance) Add(other Provenance) {
	set(&p.Git, other.Git)
	set(&p.Python, other.Python)
	set(&p.Machine, other.Machine)
	set(&p.Deterministic, other.Deterministic)
	if other.Hyperparameters != nil {
		p.Hyperparameters = other.Hyperparameters
	}
	if other.Environment != nil {
		p.Environment = other.Environment
	}
	if other.Packages != nil {
		p.Packages = other.Packages
	}
	if other.Config != nil {
		p.Config = other.Config
	}
	if other.Devices != nil {
		p.Devices = other.Devices
	}
	if other.Seeds != nil {
		seeds := maps.Clone(p.Seeds)
		if seeds == nil {
			seeds = map[string]uint64{}
		}
		maps.Copy(seeds, other.Seeds)
		p.Seeds = seeds
	}
}

func set[T any](to **T, from *T) {
	if from != nil {
		*to = from
	}
}
