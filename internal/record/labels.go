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
// those about one subject, or all when that is empty. What follows from a root that does
// not count does not either, unless SymptomsCount.
type LabelMute struct {
	Rule    string `json:"rule"`
	Subject string `json:"tensor,omitempty"`
	Reason  string `json:"reason"`

	SymptomsCount bool `json:"symptoms_count,omitempty"`
}

// Covers reports whether a finding is one that the mute is about.
func (m LabelMute) Covers(f *Finding) bool {
	return (m.Rule == f.Rule || m.Rule == f.Configuration) && (m.Subject == "" || m.Subject == f.Subject)
}

// of is the mute of a finding, nil of one that counts.
func (l Labels) of(f *Finding) *LabelMute {
	for i := range l.Mutes {
		if l.Mutes[i].Covers(f) {
			return &l.Mutes[i]
		}
	}
	return nil
}

// Mute marks the findings that do not count, with the reason in their context: those
// that a mute is about, and what follows from a root among them, as groups have it. One
// that was muted before keeps its reason.
func (l Labels) Mute(list []Finding, groups []Group) {
	if len(l.Mutes) == 0 {
		return
	}
	covered := map[string]string{}
	for _, g := range groups {
		_, under := l.split(g)
		for _, f := range under {
			covered[f.Key()] = Following(&g.Root, l.of(&g.Root).Reason)
		}
	}
	for i := range list {
		if m := l.of(&list[i]); m != nil {
			list[i].mute(m.Reason)
		} else if why, is := covered[list[i].Key()]; is {
			list[i].mute(why)
		}
	}
}

// Unmuted are groups without the findings that do not count.
func (l Labels) Unmuted(groups []Group) []Group {
	if len(l.Mutes) == 0 {
		return groups
	}
	var out []Group
	for _, g := range groups {
		rest, _ := l.split(g)
		out = append(out, rest...)
	}
	order := []Severity{Error, Warning, Info}
	slices.SortStableFunc(out, func(a, b Group) int {
		return slices.Index(order, a.Root.Severity) - slices.Index(order, b.Root.Severity)
	})
	return out
}

// split gives what is left of a group, and what its muted root covers. Where the same
// was found of something else that counts, that is the root. What the root outweighed
// stands for itself.
func (l Labels) split(g Group) (rest []Group, covered []Finding) {
	m := l.of(&g.Root)
	muted := func(f Finding) bool { return l.of(&f) != nil }
	g.Symptoms = slices.DeleteFunc(slices.Clone(g.Symptoms), muted)
	if m == nil {
		return []Group{g}, nil
	}
	alike := func(f Finding) bool {
		return f.Configuration == g.Root.Configuration && f.CauseClass == g.Root.CauseClass
	}
	switch i := slices.IndexFunc(g.Symptoms, alike); {
	case i >= 0:
		next := Group{Root: g.Symptoms[i], Symptoms: slices.Delete(slices.Clone(g.Symptoms), i, i+1), CauseClass: g.CauseClass}
		rest = append(rest, next)
	case m.SymptomsCount:
		for _, s := range g.Follow() {
			rest = append(rest, Group{Root: s.Finding, Symptoms: s.Again, CauseClass: s.CauseClass})
		}
	default:
		covered = g.Symptoms
	}
	for _, s := range (Group{Symptoms: slices.DeleteFunc(slices.Clone(g.Outweighed), muted)}).Follow() {
		s.OutweighedBy = ""
		rest = append(rest, Group{Root: s.Finding, Symptoms: s.Again, CauseClass: s.CauseClass})
	}
	return rest, covered
}

// AsMutes are the mutes as a run is started with them: their subjects are patterns.
func (l Labels) AsMutes() (list []Mute) {
	for _, m := range l.Mutes {
		pattern := ""
		if m.Subject != "" {
			pattern = "^" + quoted(m.Subject) + "$"
		}
		list = append(list, Mute{Rule: m.Rule, Tensor: pattern, Reason: m.Reason, SymptomsCount: m.SymptomsCount})
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
