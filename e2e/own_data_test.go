package e2e

import (
	"fmt"
	"regexp"
	"testing"
)

// The loss of a learner that makes its own data grows while it gets better: its level is not judged,
// and what is said of each rule says so.
func TestOwnData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	argv := append([]string{binary, "run", "--quiet", "--monitor", "off", "--name", "r", "--"}, forkedFile(t, script("deep_q"))...)
	o := run(t, dir, nil, argv...)
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	var first, best float64
	if _, err := fmt.Sscan(o.stdout, &first, &best); err != nil || best < 2*first {
		t.Fatalf("it does not learn: %q", o.stdout)
	}
	o = run(t, dir, nil, binary, "findings", "--statuses", "r")
	for _, rule := range []string{"learning_rate", "loss_spike", "loss_flat"} {
		if want := regexp.MustCompile(`(?m)^ +` + rule + ` +not judged +the training makes its own data`); !want.MatchString(o.stdout) {
			t.Errorf("not said of %s:\n%s", rule, o.stdout)
		}
	}
}
