//go:build !race

package testenv

// Raced says that the race detector watches.
const Raced = false
