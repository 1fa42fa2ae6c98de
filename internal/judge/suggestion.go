package judge

import (
	"os"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/suggest"
)

// suggestion gives a function that writes down the edit that fixes what a finding is
// about, for scripts that have not changed since.
func suggestion(since time.Time) func(*record.Finding, *record.Facts) *record.Suggestion {
	return func(f *record.Finding, facts *record.Facts) *record.Suggestion {
		return suggest.For(f, facts, func(file string) []byte {
			if !unchanged(file, since) {
				return nil
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return nil
			}
			return text
		})
	}
}

// knownSuggestion gives the same for a stored run: the edits that its findings have on
// record, because the script may be gone or mended by now.
func knownSuggestion(run source.Run) func(*record.Finding, *record.Facts) *record.Suggestion {
	type about struct {
		rule, check, subject string
		step                 int64
	}
	of := func(f *record.Finding) about { return about{f.Rule, f.Check, f.Subject, f.Step} }
	known := map[about]*record.Suggestion{}
	for _, f := range run.Findings() {
		known[of(&f)] = f.Suggestion
	}
	write := suggestion(run.Run().Started)
	return func(f *record.Finding, facts *record.Facts) *record.Suggestion {
		if s, ok := known[of(f)]; ok {
			return s
		}
		return write(f, facts)
	}
}
