//go:build !linux

// Command monitor measures what sampling the machine costs, on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "monitor: machines are sampled on Linux only")
	os.Exit(1)
}
