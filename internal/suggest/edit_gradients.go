package suggest

import (
	"strings"
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

// clearEarlier moves the clearing of gradients that is between backward and the
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
