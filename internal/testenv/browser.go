package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// Browser is a Chromium for the tests that look at a page, or a failed test
// that says how to get one.
func Browser(t testing.TB) string {
	t.Helper()
	if p := os.Getenv("VIGIL_TEST_BROWSER"); p != "" {
		return p
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	t.Fatal("find a browser: no chromium on the PATH; install it, or set VIGIL_TEST_BROWSER")
	return ""
}
