package cli

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestTallyText(t *testing.T) {
	for _, c := range []struct {
		name     string
		roots    map[record.Severity]int
		symptoms int
		findings map[string]int
		want     string
	}{
		{"nothing", nil, 0, nil, "none"},
		{"a cause and what follows", map[record.Severity]int{record.Error: 1}, 4, map[string]int{"error": 4, "info": 1}, "1 error, 4 symptoms"},
		{"several causes", map[record.Severity]int{record.Error: 2, record.Info: 1}, 1, nil, "2 errors +1, 1 symptom"},
		{"findings that are not grouped", nil, 0, map[string]int{"warning": 2}, "2 warnings"},
	} {
		if got := tallyText(record.Tally{Roots: c.roots, Symptoms: c.symptoms}, c.findings); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
