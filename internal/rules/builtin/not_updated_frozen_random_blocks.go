package builtin

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// randomBlocks finds blocks built alike, all of them frozen as they were
// initialised, between what is learnt of the inputs and a head that is trained:
// no network was loaded into them, since what lies before them is new. Parts of
// a network that is frozen as a whole begin with a frozen layer, or an
// embedding.
func randomBlocks(f *rule.Facts, units []unit) *frozenStack {
	if len(units) < 4 || !units[0].trained || !units[len(units)-1].trained || namedRandom(f) {
		return nil
	}
	s := &frozenStack{Of: len(units), Updates: updates(f)}
	var ps []*rule.ParameterFact
	for i := range units {
		u := &units[i]
		if u.trained {
			continue
		}
		if u.weight.Changed || meantToStay(u.path) || hasTrainedCompany(f, u.layer) {
			return nil
		}
		block := frozenTwin(f, u.path)
		if block == "" && len(s.Blocks) == 0 {
			return nil // a stem that is frozen, too
		}
		if block != "" && !slices.Contains(s.Blocks, block) {
			s.Blocks = append(s.Blocks, block)
		}
		ps = append(ps, u.weight)
		s.Layers = append(s.Layers, u.name())
		s.Weights = append(s.Weights, u.weight.Name)
	}
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Kind == record.EmbeddingModule && !p.Trained && !strings.Contains(strings.ToLower(p.Name), "pos") {
			return nil
		}
	}
	if len(s.Blocks) < 2 || age(ps) == worn {
		return nil
	}
	s.First = make([]rule.Number, len(s.Weights))
	return s
}

// frozenTwin is the largest part of a path that is a frozen block, as it was
// initialised, and has one like it that is frozen, too; "" without one.
func frozenTwin(f *rule.Facts, path string) (block string) {
	for ; path != "" && frozenWhole(f, path); path = parentOf(path) {
		if freshBlock(f, path) && slices.ContainsFunc(alikes(f, path), func(other string) bool { return other != path && frozenWhole(f, other) }) {
			block = path
		}
	}
	return block
}

// namedRandom reports whether the name of a class says that what it holds is
// random for a reason.
func namedRandom(f *rule.Facts) bool {
	if f.Network != nil && slices.ContainsFunc(f.Network.Modules, func(m rule.ModuleFacts) bool { return meantToStay(m.Type) }) {
		return true
	}
	return slices.ContainsFunc(f.Models, func(m record.ModelFacts) bool { return meantToStay(m.Class) })
}
