//go:build !linux

// Command ui measures what sampling the machine costs, on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "ui: machines are sampled on Linux only")
	os.Exit(1)
}
