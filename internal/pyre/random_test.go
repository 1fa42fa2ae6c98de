package pyre

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator makes random patterns over a small alphabet, mostly valid.
type generator struct {
	*rand.Rand
	groups int
}

func (g *generator) pick(s ...string) string { return s[g.IntN(len(s))] }

func (g *generator) atom(depth int) string {
	if depth <= 0 || g.IntN(3) > 0 {
		return g.pick("a", "b", "c", "A", "ab", "ba", ".", "a", "b", "_", "1", " ", `\n`,
			"[ab]", "[^a]", "[a-c]", "[A-z]", `[^\W1]`, `\d`, `\w`, `\W`, `\s`, `\D`, `\S`,
			"é", "É", "ſ", "K", "[k-s]", "[^é]", `\x61`, `\u00e9`, `\101`, `[\b]`, "[]a]", "[a-]", "{", "}", "{,", "]", "-")
	}
	body := func() string { return g.alt(depth - 1) }
	switch g.IntN(14) {
	case 0, 1, 2, 3:
		g.groups++
		return "(" + body() + ")"
	case 4:
		g.groups++
		name := fmt.Sprintf("n%d", g.groups)
		return "(?P<" + name + ">" + body() + ")" + g.pick("", "(?P="+name+")")
	case 5, 6:
		return "(?:" + body() + ")"
	case 7:
		return "(?=" + body() + ")"
	case 8:
		return "(?!" + body() + ")"
	case 9:
		return g.pick("(?<=", "(?<!") + body() + ")"
	case 10:
		return "(?>" + body() + ")"
	case 11:
		return fmt.Sprintf("(?(%d)%s%s)", 1+g.IntN(g.groups+1), g.item(depth-1), g.pick("", "|"+g.item(depth-1)))
	case 12:
		return "(?" + g.pick("i", "s", "m", "a", "x", "-i", "i-s", "is", "u") + ":" + body() + ")"
	}
	return fmt.Sprintf(`\%d`, 1+g.IntN(g.groups+1))
}

func (g *generator) item(depth int) string {
	a := g.atom(depth)
	if g.IntN(8) == 0 {
		return g.pick("^", "$", `\b`, `\B`, `\A`, `\Z`)
	}
	if g.IntN(3) == 0 {
		a += g.pick("*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "{0}", "*", "+")
		a += g.pick("", "", "?", "+")
	}
	return a
}

func (g *generator) alt(depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		if g.IntN(6) == 0 {
			b.WriteByte('|')
		}
		b.WriteString(g.item(depth))
	}
	return b.String()
}

func (g *generator) text() string {
	var b strings.Builder
	for range g.IntN(9) {
		b.WriteString(g.pick("a", "a", "b", "b", "c", "A", "B", "_", "1", " ", "\n", "é", "É", "s", "ſ", "k", "K", "-", "{", "}", "]"))
	}
	return b.String()
}

// randomQuestions makes n patterns with ten strings each, always the same for
// a seed.
func randomQuestions(seed uint64, n int) []question {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	qs := make([]question, n)
	for i := range qs {
		g.groups = 0
		p := g.alt(3)
		if g.IntN(8) == 0 {
			p = g.pick("(?i)", "(?s)", "(?m)", "(?a)", "(?x)", "(?im)") + p
		}
		if g.IntN(20) == 0 { // damage it
			k := g.IntN(len(p) + 1)
			p = p[:k] + g.pick("(", ")", "[", "]", "*", "?", "+", "{2,1}", `\`, "(?", "|", "(?P<") + p[k:]
			p = strings.ToValidUTF8(p, "?")
		}
		qs[i].Pattern = p
		for range 10 {
			qs[i].Strings = append(qs[i].Strings, g.text())
		}
	}
	return qs
}

func TestRandomPatternsAgainstPython(t *testing.T) {
	qs := randomQuestions(20261121, 4000)
	matched, refused, limited := compare(t, qs, ask(t, qs))
	if matched < 3000 || refused < 130 || limited > 60 {
		t.Errorf("the random patterns test little: %d matches, %d refused, %d limited", matched, refused, limited)
	}
}
