package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// frozenBetween finds single layers, or whole blocks, that do not ask for
// gradients although the layers before and after them do. Somebody's encoder,
// the first layers and the last are frozen on purpose.
func (r *updating) frozenBetween(f *rule.Facts, rep *rule.Report) {
	if f.Parameters.More > 0 || len(f.Models) > 1 && len(f.Optimisers) > 1 {
		return
	}
	units := map[string][]unit{}
	for _, u := range unitsOf(f) {
		m := modelOf(f, u.weight)
		units[m] = append(units[m], u)
	}
	for _, m := range slices.Sorted(maps.Keys(units)) {
		r.frozenIn(f, units[m], rep)
	}
}

// unit is a layer with all its weights.
type unit struct {
	layer
	trained bool // one of its weights is
}

// unitsOf gives the layers, each once, with embeddings: what is learnt before a
// layer counts, too.
func unitsOf(f *rule.Facts) []unit {
	var out []unit
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Kind == record.EmbeddingModule && p.Trained && !p.Bias {
			out = append(out, unit{layer{path: p.Module, typ: p.Type, kind: p.Kind, weight: p}, true})
		}
	}
	for _, l := range layersOf(f) {
		if n := len(out); n > 0 && out[n-1].path == l.path {
			out[n-1].trained = out[n-1].trained || l.weight.Trained
			continue
		}
		out = append(out, unit{l, l.weight.Trained})
	}
	return out
}

// frozenIn judges the layers of one model.
func (r *updating) frozenIn(f *rule.Facts, units []unit, rep *rule.Report) {
	r.frozenNeck(f, units, rep)
	if len(units) < 3 || !units[0].trained || !units[len(units)-1].trained {
		if r.stack == nil {
			r.stack = stackOf(f, units)
		}
		return // a body, or a head, that is frozen
	}
	var names, layers []string
	alike := ""
	for i := 0; i < len(units); i++ {
		n := i
		for !units[n].trained {
			n++
		}
		if n == i {
			continue
		}
		run := units[i:n]
		if len(run) == 1 && run[0].depthwise() && !run[0].biasTrained() {
			continue
		}
		these, sibling := forgotten(f, units, run)
		if these == nil {
			r.stackBetween(f, units, rep)
			return // frozen on purpose, and so the others are
		}
		if len(these) == 1 && len(run) > 1 {
			alike = sibling
		}
		names = append(names, these...)
		for _, u := range run {
			layers = append(layers, u.name())
		}
		i = n
	}
	if len(names) == 0 || float64(len(layers)) > r.frozen*float64(len(units)) {
		r.stackBetween(f, units, rep)
		return
	}
	who := "the layers before and after it are trained"
	if alike != "" && len(names) == 1 {
		who = fmt.Sprintf("%s, which has the same structure, and the layers before and after it are trained", someNames([]string{alike}))
	}
	r.say(rep, rule.Violation{
		Check: "frozen_between", Subject: names[0], Observed: float64(len(layers)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "requires_grad was turned off for a layer between trained layers",
		Remedy:  "call requires_grad_(True) on the layer, or freeze the layers before it as well if this is intended",
		Message: fmt.Sprintf("%s frozen (requires_grad=False) although %s. Call requires_grad_(True) unless this is intended.", these(names, "is", "are"), who),
		Context: map[string]any{"layers": layers, "of": len(units)},
	})
}

func (u *unit) biasTrained() bool { return u.bias != nil && u.bias.Trained }

// forgotten names what a run of frozen layers is, when nobody can have meant to
// freeze it: one layer among others of its class, a block among others that are
// built alike, or layers that still are as they were initialised. sibling is a
// block that is built alike and trained.
func forgotten(f *rule.Facts, units, run []unit) (names []string, sibling string) {
	var ps []*rule.ParameterFact
	for _, u := range run {
		if u.weight.Changed || meantToStay(u.path) || hasTrainedCompany(f, u.layer) {
			return nil, "" // it follows another layer, or is frozen for a reason
		}
		ps = append(ps, u.weight)
		names = append(names, u.name())
	}
	values, block := age(ps), blockOf(f, run)
	if values == worn {
		return nil, ""
	}
	if block != "" {
		if before, after := builtAlike(f, block); before != "" && after != "" {
			return []string{block}, after
		}
	}
	same := len(run) == 1 && slices.ContainsFunc(units, func(u unit) bool { return u.trained && u.typ == run[0].typ })
	if !same && (values != fresh || block != "" && len(run) > 1) {
		return nil, ""
	}
	return names, ""
}

// blockOf is the path of the largest module that holds a run of layers and has
// nothing that is trained; "" when there is none.
func blockOf(f *rule.Facts, run []unit) string {
	path := run[0].path
	for _, u := range run[1:] {
		for path != "" && !within(u.path, path) {
			path = parentOf(path)
		}
	}
	if path == "" || !frozenWhole(f, path) {
		return ""
	}
	for up := parentOf(path); up != "" && frozenWhole(f, up); up = parentOf(up) {
		path = up
	}
	return path
}

func within(path, parent string) bool { return path == parent || strings.HasPrefix(path, parent+".") }

func parentOf(path string) string { return path[:max(strings.LastIndex(path, "."), 0)] }

// frozenWhole reports whether no parameter of a module is trained.
func frozenWhole(f *rule.Facts, path string) bool {
	return !slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool { return within(p.Module, path) && p.Trained })
}

// builtAlike finds modules that are built like a block, and trained: the last
// before it and the first after it.
func builtAlike(f *rule.Facts, block string) (before, after string) {
	past := false
	for _, path := range alikes(f, block) {
		switch {
		case path == block:
			past = true
		case frozenWhole(f, path):
		case !past:
			before = path
		case after == "":
			after = path
		}
	}
	return before, after
}

// alikes gives a block and the modules whose path differs from its in one place,
// and that have the same parameters as it, as far as names and axes go, in the
// order in which they are registered.
func alikes(f *rule.Facts, block string) []string {
	words := strings.Split(block, ".")
	built := map[string]string{}
	var paths []string
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		w := strings.Split(p.Module, ".")
		if len(w) < len(words) {
			continue
		}
		path := strings.Join(w[:len(words)], ".")
		if _, known := built[path]; !known {
			paths = append(paths, path)
		}
		built[path] += fmt.Sprintf("%s.%s %d\n", strings.Join(w[len(words):], "."), p.Name[strings.LastIndex(p.Name, ".")+1:], len(p.Shape))
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		return path != block && (built[path] != built[block] || !differInOne(strings.Split(path, "."), words))
	})
}

func differInOne(a, b []string) bool {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n == 1
}

// meantToStay reports whether a layer's name says that it is frozen for a reason.
func meantToStay(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc([]string{"target", "teacher", "ema", "momentum", "fixed", "frozen", "random", "reservoir", "pretrained"}, func(s string) bool { return strings.Contains(path, s) })
}

// hasTrainedCompany reports whether the module that wraps a frozen layer has
// trained parameters next to it, as low-rank factors are.
func hasTrainedCompany(f *rule.Facts, l layer) bool {
	at := strings.LastIndex(l.path, ".")
	parent := l.path[:max(at, 0)]
	return slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool {
		name := strings.ToLower(p.Name)
		return p.Trained && (at > 0 && p.Module == parent || strings.HasPrefix(p.Module, l.path+".") || strings.Contains(name, "lora") || strings.Contains(name, "adapter"))
	})
}
