// Package seeded makes property tests draw the same cases every time. A test
// that imports it fails, or passes, wherever it runs; what new cases would show
// is looked for where VIGIL_TEST_LONG is set, and with -rapid.seed.
package seeded

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flag
)

func init() {
	if os.Getenv("VIGIL_TEST_LONG") != "" {
		return
	}
	if err := flag.Set("rapid.seed", "20261121"); err != nil {
		panic(err)
	}
}
