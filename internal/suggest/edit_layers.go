package suggest

import (
	"github.com/vigil-ml/vigil/internal/record"
	"slices"
	"strings"
)

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

// function is the call of a function of PyTorch's that is between the last layer and
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

// inSequential reports whether a call is the last argument of a Sequential.
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
	if l == nil || l.Module != "NLLLoss" && (l.Module != "" || l.Function != "nll_loss") || g == nil || len(g.Head) < 2 {
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
