package control

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// mostMutes bounds the mutes of a run.
const mostMutes = 1000

// Mute keeps findings of a rule from counting: those about a subject, or all when it is
// empty. A mute of the same findings is replaced.
func (r Run) Mute(m record.LabelMute) (record.Labels, error) {
	m.Rule, m.Reason = strings.TrimSpace(m.Rule), strings.TrimSpace(m.Reason)
	switch {
	case m.Rule == "":
		return record.Labels{}, &usage{Message: "a mute names a rule", What: "rule"}
	case m.Reason == "":
		return record.Labels{}, &usage{Message: "a mute needs a reason, for those who look at the run later", What: "reason"}
	}
	return r.Label(func(l *record.Labels) error {
		l.Mutes = without(l.Mutes, m.Rule, m.Subject)
		if len(l.Mutes) >= mostMutes {
			return &usage{Message: "the run has 1,000 mutes; more are not kept", What: m.Rule}
		}
		l.Mutes = append(l.Mutes, m)
		return nil
	})
}

// Unmute takes a mute back; false when there was none.
func (r Run) Unmute(rule, subject string) (l record.Labels, had bool, err error) {
	l, err = r.Label(func(l *record.Labels) error {
		n := len(l.Mutes)
		l.Mutes = without(l.Mutes, rule, subject)
		had = len(l.Mutes) < n
		return nil
	})
	return l, had, err
}

func without(list []record.LabelMute, rule, subject string) []record.LabelMute {
	return slices.DeleteFunc(slices.Clone(list), func(m record.LabelMute) bool { return m.Rule == rule && m.Subject == subject })
}
