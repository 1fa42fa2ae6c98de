//go:build linux

// Command vigil-nvml reads NVIDIA GPUs for vigil, which starts it where it finds a
// driver; nobody else needs it. See internal/nvml.
package main

import (
	"fmt"
	"os"

	"github.com/vigil-ml/vigil/internal/nvml"
	"github.com/vigil-ml/vigil/internal/nvml/library"
)

func main() {
	name := library.Name
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	l, err := library.Open(name)
	if err != nil {
		nvml.Refuse(os.Stdout, err)
		os.Exit(1)
	}
	if err := nvml.Serve(os.Stdin, os.Stdout, l.Read, nvml.End); err != nil {
		fmt.Fprintln(os.Stderr, "vigil-nvml:", err)
		os.Exit(1)
	}
}
