// Package nvml is how Vigil talks with the program that reads NVIDIA's library
// for it (cmd/vigil-nvml). That is a program of its own because calling the
// library makes a program depend on glibc, and because a driver may hang or take
// down who calls it.
//
// The program answers every line on its standard input with one line of JSON, an
// Answer. It ends with its standard input.
package nvml

// Program is the name of the program.
const Program = "vigil-nvml"

// Answer is what all GPUs say at one instant.
type Answer struct {
	// Error says why nothing can be read at all; the program then ends.
	Error string `json:"error,omitempty"`
	GPUs  []GPU  `json:"gpus,omitempty"`
}

// GPU is one of them.
type GPU struct {
	Index int `json:"i"`
	// Values are by the ends of the series' names: "utilization" for
	// gpu/0/utilization.
	Values map[string]float64 `json:"v,omitempty"`
	// Processes are the bytes that processes have on the GPU, by pid.
	Processes map[int]uint64 `json:"p,omitempty"`
	// Lacks says why values are absent, by their names; "" stands for all.
	Lacks map[string]string `json:"lacks,omitempty"`
}
