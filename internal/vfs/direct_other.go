//go:build !linux

package vfs

func createOnce(name string) (File, error) { return OS.Create(name) }
