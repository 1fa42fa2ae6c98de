//go:build race

package testenv

// Raced says that the race detector watches, which makes computations ten times
// as long. Tests that try many cases in one goroutine each try few under it; the
// test command runs them without it too.
const Raced = true
