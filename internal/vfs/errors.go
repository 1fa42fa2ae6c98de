package vfs

import (
	"errors"
	"maps"
	"slices"
)

// isErr reports whether err is one of those listed.
func isErr(err error, list ...error) bool {
	for _, e := range list {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// sortedNames makes a walk over a map the same each time.
func sortedNames[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
