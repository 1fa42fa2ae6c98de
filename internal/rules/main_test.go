package rules_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain keeps property tests short unless the command line says otherwise.
func TestMain(m *testing.M) {
	if f := flag.Lookup("rapid.checks"); f != nil {
		if err := f.Value.Set("25"); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}
