package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// group puts findings that have one root together, those of each training of a process
// apart: none of them follows from another training's. What two trainings say alike,
// with nothing that follows from it in the later one, is said once.
func group(findings []record.Finding, defs []*rule.Definition, f *record.Facts) []record.Group {
	out := []record.Group{}
	for _, list := range byTraining(findings, f) {
		for _, g := range groupOne(list, defs) {
			i := slices.IndexFunc(out, func(o record.Group) bool { return len(g.Follow()) == 0 && g.Same(&o) })
			if i < 0 {
				out = append(out, g)
				continue
			}
			out[i].Symptoms = append(append(out[i].Symptoms, g.Root), g.Symptoms...)
			out[i].Outweighed = append(out[i].Outweighed, g.Outweighed...)
		}
	}
	slices.SortStableFunc(out, byEvidence)
	return out
}

// byTraining divides findings by the training that they are of.
func byTraining(findings []record.Finding, f *record.Facts) [][]record.Finding {
	if len(f.Starts()) == 0 {
		return [][]record.Finding{findings}
	}
	lists := make([][]record.Finding, len(f.Starts())+1)
	for _, one := range findings {
		i := f.Training(one.Step) - 1
		lists[i] = append(lists[i], one)
	}
	return lists
}

// byEvidence orders groups, the most serious first, then the earliest.
func byEvidence(a, b record.Group) int {
	return cmp.Or(cmp.Compare(weight(a.Root.Severity), weight(b.Root.Severity)), cmp.Compare(a.Root.Step, b.Root.Step))
}

// groupOne groups the findings of one training. Findings of one
// configuration with one kind of cause belong together under the most serious,
// earliest of them; such a bundle is a symptom of another one when that one's
// rule explains it (rule.Definition.Explains) and came first, or whenever it
// came (ExplainsAlways). What is only worth knowing is no root of an alarm. Of
// roots that ask for opposite things the one with more evidence stays.
func groupOne(findings []record.Finding, defs []*rule.Definition) []record.Group {
	bundles := bundlesOf(findings, defs, func(*record.Finding) bool { return false })
	groups := map[int]*record.Group{}
	var order []*record.Group
	for i, b := range bundles {
		if top(bundles, i) == i {
			g := &record.Group{Root: b.root, Symptoms: append([]record.Finding{}, b.rest...), CauseClass: b.root.CauseClass}
			groups[i] = g
			order = append(order, g)
		}
	}
	for i, b := range bundles {
		if g := groups[top(bundles, i)]; g != nil && top(bundles, i) != i {
			g.Symptoms = append(append(g.Symptoms, b.root), b.rest...)
		}
	}
	slices.SortStableFunc(order, func(a, b *record.Group) int { return byEvidence(*a, *b) })
	out := make([]record.Group, 0, len(order))
	for _, g := range order {
		slices.SortStableFunc(g.Symptoms, func(a, b record.Finding) int {
			return cmp.Or(cmp.Compare(weight(a.Severity), weight(b.Severity)), cmp.Compare(a.Step, b.Step))
		})
		out = append(out, *g)
	}
	return outweigh(out)
}

// bundle are findings of one configuration with one kind of cause.
type bundle struct {
	root   record.Finding
	rest   []record.Finding
	parent int  // the bundle that it follows from, -1 where it follows from none
	muted  bool // together with what follows from it
}

// bundlesOf bundles the findings that count, and those of the muted ones that cover what
// follows from them. What follows from both kinds belongs to what counts.
func bundlesOf(findings []record.Finding, defs []*rule.Definition, covers func(*record.Finding) bool) []*bundle {
	var bundles []*bundle
	where := map[string]int{}
	for _, f := range findings {
		if f.Muted && !covers(&f) {
			continue
		}
		k := fmt.Sprint(f.Configuration, "|", f.CauseClass, "|", f.Muted)
		i, known := where[k]
		if !known {
			where[k] = len(bundles)
			bundles = append(bundles, &bundle{root: f, parent: -1, muted: f.Muted})
			continue
		}
		b := bundles[i]
		if weight(f.Severity) < weight(b.root.Severity) {
			b.root, f = f, b.root
		}
		b.rest = append(b.rest, f)
	}
	for i, b := range bundles {
		for j, r := range bundles {
			if i == j || r.root.Severity == record.Info && b.root.Severity != record.Info || !leads(defs, r.root, b.root) {
				continue
			}
			before := b.parent
			if before < 0 || bundles[before].muted && !r.muted || bundles[before].muted == r.muted && likelier(defs, r.root, bundles[before].root, b.root) {
				b.parent = j
			}
		}
	}
	return bundles
}

// top is the bundle at the root of one.
func top(bundles []*bundle, i int) int {
	for hops := 0; bundles[i].parent >= 0 && hops < len(bundles); hops++ {
		i = bundles[i].parent
	}
	return i
}

// covered are the findings that count but for a muted root that they follow from, by
// their keys, each with that root.
func covered(findings []record.Finding, defs []*rule.Definition, facts *record.Facts, covers func(*record.Finding) bool) map[string]record.Finding {
	out := map[string]record.Finding{}
	for _, list := range byTraining(findings, facts) {
		bundles := bundlesOf(list, defs, covers)
		for i, b := range bundles {
			root := bundles[top(bundles, i)]
			if b.muted || !root.muted {
				continue
			}
			for _, f := range append([]record.Finding{b.root}, b.rest...) {
				out[f.Key()] = root.root
			}
		}
	}
	return out
}

// likelier reports whether a is the likelier root of a symptom than b, both of
// which explain it: the one of the same kind, the one that explains the other,
// the more serious one.
func likelier(defs []*rule.Definition, a, b, symptom record.Finding) bool {
	if x, y := a.CauseClass == symptom.CauseClass, b.CauseClass == symptom.CauseClass; x != y {
		return x
	}
	if x, y := leads(defs, a, b), leads(defs, b, a); x != y {
		return x
	}
	return weight(a.Severity) < weight(b.Severity)
}

// leads reports whether symptom follows from root. Where either would explain the
// other, what is said of the one check outweighs what is said of a whole rule.
func leads(defs []*rule.Definition, root, symptom record.Finding) bool {
	return explains(defs, root, symptom) > explains(defs, symptom, root)
}

// explains reports how surely what root found makes symptom follow: 0 where it does
// not, 1 where that is said of its rule, 2 where it is said of its check.
func explains(defs []*rule.Definition, root, symptom record.Finding) int {
	d, ok := rule.Find(defs, root.Rule)
	if !ok || root.Rule == symptom.Rule {
		return 0
	}
	names := func(always, later []string) bool {
		return namesOf(always, &symptom) || root.Step <= symptom.Step && namesOf(later, &symptom)
	}
	switch {
	case names(d.ExplainsAlwaysBy[root.Check], d.ExplainsBy[root.Check]):
		return 2
	case names(d.ExplainsAlways, d.Explains):
		return 1
	}
	return 0
}

// namesOf reports whether a list of rules and checks names a finding.
func namesOf(list []string, f *record.Finding) bool {
	return slices.Contains(list, f.Rule) || slices.Contains(list, f.Rule+"/"+f.Check)
}

// weight orders severities, most serious first.
func weight(s record.Severity) int {
	switch s {
	case record.Error:
		return 0
	case record.Warning:
		return 1
	}
	return 2
}

// Group puts findings of the catalogue's rules that have one root together, as
// Engine.Groups does with those of a run, in whatever order they come. facts say which
// trainings there were. Muted findings are left out.
func Group(findings []record.Finding, facts *record.Facts) []record.Group {
	defs := Catalogue()
	place := map[string]int{}
	for i, d := range defs {
		place[d.Name] = i
	}
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b record.Finding) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(place[a.Rule], place[b.Rule]))
	})
	return group(findings, defs, facts)
}

// Cause is the finding that f follows from: the root of the group in which it is
// a symptom. It is false for a root, and for a finding that no group holds.
func Cause(groups []record.Group, f record.Finding) (root record.Finding, follows bool) {
	for _, g := range groups {
		for _, s := range g.Symptoms {
			if Key(s) == Key(f) && s.Message == f.Message {
				return g.Root, true
			}
		}
	}
	return record.Finding{}, false
}
