//go:build !linux

package main

import "time"

func lockThread() {}

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
