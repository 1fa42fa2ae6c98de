package suggest

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// clear clears gradients before backward, or after the update where that stands
// elsewhere.
func clear(s *site) *edit {
	update, ok := s.call(step)
	if !ok || !update.whole() {
		return nil
	}
	held := s.stepped(update)
	if held == "" {
		return nil
	}
	text := update.statement().indent + held + ".zero_grad()"
	back, ok := s.call(backward)
	if ok && back.whole() && s.script.straight(back.index, update.index) && !s.script.rebound(back.index, update.index, held) {
		e := change(s.script)
		e.before[back.statement().first] = []string{text}
		return e
	}
	if !ok || has(s.script.tokens(0, len(s.script.statements)-1), "grad") {
		return nil // the script looks at gradients, maybe after the update
	}
	e := change(s.script)
	e.after[update.statement().last] = []string{text}
	return e
}

// stepped is the optimiser that a call steps: `optimizer.step()`, or what a scaler is
// given; "" where it cannot be told.
func (s *site) stepped(update *call) string {
	from, last := split(update.callee())
	list, ok := update.arguments()
	switch {
	case !ok || last != "step" || from == "":
	case len(list) == 0:
		return from
	case len(list) == 1 && list[0].keyword == "" && !list[0].star: // or it is a closure
		given := dotted(update.statement().tokens[list[0].begin:list[0].end])
		if made, ok := s.call(optimizer); ok && given != "" {
			_, a := split(made.target())
			_, b := split(given)
			if a == b {
				return given
			}
		}
	}
	return ""
}

// clearEarlier moves the clearing of gradients that stands between backward and the
// update to before backward.
func clearEarlier(s *site) *edit {
	back, ok := s.call(backward)
	if !ok || !back.whole() {
		return nil
	}
	update, ok := s.call(step)
	if !ok || !s.script.straight(back.index, update.index) {
		return nil
	}
	found := -1
	for i := back.index + 1; i < update.index; i++ {
		if !has(s.script.statements[i].tokens, "zero_grad") {
			continue
		}
		clears := s.script.named(i, "zero_grad")
		if found >= 0 || len(clears) != 1 || !clears[0].whole() {
			return nil
		}
		if from, _ := split(clears[0].callee()); from == "" || s.script.rebound(back.index, i, from) {
			return nil
		}
		found = i
	}
	if found < 0 {
		return nil
	}
	e := change(s.script)
	line := s.script.statements[found].first
	e.gone[line] = true
	e.before[back.statement().first] = []string{strings.TrimRight(s.script.line(line), "\r\n")}
	return e
}

// goBackward calls backward before the update that has none.
func goBackward(s *site) *edit {
	given, ok := s.call(loss)
	if !ok || s.calls(backward) {
		return nil
	}
	update, ok := s.call(step)
	if !ok || !update.whole() || !s.script.straight(given.index, update.index) {
		return nil
	}
	of := given.target()
	if of == "" || s.script.rebound(given.index+1, update.index, of) {
		return nil
	}
	e := change(s.script)
	e.before[update.statement().first] = []string{update.statement().indent + of + ".backward()"}
	return e
}

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

// withoutGradients is the block `with torch.no_grad():` that a statement stands in, its
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

// sameShape gives labels the axis of length 1 that the predictions have, or takes it
// away.
func sameShape(s *site) *edit {
	p, l := s.facts.Predictions, s.facts.Labels
	if p == nil || l == nil || l.Swapped || len(l.Others) > 0 || !slices.Equal(l.Shape, p.LabelShape) {
		return nil
	}
	switch {
	case slices.Equal(p.Shape, append(slices.Clone(l.Shape), 1)):
		return s.label(1, func(of string) string { return of + ".unsqueeze(-1)" })
	case slices.Equal(l.Shape, append(slices.Clone(p.Shape), 1)):
		return s.label(1, func(of string) string { return of + ".squeeze(-1)" })
	}
	return nil
}

// signs makes labels of 0 and 1 such of -1 and 1.
func signs(s *site) *edit {
	if s.facts.Labels == nil {
		return nil
	}
	at, ok := map[string]int{"CosineEmbeddingLoss": 2, "HingeEmbeddingLoss": 1, "MarginRankingLoss": 2, "SoftMarginLoss": 1}[s.facts.Labels.Loss]
	if !ok {
		return nil
	}
	return s.label(at, func(of string) string { return "2 * " + of + " - 1" })
}

// label changes the label that the only loss is given.
func (s *site) label(at int, now func(string) string) *edit {
	c, ok := s.call(loss)
	if !ok || !c.statement().plain() || s.known(loss, s.facts.Labels.Loss) == nil {
		return nil
	}
	a, ok := c.argument(at, "target")
	if !ok {
		return nil
	}
	of := c.textOf(a)
	if !c.primary(a) {
		of = "(" + of + ")"
	}
	return change(s.script).replace(c.statement().tokens[a.begin].at, c.statement().tokens[a.end-1].end, now(of))
}

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

func withoutSoftmax(s *site) *edit { return s.withoutLast("Softmax", "softmax") }
func withoutSigmoid(s *site) *edit { return s.withoutLast("Sigmoid", "sigmoid") }
func withoutDropout(s *site) *edit { return s.withoutLast("Dropout", "dropout") }

// withoutLast takes the last layer of the model away.
func (s *site) withoutLast(class, operation string) *edit {
	c := s.lastLayer(class, operation)
	if c == nil {
		return s.withoutFunction(operation)
	}
	t := c.statement().tokens
	prefix, _ := split(c.callee())
	line, _ := c.oneLine(c.begin, c.close+1)
	end := c.close + 1
	if t[c.begin-1].is(",") && s.inSequential(c) {
		switch {
		case s.script.lineOf(t[c.begin-1].at) == line: // with the comma before it
			return change(s.script).replace(t[c.begin-1].at, t[c.close].end, "")
		case t[end].is(",") && s.script.lineOf(t[end].at) == line:
			return change(s.script).replace(t[c.begin].at, t[end].end, "")
		case s.script.lineOf(t[end].at) != line:
			return change(s.script).replace(t[c.begin].at, t[c.close].end, "")
		}
	}
	return change(s.script).replace(t[c.begin].at, t[c.close].end, prefix+".Identity()")
}

// function is the call of a function of PyTorch's that stands between the last layer and
// the loss, and what it is given.
func (s *site) function(name string) (*call, argument, bool) {
	known := s.known(function, name)
	if known == nil {
		return nil, argument{}, false
	}
	c, ok := s.at(known.File, known.Line, known.Extent)
	if !ok {
		return nil, argument{}, false
	}
	o := c.statement()
	from, last := split(c.callee())
	if last != name || from == "" || !s.script.imported(root(from)) {
		return nil, argument{}, false
	}
	rest := *o
	if o.tokens[0].is("return") {
		rest.tokens = o.tokens[1:]
	}
	if !rest.simple() {
		return nil, argument{}, false
	}
	if _, ok := c.oneLine(c.begin, c.close+1); !ok {
		return nil, argument{}, false
	}
	a, ok := c.argument(0, "input")
	return c, a, ok
}

// withoutFunction puts what a function is given in place of its result.
func (s *site) withoutFunction(name string) *edit {
	c, a, ok := s.function(name)
	if !ok {
		return nil
	}
	o, of := c.statement(), c.textOf(a)
	if c.target() == of && c.begin == 2 {
		if above := s.script.parent(c.index); above >= 0 && s.script.ends(above) == above+1 {
			return nil // nothing would be left of the block
		}
		if o.first != o.last {
			return nil
		}
		e := change(s.script)
		e.gone[o.first] = true
		return e
	}
	if !c.primary(a) {
		of = "(" + of + ")"
	}
	return change(s.script).replace(o.tokens[c.begin].at, o.tokens[c.close].end, of)
}

// inSequential tells whether a call is the last argument of a Sequential.
func (s *site) inSequential(c *call) bool {
	t := c.statement().tokens
	end := c.close + 1
	if end < len(t) && t[end].is(",") {
		end++
	}
	if end >= len(t) || !t[end].is(")") {
		return false
	}
	around := called(s.script, c.index, -1, end)
	return around != nil && t[around.open-1].is("Sequential")
}

// lastLayer is where the only layer of a class is made, if the model ends with it.
func (s *site) lastLayer(class, operation string) *call {
	n, g := s.facts.Network, s.facts.Graph
	if n == nil || g == nil || n.More > 0 {
		return nil
	}
	var found, last *record.ModuleFacts
	for i := range n.Modules {
		m := &n.Modules[i]
		if m.Type == class {
			if found != nil || m.Calls != 1 {
				return nil
			}
			found = m
		}
		if last == nil || m.Order > last.Order {
			last = m
		}
	}
	if found == nil || found != last || countOf(g.Head, operation) != 1 {
		return nil
	}
	return s.layer(class)
}

func countOf(list []string, what string) (n int) {
	for _, one := range list {
		if one == what {
			n++
		}
	}
	return n
}

// layer is the call that makes the only layer of a class, in the statement that makes it
// part of a model.
func (s *site) layer(class string) *call {
	known := s.known(layer, class)
	if known == nil || known.Times != 1 || !s.open(known.File) {
		return nil
	}
	index := s.script.at(known.Line)
	if index < 0 || !s.script.statements[index].simple() {
		return nil
	}
	list := s.script.named(index, class)
	if len(list) != 1 || !strings.Contains(list[0].callee(), ".") || list[0].begin == 0 {
		return nil
	}
	if _, ok := list[0].oneLine(list[0].begin, list[0].close+1); !ok {
		return nil
	}
	return list[0]
}

// logarithm makes probabilities logarithms of them, or takes log_softmax of raw outputs.
func logarithm(s *site) *edit {
	l, g := s.facts.Loss, s.facts.Graph
	if l == nil || l.Module != "NLLLoss" || g == nil || len(g.Head) < 2 {
		return nil
	}
	if c := s.lastLayer("Softmax", "softmax"); c != nil && g.Head[1] == "softmax" {
		t := c.statement().tokens
		return change(s.script).replace(t[c.open-1].at, t[c.open-1].end, "LogSoftmax")
	}
	if c, _, ok := s.function("softmax"); ok && g.Head[1] == "softmax" {
		t := c.statement().tokens
		return change(s.script).replace(t[c.open-1].at, t[c.open-1].end, "log_softmax")
	}
	c, ok := s.call(loss)
	if !ok || !c.statement().plain() || g.Head[1] != "linear" && g.Head[1] != "convolution" {
		return nil
	}
	a, ok := c.argument(0, "input")
	if !ok || !c.primary(a) {
		return nil
	}
	return change(s.script).replace(c.statement().tokens[a.begin].at, c.statement().tokens[a.end-1].end, c.textOf(a)+".log_softmax(1)")
}

// batchFirst gives the only layer of its class the argument batch_first=True.
func batchFirst(s *site) *edit {
	n := s.facts.Network
	if n == nil {
		return nil
	}
	i := slices.IndexFunc(n.Modules, func(m record.ModuleFacts) bool { return m.Path == s.finding.Subject })
	if i < 0 {
		return nil
	}
	class := n.Modules[i].Type
	if slices.ContainsFunc(n.Modules, func(m record.ModuleFacts) bool { return m.Type == class && m.Path != s.finding.Subject }) {
		return nil
	}
	c := s.layer(class)
	if c == nil {
		return nil
	}
	t := c.statement().tokens
	if a, ok := c.argument(-1, "batch_first"); ok {
		if c.textOf(a) != "False" {
			return nil
		}
		return change(s.script).replace(t[a.begin].at, t[a.end-1].end, "True")
	}
	list, ok := c.arguments()
	if !ok || len(list) < 2 || slices.ContainsFunc(list, func(a argument) bool { return a.star || a.keyword == "batch_first" }) || t[c.close-1].is(",") {
		return nil
	}
	if positional := slices.IndexFunc(list, func(a argument) bool { return a.keyword != "" }); positional > 3 || positional < 0 && len(list) > 3 {
		return nil // batch_first may be one of them
	}
	return change(s.script).replace(t[c.close].at, t[c.close].at, ", batch_first=True")
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

// setsPart tells whether a statement puts a part into what has this name.
func setsPart(list []token, of string) bool {
	at := slices.IndexFunc(list, func(t token) bool { return t.is("=") })
	n := strings.Count(of, ".")*2 + 1
	return at > n && dotted(list[:n]) == of && (list[n].is(".") || list[n].is("["))
}
