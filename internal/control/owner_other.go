//go:build !unix

package control

// foreign is not known here.
func foreign(string) string { return "" }

// Writable is not known here before it is tried.
func Writable(string) string { return "" }
