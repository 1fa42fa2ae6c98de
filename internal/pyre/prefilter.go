package pyre

import "unicode/utf8"

// prefilter notes what lets a search be decided, or begun, without running the
// program. None of it changes a verdict.
func (re *Regexp) prefilter(tree seq, f flags, refs map[int]bool) {
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

// required is the longest literal that stands in every match, "" when none is
// known.
func required(q seq, f flags) string {
	best, run := "", ""
	end := func() {
		if len(run) > len(best) {
			best = run
		}
		run = ""
	}
	for _, n := range q {
		switch {
		case n.op == opLiteral && f&flagI == 0 && n.r != utf8.RuneError && utf8.ValidRune(n.r):
			run += string(n.r)
			continue
		case n.op == opGroup:
			end()
			run = required(n.subs[0], f.with(n.add, n.del))
		case n.op == opAtomic, n.op == opRepeat && n.min > 0:
			end()
			run = required(n.subs[0], f)
		}
		end()
	}
	end()
	return best
}
