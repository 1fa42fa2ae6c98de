package rules

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Mute hides findings that the user knows of: they are kept, marked, and
// count for nothing.
type Mute struct {
	Rule    string // any spelling, or the name of a configuration; "" means every rule
	Subject string // Python regular expression searched in the subject; "" means every subject
	Reason  string
}

// MutesOf gives the mutes that a run carries.
func MutesOf(r record.Run) []Mute {
	var out []Mute
	for _, m := range r.Mutes {
		out = append(out, Mute{Rule: m.Rule, Subject: m.Tensor, Reason: m.Reason})
	}
	return out
}

// MuteWarning is what warnings about mutes come under, in place of a
// configuration.
const MuteWarning = "mute"

type mute struct {
	Mute
	re *pyre.Regexp
}

func compileMute(m Mute) (mute, error) {
	c := mute{Mute: m}
	if m.Subject == "" {
		return c, nil
	}
	var err error
	if c.re, err = pyre.Compile(m.Subject); err != nil {
		return c, fmt.Errorf("mute findings: %w", err)
	}
	return c, nil
}

// muted tells whether the user does not want to hear of the finding, and
// writes the reason into it.
func (e *Engine) muted(f *record.Finding) bool {
	if e.opts.Accepted != nil {
		if reason := e.opts.Accepted(f); reason != "" {
			f.Context["muted_because"] = reason
			return true
		}
	}
	for _, m := range e.mutes {
		if m.Rule != "" && m.Rule != f.Configuration && m.Rule != f.Rule {
			if d, ok := rule.Find(e.defs, m.Rule); !ok || d.Name != f.Rule {
				continue
			}
		}
		if m.re != nil {
			ok, err := m.re.Search(f.Subject)
			if err != nil && e.opts.OnWarning != nil && !e.tooDear[m.Subject] {
				e.tooDear[m.Subject] = true
				e.opts.OnWarning(MuteWarning, fmt.Sprintf("pattern %q takes more than %d steps on %q: what it is to mute is not muted", m.Subject, pyre.MaxSteps, f.Subject))
			}
			if err != nil || !ok {
				continue
			}
		}
		if m.Reason != "" {
			f.Context["muted_because"] = m.Reason
		}
		return true
	}
	return false
}
