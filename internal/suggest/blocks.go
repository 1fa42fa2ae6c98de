package suggest

import (
	"slices"
	"strings"
)

// straight reports whether two statements of a script stand in one block, the first before
// the other, with nothing between them but statements that are simple: who comes by one
// comes by the other.
func (s *script) straight(from, to int) bool {
	if from > to {
		return false
	}
	for i := from; i <= to; i++ {
		if one := &s.statements[i]; one.indent != s.statements[from].indent || !one.simple() {
			return false
		}
	}
	return true
}

// next to reports whether two statements stand in one block, the first before the other.
func (s *script) beside(from, to int) bool {
	if from > to || s.statements[from].indent != s.statements[to].indent {
		return false
	}
	for i := from; i <= to; i++ {
		if !strings.HasPrefix(s.statements[i].indent, s.statements[from].indent) {
			return false
		}
	}
	return true
}

// parent is the head of the block that a statement is in, -1 at the outermost.
func (s *script) parent(index int) int {
	indent := s.statements[index].indent
	for i := index - 1; i >= 0; i-- {
		if o := s.statements[i].indent; len(o) < len(indent) {
			if !strings.HasPrefix(indent, o) {
				return -1
			}
			return i
		}
	}
	return -1
}

// ends is the last statement of the block of a head.
func (s *script) ends(head int) int {
	i := head
	for i+1 < len(s.statements) && len(s.statements[i+1].indent) > len(s.statements[head].indent) {
		i++
	}
	return i
}

// tokens of statements from one to another, the last included.
func (s *script) tokens(from, to int) []token {
	var list []token
	for _, one := range s.statements[from : to+1] {
		list = append(list, one.tokens...)
	}
	return list
}

// rebound reports whether one of the statements gives a name another value.
func (s *script) rebound(from, to int, path string) bool {
	return slices.ContainsFunc(s.statements[from:max(from, to)], func(o statement) bool { return binds(o.tokens, path) })
}

// imported reports whether a name comes from another module: it is then no model of the script.
func (s *script) imported(name string) bool {
	return slices.ContainsFunc(s.statements, func(o statement) bool {
		return has(o.tokens[:1], "import", "from") && has(o.tokens, name)
	})
}
