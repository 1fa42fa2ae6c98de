//go:build !race

package testenv

import "testing"

// Raced says that the race detector watches.
const Raced = false

// Unraced does nothing here.
func Unraced(testing.TB) {}
