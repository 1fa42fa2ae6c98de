package e2e

import (
	"strings"
	"testing"
)

// A copy of the model that is evaluated and that nobody updates is found by its loss, which is the same
// number each time; one that is updated is not reported.
func TestEvaluatedCopy(t *testing.T) {
	t.Parallel()
	for way, want := range map[string]bool{"forgotten": true, "updated": false} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			argv := append([]string{binary, "run", "--quiet", "--monitor", "off", "--rules", "default,experimental", "--name", "r", "--"}, append(forkedFile(t, script("evaluated_copy")), way)...)
			o := run(t, dir, nil, argv...)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			f := run(t, dir, nil, binary, "findings", "r")
			if found := strings.Contains(f.stdout, "The model that is evaluated does not change"); found != want || !want && !strings.Contains(f.stdout, "no findings") {
				t.Errorf("%s\n%s", o.stdout, f.stdout)
			}
		})
	}
}
