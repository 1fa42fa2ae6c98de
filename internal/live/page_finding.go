package live

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Finding is a finding in full: how serious, which rule, where, what was seen,
// the likeliest cause, what to try first, and the command that explains it. It
// ends without a newline.
func (p Page) Finding(f *record.Finding) string {
	lines := []string{p.Head(f), p.Message(f)}
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, p.Item(label, clean(text)))
		}
	}
	add("where", place(f.Where))
	add("cause", f.Cause)
	add("remedy", f.Advised())
	if f.Suggestion != nil && f.OutweighedBy == "" {
		lines = append(lines, p.suggestion(f.Suggestion)...)
	}
	if p.Explain != nil {
		add("explain", p.Explain(f))
	}
	return strings.Join(lines, "\n")
}

// Head is the first line of a finding: its severity, its rule, and where it is.
func (p Page) Head(f *record.Finding) string {
	text := p.severity(f.Severity) + " " + p.Bold(ruleOf(f)) + " at " + p.where(f)
	if f.Experimental {
		text += p.Dim(", experimental")
	}
	return text
}

// Message is what a finding says, set in below its head.
func (p Page) Message(f *record.Finding) string { return p.Hang("  ", clean(f.Message)) }

// ruleOf names the rule of a finding, and its configuration where that has a
// name of its own.
func ruleOf(f *record.Finding) string {
	name := clean(f.Rule)
	if f.Configuration != "" && f.Configuration != f.Rule {
		name += " (" + clean(f.Configuration) + ")"
	}
	return name
}

// Symptom is the one line of a finding that follows from another.
func (p Page) Symptom(f *record.Finding, root string) string {
	return p.Dim(p.One(fmt.Sprintf("%s at %s follows from %s", ruleOf(f), p.where(f), clean(root))))
}

// Repeat is the one line of a finding that says the same once more.
func (p Page) Repeat(f *record.Finding) string {
	return p.Dim(p.One(fmt.Sprintf("%s again, at %s", ruleOf(f), p.where(f))))
}

// Group is a root cause in full and, in a line each, how often it was found
// again, what follows from it, and what it outweighs. It ends without a newline.
func (p Page) Group(g *record.Group) string {
	lines := []string{p.Finding(&g.Root)}
	if again := g.Again(); len(again) > 0 {
		lines = append(lines, p.Item("again", record.Repeated(again)+p.others(&g.Root, again)))
	}
	for _, s := range g.Follow() {
		text := fmt.Sprintf("%s at %s: %s", ruleOf(&s.Finding), p.where(&s.Finding), clean(s.Message))
		if again := record.Repeated(s.Again); again != "" {
			text = fmt.Sprintf("%s at %s, and %s: %s", ruleOf(&s.Finding), p.where(&s.Finding), again, clean(s.Message))
		}
		lines = append(lines, p.dimItem("symptom", text))
	}
	for i := range g.Outweighed {
		o := &g.Outweighed[i]
		lines = append(lines, p.dimItem("outweighs", fmt.Sprintf("%s/%s at %s: it suggests the opposite", clean(o.Rule), clean(o.Check), p.where(o))))
	}
	return strings.Join(lines, "\n")
}

// others names the first subjects of findings that their root is not about.
func (p Page) others(root *record.Finding, list []record.Finding) string {
	const most = 3
	known, names := map[string]bool{root.Subject: true, "": true}, []string(nil)
	for _, f := range list {
		if !known[f.Subject] {
			known[f.Subject] = true
			name := f.Subject
			if p.Called != nil {
				name = p.Called(name)
			}
			names = append(names, clean(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return "; also " + strings.Join(names, ", ")
}

// dimItem is an item in one dim line.
func (p Page) dimItem(label, text string) string {
	return p.Dim(p.One("  " + padded(label, labels) + " " + text))
}

// Groups are root causes, one below the other with an empty line between.
func (p Page) Groups(groups []record.Group) string {
	texts := make([]string, len(groups))
	for i := range groups {
		texts[i] = p.Group(&groups[i])
	}
	return strings.Join(texts, "\n\n")
}

// place is a line of the script, its file as it is called from here, and its text.
func place(w *record.Where) string {
	if w == nil {
		return ""
	}
	return w.In(near(w.File))
}
