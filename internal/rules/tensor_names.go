package rules

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/rules/builtin"
	"github.com/vigil-ml/vigil/rule"
)

// named gives a sentence of a rule in which tensors are called as the script
// knows them: `4.weight`, the gradient of `4.weight`, the output of ReLU `3`. The
// subject of a finding keeps the name under which the tensor is stored.
func (t *tensors) named(message string) string {
	words := strings.Split(message, " ")
	for i, word := range words {
		before, name, after := bare(word)
		id, stored := t.ids[name]
		for trimmed := name; !stored && strings.HasSuffix(trimmed, "."); id, stored = t.ids[trimmed] {
			trimmed = strings.TrimSuffix(trimmed, ".")
			after = "." + after
		}
		if !stored {
			continue
		}
		what, called, known := t.infos[id].Called()
		if !known {
			continue
		}
		words[i] = before + article(words[:i], what) + "`" + called + "`" + after
	}
	return strings.Join(words, " ")
}

// bare takes the signs around a word off.
func bare(word string) (before, name, after string) {
	name = strings.TrimLeft(word, `("`)
	before = word[:len(word)-len(name)]
	trimmed := strings.TrimRight(name, `),;:"`)
	return before, trimmed, name[len(trimmed):]
}

// article says what the tensor is, where the words before it have not said so:
// after "the gradient of" it is enough to name the weight.
func article(before []string, what string) string {
	last := func(n int) string {
		if n > len(before) {
			return ""
		}
		return strings.ToLower(before[len(before)-n])
	}
	noun, _, _ := strings.Cut(what, " ")
	switch {
	case what == "":
		return ""
	case last(1) == "of" && slices.Contains([]string{noun, noun + "s", "that"}, last(2)):
		_, rest, of := strings.Cut(what, " of ")
		if of {
			return rest + " "
		}
		return ""
	case last(1) == noun || last(1) == noun+"s":
		_, rest, of := strings.Cut(what, " of ")
		if of {
			return "of " + rest + " "
		}
		return "of "
	}
	text := "the " + what + " "
	if !strings.Contains(what, " of") {
		text = "the " + what + " of "
	}
	if n := len(before); n == 0 || strings.HasSuffix(before[n-1], ".") {
		text = "T" + text[1:]
	}
	return text
}

// inWords is what the finding of a rule says. What the user's own rules say is
// theirs.
func (e *Engine) inWords(in *instance, message string) string {
	if _, ours := rule.Find(builtin.All(), in.def.Name); !ours {
		return message
	}
	return e.tensors.named(message)
}
