//go:build !linux

// Command vigil-nvml reads NVIDIA GPUs for vigil, on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "vigil-nvml: jobs run on Linux only")
	os.Exit(1)
}
