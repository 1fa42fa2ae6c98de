package suggest

import (
	"slices"
	"strings"
)

// minimize takes maximize=True away from where the optimiser is made.
func minimize(s *site) *edit {
	c, ok := s.made()
	if !ok {
		return nil
	}
	a, ok := c.argument(-1, "maximize")
	if !ok || c.textOf(a) != "True" {
		return nil
	}
	return s.without(c, a)
}

// momentum is 0.9 then.
func momentum(s *site) *edit {
	return s.setting("momentum", "0.9", func(list []token) bool { return len(list) == 1 && list[0].kind == number })
}

// betas are those of PyTorch then.
func betas(s *site) *edit {
	return s.setting("betas", "(0.9, 0.999)", func(list []token) bool {
		return len(list) == 5 && list[0].is("(") && list[1].kind == number && list[2].is(",") && list[3].kind == number && list[4].is(")")
	})
}

// made is the call that makes the optimiser that a finding is about.
func (s *site) made() (*call, bool) {
	known := s.known(optimizer, s.finding.Subject)
	if known == nil || len(s.facts.Optimisers) != 1 {
		return nil, false
	}
	c, ok := s.at(known.File, known.Line, known.Extent)
	return c, ok && c.statement().simple()
}

// setting gives an argument of the optimiser another value in place of numbers.
func (s *site) setting(keyword, value string, numbers func([]token) bool) *edit {
	c, ok := s.made()
	if !ok {
		return nil
	}
	t := c.statement().tokens
	a, ok := c.argument(-1, keyword)
	if !ok || !numbers(t[a.begin:a.end]) {
		return nil
	}
	if _, ok := c.oneLine(a.begin, a.end); !ok {
		return nil
	}
	return change(s.script).replace(t[a.begin].at, t[a.end-1].end, value)
}

// without takes a keyword and its comma away.
func (s *site) without(c *call, a argument) *edit {
	t := c.statement().tokens
	begin, end := a.begin-2, a.end
	switch {
	case t[end].is(","): // the next argument comes up to where this one began
		if end++; t[end].is(")") && t[begin-1].is(",") {
			begin--
			end--
		}
	case t[begin-1].is(","):
		begin--
	}
	line, ok := c.oneLine(begin, end)
	if !ok { // a comma that ends the line before may stay
		begin, end = a.begin-2, a.end
		if t[end].is(",") {
			end++
		}
		if line, ok = c.oneLine(begin, end); !ok {
			return nil
		}
	}
	to := t[end-1].end
	if t[end-1].is(",") && c.script.lineOf(t[end].at) == line {
		to = t[end].at
	}
	return change(s.script).replace(t[begin].at, to, "")
}

// optimizerLater makes the optimiser, and what is made of it, after the model that it
// was made for was replaced.
func optimizerLater(s *site) *edit {
	made, ok := s.call(optimizer)
	if !ok || !made.statement().plain() || len(s.facts.Optimisers) != 1 {
		return nil
	}
	run, ok := s.call(model)
	if !ok {
		return nil
	}
	of, target := s.module(run), made.target()
	list, ok := made.arguments()
	if of == "" || target == "" || !ok || len(list) == 0 || made.textOf(list[0]) != of+".parameters()" {
		return nil
	}
	sc := s.script
	indent := made.statement().indent
	to := run.index // the statement of the optimiser's block that the model runs in
	for to >= 0 && len(sc.statements[to].indent) > len(indent) {
		to = sc.parent(to)
	}
	if to <= made.index || !sc.beside(made.index, to) || sc.rebound(to, run.index, of) {
		return nil
	}
	replaced := false
	moved := []int{made.index}
	names := []string{target}
	for i := made.index + 1; i < to; i++ {
		one := &sc.statements[i]
		if one.indent == indent && one.simple() && (binds(one.tokens, of) || setsPart(one.tokens, of)) {
			replaced = true
		}
		if !slices.ContainsFunc(names, func(n string) bool { _, last := split(n); return has(one.tokens, last) }) {
			continue
		}
		mine := dotted(one.tokens[:max(0, slices.IndexFunc(one.tokens, func(t token) bool { return t.is("=") }))])
		if !one.plain() || one.indent != indent || mine == "" || binds(one.tokens, target) {
			return nil
		}
		moved, names = append(moved, i), append(names, mine)
	}
	if !replaced {
		return nil
	}
	e := change(sc)
	for _, i := range moved {
		line := sc.statements[i].first
		e.gone[line] = true
		e.before[sc.statements[to].first] = append(e.before[sc.statements[to].first], strings.TrimRight(sc.line(line), "\r\n"))
	}
	return e
}

// setsPart reports whether a statement puts a part into what has this name.
func setsPart(list []token, of string) bool {
	at := slices.IndexFunc(list, func(t token) bool { return t.is("=") })
	n := strings.Count(of, ".")*2 + 1
	return at > n && dotted(list[:n]) == of && (list[n].is(".") || list[n].is("["))
}
