package suggest

// evaluate puts the model in evaluation mode for the block without gradients that it is
// evaluated in, or for that call alone.
func evaluate(s *site) *edit {
	e := s.facts.Evaluation
	if e == nil || e.Elsewhere || e.Times == 0 {
		return nil
	}
	c, ok := s.at(e.File, e.Line, e.Extent)
	if !ok || !c.statement().simple() {
		return nil
	}
	of := s.module(c)
	if of == "" {
		return nil
	}
	first, last := s.withoutGradients(c.index, of)
	if first == last && !c.statement().plain() {
		return nil
	}
	return around(s.script, first, last, of+".eval()", of+".train()")
}

// around puts a statement before others of a block and one after them.
func around(s *script, first, last int, before, after string) *edit {
	e := change(s)
	indent := s.statements[first].indent
	e.before[s.statements[first].first] = []string{indent + before}
	e.after[s.statements[last].last] = []string{indent + after}
	return e
}

// module is the name of the model that is called.
func (s *site) module(c *call) string {
	of := c.callee()
	if of == "" || s.script.imported(root(of)) || has(c.statement().tokens, ":=") {
		return ""
	}
	return of
}

// withoutGradients is the block `with torch.no_grad():` that a statement is in, its
// head included; the statement alone where there is none from which all ways lead out at
// its end.
func (s *site) withoutGradients(index int, of string) (first, last int) {
	sc := s.script
	for head := sc.parent(index); head >= 0 && sc.statements[head].heads("for", "with"); head = sc.parent(head) {
		one := sc.statements[head]
		if !one.heads("with") || !has(one.tokens, "no_grad", "inference_mode") {
			continue
		}
		end := sc.ends(head)
		inside := sc.tokens(head+1, end)
		if has(inside, "return", "yield", "raise", "continue", "break", "def", "class", "lambda") || sc.rebound(head, end+1, of) {
			break
		}
		return head, end
	}
	return index, index
}

// train puts the model in training mode before it is trained.
func train(s *site) *edit {
	c, ok := s.call(model)
	if s.facts.EvalTrained == nil || !ok || !c.statement().plain() {
		return nil
	}
	of := s.module(c)
	if of == "" {
		return nil
	}
	e := change(s.script)
	e.before[c.statement().first] = []string{c.statement().indent + of + ".train()"}
	return e
}
