package vfs

import "errors"

// isErr reports whether err is one of those listed.
func isErr(err error, list ...error) bool {
	for _, e := range list {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
