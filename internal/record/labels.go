package record

import (
	"slices"
	"strings"
)

// Labels are what people write on a run, and may change at any time: tags, a note,
// and which findings do not count. They lie in a file of their own, so that nobody
// but who changes them writes it.
type Labels struct {
	Tags  map[string]string `json:"tags"`
	Note  string            `json:"note,omitempty"`
	Mutes []LabelMute       `json:"mutes,omitempty"`
}

// LabelMute keeps findings of a rule, or of a configuration of it, from counting:
// those about one subject, or all when that is empty.
type LabelMute struct {
	Rule    string `json:"rule"`
	Subject string `json:"tensor,omitempty"`
	Reason  string `json:"reason"`
}

// Covers tells whether a finding is one that the mute is about.
func (m LabelMute) Covers(f *Finding) bool {
	return (m.Rule == f.Rule || m.Rule == f.Configuration) && (m.Subject == "" || m.Subject == f.Subject)
}

// Mute marks a finding that does not count, with the reason in its context. One that
// was muted before keeps its reason.
func (l Labels) Mute(f *Finding) {
	i := slices.IndexFunc(l.Mutes, func(m LabelMute) bool { return m.Covers(f) })
	if i < 0 || f.Muted {
		return
	}
	f.Muted = true
	context := map[string]any{"muted_because": l.Mutes[i].Reason}
	for k, v := range f.Context {
		if k != "muted_because" {
			context[k] = v
		}
	}
	f.Context = context
}

// Unmuted are groups without the findings that do not count. What followed from a
// root that does not stands for itself.
func (l Labels) Unmuted(groups []Group) []Group {
	if len(l.Mutes) == 0 {
		return groups
	}
	covered := func(f Finding) bool {
		return slices.ContainsFunc(l.Mutes, func(m LabelMute) bool { return m.Covers(&f) })
	}
	var out []Group
	for _, g := range groups {
		g.Symptoms = slices.DeleteFunc(slices.Clone(g.Symptoms), covered)
		if !covered(g.Root) {
			out = append(out, g)
			continue
		}
		for _, s := range g.Follow() {
			out = append(out, Group{Root: s.Finding, Symptoms: s.Again, CauseClass: s.CauseClass})
		}
	}
	order := []Severity{Error, Warning, Info}
	slices.SortStableFunc(out, func(a, b Group) int {
		return slices.Index(order, a.Root.Severity) - slices.Index(order, b.Root.Severity)
	})
	return out
}

// AsMutes are the mutes as a run is started with them: their subjects are patterns.
func (l Labels) AsMutes() (list []Mute) {
	for _, m := range l.Mutes {
		pattern := ""
		if m.Subject != "" {
			pattern = "^" + quoted(m.Subject) + "$"
		}
		list = append(list, Mute{Rule: m.Rule, Tensor: pattern, Reason: m.Reason})
	}
	return list
}

// quoted is a pattern of exactly this text, in Python's spelling.
func quoted(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(`\.+*?()|[]{}^$#&-~`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Empty tells that nothing is written on the run.
func (l Labels) Empty() bool { return len(l.Tags) == 0 && l.Note == "" }
