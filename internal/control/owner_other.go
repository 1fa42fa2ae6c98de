//go:build !unix

package control

// foreign is not known here.
func foreign(string) string { return "" }
