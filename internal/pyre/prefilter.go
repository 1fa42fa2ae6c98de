package pyre

import "unicode/utf8"

// prefilter notes what lets a search be decided, or begun, without running the
// program. None of it changes a verdict.
func (re *Regexp) prefilter(tree seq, f flags) {
	re.required = required(tree, f)
	if len(tree) == 0 {
		return
	}
	switch n := tree[0]; {
	case n.op == opAt && (n.at == atStringStart || n.at == atStart && f&flagM == 0):
		re.anchored = true
	case n.op == opRepeat && n.how != possessive && n.max == unbounded &&
		len(n.subs[0]) == 1 && n.subs[0][0].op == opAny:
		// Whatever matches from a later start matches from the line's start
		// too, unless the start itself is looked at.
		re.dotStar = true
		re.dotAll = f&flagS != 0
	}
}

// maxRequired bounds how many literals are looked for before a search.
const maxRequired = 8

// required are literals that stand in every match, in order.
func required(q seq, f flags) []string {
	var found []string
	run := ""
	end := func() {
		if run != "" {
			found = append(found, run)
		}
		run = ""
	}
	for _, n := range q {
		if n.op == opLiteral && f&flagI == 0 && n.r != utf8.RuneError && utf8.ValidRune(n.r) {
			run += string(n.r)
			continue
		}
		end()
		switch {
		case n.op == opGroup:
			found = append(found, required(n.subs[0], f.with(n.add, n.del))...)
		case n.op == opAtomic, n.op == opRepeat && n.min > 0:
			found = append(found, required(n.subs[0], f)...)
		}
		if len(found) >= maxRequired {
			return found[:maxRequired]
		}
	}
	end()
	return found
}
