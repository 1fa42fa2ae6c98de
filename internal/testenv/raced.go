//go:build race

package testenv

import "testing"

// Raced says that the race detector watches, which makes computations ten times
// as long. Tests that try many cases in one goroutine each try few under it; the
// test command runs them without it too.
const Raced = true

// Unraced skips a test that computes for long in one goroutine, where the race
// detector finds nothing; the test command runs it without the detector.
func Unraced(t testing.TB) {
	t.Helper()
	t.Skip("computes in one goroutine: runs without the race detector")
}
