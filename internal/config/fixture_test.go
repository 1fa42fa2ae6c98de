package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// catalogue is a small stand-in for the real rules.
var catalogue = Catalogue{
	Names: []string{"vanishing_gradient", "dead_relu", "exploding_tensor", "loss_not_decreasing"},
	Lookup: func(name string) (string, []string, bool) {
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "vanishinggradient":
			return "vanishing_gradient", []string{"threshold", "start_step"}, true
		case "deadrelu":
			return "dead_relu", []string{"tensor_regex", "threshold_inactivity", "threshold_layer"}, true
		case "explodingtensor":
			return "exploding_tensor", []string{"only_nan", "collection_names", "tensor_regex"}, true
		case "lossnotdecreasing":
			return "loss_not_decreasing", []string{"num_steps", "diff_percent", "use_losses_collection"}, true
		}
		return "", nil, false
	},
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// refused checks what a user reads.
func refused(t *testing.T, err error, message, hint string) {
	t.Helper()
	var u *UsageError
	if !errors.As(err, &u) {
		t.Fatalf("error is %T (%v), want *UsageError", err, err)
	}
	if !strings.Contains(u.Message, message) {
		t.Errorf("message %q lacks %q", u.Message, message)
	}
	if !strings.Contains(u.Hint, hint) {
		t.Errorf("hint %q lacks %q", u.Hint, hint)
	}
}
