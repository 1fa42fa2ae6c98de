package live

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestHang(t *testing.T) {
	for _, c := range []struct {
		name       string
		width      int
		head, text string
		want       string
	}{
		{"a pipe", 0, "  cause  ", "one two three four five six seven", "  cause  one two three four five six seven"},
		{"room enough", 80, "  cause  ", "one two", "  cause  one two"},
		{"below the text", 34, "  cause  ", "one two three four five six seven", "  cause  one two three four five\n         six seven"},
		{"below the head where there is little room", 24, "  a long label  ", "one two three", "  a long label  one two\n    three"},
		{"a word that is wider", 20, "", "short " + strings.Repeat("w", 30) + " end", "short\n" + strings.Repeat("w", 30) + "\nend"},
		{"colours take no room", 30, "\x1b[1mab\x1b[0m ", "one two three four five six", "\x1b[1mab\x1b[0m one two three four five six"},
	} {
		if got := (Page{Width: c.width}).Hang(c.head, c.text); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		p          Page
		text, want string
	}{
		{Page{}, "one two three", "one two three"},
		{Page{Width: 13}, "one two three", "one two three"},
		{Page{Width: 11}, "one two three", "one two..."},
		{Page{Width: 10, Style: Style{Unicode: true}}, "one two three", "one two t…"},
	} {
		if got := c.p.One(c.text); got != c.want {
			t.Errorf("%q at %d columns is %q, want %q", c.text, c.p.Width, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	heads := []string{"NAME", "KEEPS", "ASKED BY"}
	rows := [][]string{{"losses", "statistics", "default, rule not_finite, rule overfit"}, {"gradient/layer.0.weight", "raw", ""}}
	for _, c := range []struct {
		name  string
		width int
		want  string
	}{
		{"a pipe", 0, `
  NAME                     KEEPS       ASKED BY
  losses                   statistics  default, rule not_finite, rule overfit
  gradient/layer.0.weight  raw
`},
		{"the widest column is wrapped", 60, `
  NAME                     KEEPS       ASKED BY
  losses                   statistics  default, rule
                                       not_finite, rule
                                       overfit
  gradient/layer.0.weight  raw
`},
		{"a word is broken after a sign", 44, `
  NAME               KEEPS       ASKED BY
  losses             statistics  default,
                                 rule
                                 not_finite,
                                 rule
                                 overfit
  gradient/layer.0.  raw
  weight
`},
	} {
		if got := "\n" + (Page{Width: c.width}).Table(2, heads, rows); got != c.want {
			t.Errorf("%s:%s\nwant%s", c.name, got, c.want)
		}
	}
}

// Whatever is in a table, no line is wider than the page, and no letter is lost.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(rt, "columns")
		width := rapid.IntRange(n*(leastCell+columnGap)+2, 160).Draw(rt, "width")
		cell := rapid.StringMatching(`([a-z_./]{0,30} ?){0,6}`)
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, n, n), 1, 5).Draw(rt, "rows")
		got := (Page{Width: width}).Table(2, nil, rows)
		for line := range strings.Lines(got) {
			if w := utf8.RuneCountInString(strings.TrimRight(line, "\n")); w > width {
				rt.Fatalf("a line of %d columns on a page of %d:\n%s", w, width, got)
			}
		}
		letters := func(s string) map[rune]int {
			count := map[rune]int{}
			for _, r := range s {
				if r > ' ' {
					count[r]++
				}
			}
			return count
		}
		all := ""
		for _, row := range rows {
			all += strings.Join(row, "")
		}
		want, have := letters(all), letters(got)
		for r, n := range want {
			if have[r] != n {
				rt.Fatalf("%q stands there %d times, want %d:\n%s", r, have[r], n, got)
			}
		}
	})
}

// A group is its root in full and a line for all else, at every width.
func TestGroup(t *testing.T) {
	root := *finding("w").Finding
	again := root
	again.Step, again.ModeStep, again.Subject = 290, 250, "v"
	g := record.Group{
		Root:       root,
		Symptoms:   []record.Finding{again, {Rule: "loss_flat", Step: 95, ModeStep: 90, Message: "The loss stays where a guess would have it."}},
		Outweighed: []record.Finding{{Rule: "too_few_updates", Check: "falling", Step: 340, ModeStep: 300}},
	}
	explain := func(f *record.Finding) string { return "vigil rules describe " + f.Rule + "/" + f.Check }
	for _, c := range []struct {
		name string
		page Page
		want string
	}{
		{"a pipe", Page{Explain: explain, Called: func(name string) string { return "output of ReLU " + name }}, `
!! error exploding_tensor at step 12
  The gradient of w is infinite.
  cause     a learning rate that is too high
  remedy    lower it
  explain   vigil rules describe exploding_tensor/max
  again     1 more time, at step 250; also output of ReLU v
  symptom   loss_flat at step 90: The loss stays where a guess would have it.
  outweighs too_few_updates/falling at step 300: it suggests the opposite
`},
		{"a terminal", Page{Width: 44, Style: Style{Unicode: true}}, `
✖ error exploding_tensor at step 12
  The gradient of w is infinite.
  cause     a learning rate that is too high
  remedy    lower it
  again     1 more time, at step 250; also v
  symptom   loss_flat at step 90: The loss…
  outweighs too_few_updates/falling at step…
`},
	} {
		if got := "\n" + c.page.Group(&g) + "\n"; got != c.want {
			t.Errorf("%s:%s\nwant%s", c.name, got, c.want)
		}
	}
}

func TestNoneIsGoodNewsOnlyOfAHealthyRun(t *testing.T) {
	for good, want := range map[bool]string{true: "\x1b[1;32mno findings\x1b[0m", false: "no findings"} {
		if got := (Page{Style: Style{Color: true}}).None("no findings", good); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCurve(t *testing.T) {
	steps, values := make([]int64, 40), make([]float64, 40)
	for i := range steps {
		steps[i], values[i] = int64(10*i), float64(40-i)
	}
	values[20] = math.NaN()
	for _, c := range []struct {
		name string
		page Page
		want string
	}{
		{"letters", Page{Width: 40}, `
  40 +*
     | ****
     |    ***
     |       ***
     |          ***
     |             ***
20.5 +                 **
     |                   ***
     |                      ***
     |                         ***
     |                           ****
   1 +                               **
     +---------------------------------
                      x
      step 0                        390
first 40, last 1, least 1 at step 390,
greatest 40 at step 0, 1 not finite
`},
	} {
		if got := "\n" + c.page.Curve(steps, values); got != c.want {
			t.Errorf("%s:%s\nwant%s", c.name, got, c.want)
		}
	}
}

// Curves of any values draw without failing, within the width.
func TestCurveTakesAnything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)), rapid.Just(0.0)), 1, 300).Draw(rt, "values")
		steps := make([]int64, len(values))
		for i := range steps {
			steps[i] = int64(i)
		}
		p := Page{Width: rapid.IntRange(50, 200).Draw(rt, "width"), Style: Style{Unicode: rapid.Bool().Draw(rt, "unicode")}}
		for line := range strings.Lines(p.Curve(steps, values)) {
			if w := utf8.RuneCountInString(strings.TrimRight(line, "\n")); w > p.Width {
				rt.Fatalf("a line of %d columns on a page of %d: %s", w, p.Width, line)
			}
		}
	})
}
