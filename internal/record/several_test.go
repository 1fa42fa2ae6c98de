package record

import "testing"

func TestSeveral(t *testing.T) {
	for _, tt := range []struct {
		got, want string
	}{
		{Several(0, "step"), "0 steps"},
		{Several(1, "step"), "1 step"},
		{Several(1200, "step"), "1,200 steps"},
		{Several(1, "loss", "losses"), "1 loss"},
		{Several(2, "loss", "losses"), "2 losses"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
