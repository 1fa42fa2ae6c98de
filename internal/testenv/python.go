// Package testenv finds what the tests need that Go does not bring: a Python
// interpreter with the pinned packages. The test command at the repository's
// root makes it.
package testenv

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Python is the interpreter with PyTorch and numpy, or a failed test that says
// how to get one.
func Python(t testing.TB) string {
	t.Helper()
	if p := os.Getenv("VIGIL_TEST_PYTHON"); p != "" {
		return p
	}
	p := filepath.Join(Root(), "build", "env", "torch", "bin", "python")
	if _, err := os.Stat(p); err != nil {
		t.Fatalf("find the test Python: %v; run ./test.sh once, or set VIGIL_TEST_PYTHON", err)
	}
	return p
}

// Root is the repository's root.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
