//go:build !linux

// Command ui measures the dashboard, on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "ui: what processes take is read from /proc, which is on Linux only")
	os.Exit(1)
}
