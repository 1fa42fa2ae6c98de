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
	// SymptomsCount: what follows from the findings still counts.
	SymptomsCount bool
}

// MutesOf gives the mutes that a run carries.
func MutesOf(r record.Run) []Mute {
	var out []Mute
	for _, m := range r.Mutes {
		out = append(out, Mute{Rule: m.Rule, Subject: m.Tensor, Reason: m.Reason, SymptomsCount: m.SymptomsCount})
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

// muted reports whether the user does not want to hear of the finding, and
// writes the reason into it.
func (e *Engine) muted(f *record.Finding) bool {
	if e.opts.Accepted != nil {
		if reason := e.opts.Accepted(f); reason != "" {
			f.Context["muted_because"] = reason
			return true
		}
	}
	m := e.muteOf(f)
	if m == nil {
		return false
	}
	if m.Reason != "" {
		f.Context["muted_because"] = m.Reason
	}
	return true
}

// muteOf is the mute that a finding comes under, nil of none.
func (e *Engine) muteOf(f *record.Finding) *mute {
	for i := range e.mutes {
		m := &e.mutes[i]
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
		return m
	}
	return nil
}

// covers reports whether a finding is muted together with what follows from it. One that
// only a baseline knows is not: what is new counts.
func (e *Engine) covers(f *record.Finding) bool {
	if !f.Muted {
		return false
	}
	m := e.muteOf(f)
	return m != nil && !m.SymptomsCount
}

// cover mutes what follows from a root that is muted, f and what was found before it, and
// notes in f, if that is muted itself, which of those before it that changes.
func (e *Engine) cover(f *record.Finding) {
	if len(e.mutes) == 0 {
		return
	}
	under := covered(append(e.findings(), *f), e.defs, e.facts, e.covers)
	if root, is := under[f.Key()]; is && !f.Muted {
		f.Muted = true
		f.Context["muted_because"] = record.Following(&root, reasonOf(&root))
		return
	}
	if !e.covers(f) {
		return
	}
	var keys []string
	for _, in := range e.runs {
		for i := range in.findings {
			o := &in.findings[i]
			root, is := under[o.Key()]
			if o.Muted || !is {
				continue
			}
			keys = append(keys, o.Key())
			o.Muted = true
			o.Context["muted_because"] = record.Following(&root, reasonOf(&root))
			in.takeBack(o)
		}
	}
	if keys != nil {
		f.SetCovered(keys)
	}
}

func reasonOf(f *record.Finding) string {
	text, _ := f.Context["muted_because"].(string)
	return text
}

// takeBack counts a finding no more.
func (in *instance) takeBack(f *record.Finding) {
	in.counters.Findings--
	in.counters.Violations -= int64(max(1, len(f.Workers)))
	if in.counters.Findings > 0 || in.status != IssuesFound {
		return
	}
	in.first, in.counters.RuleTriggered = "", 0
	in.status = InProgress
	if in.closed {
		in.status = NoIssuesFound
	}
}
