package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// target is where the trainings compute.
type target string

const (
	onCPU  target = "cpu"
	onCUDA target = "cuda"
	// asTiny trains the workloads of a GPU in a size for the CPU, and captures
	// as if it were one: to see that the benchmark itself works.
	asTiny target = "tiny"
)

// gpuWorkloads run on a GPU instead of the others.
var gpuWorkloads = []workload{
	{"resnet50-224", work{20, 40}},
	{"gpt2", work{20, 40}},
}

// gpuConditions are what is measured on one.
var gpuConditions = append(conditions[:len(conditions):len(conditions)], besides[:2]...)

// check is the name of what will be measured; an error when it is not there.
func (d target) check(python string) (string, error) {
	switch d {
	case onCPU:
		return "the CPU", nil
	case asTiny:
		return "tiny sizes on the CPU, which measure nothing", nil
	case onCUDA:
	default:
		return "", fmt.Errorf("-device %q: want cpu, cuda or tiny", d)
	}
	cmd := exec.Command(python, "-c", "import torch; print(torch.cuda.get_device_name() if torch.cuda.is_available() else '')")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask %q for its GPU: %w", python, err)
	}
	name := strings.TrimSpace(string(out))
	if name == "" {
		return "", errors.New("-device cuda: PyTorch finds no GPU on this machine; nothing was measured")
	}
	return name, nil
}

// environment of a training.
func (d target) environment() []string {
	switch d {
	case onCUDA:
		// Kernels that give the same result each time, where cuBLAS has them.
		return []string{"BENCH_DEVICE=cuda", "CUBLAS_WORKSPACE_CONFIG=:4096:8"}
	case asTiny:
		return []string{"BENCH_DEVICE=tiny", "VIGIL_DEVICE=cpu"}
	}
	return nil
}
