package suggest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// Where statements begin and end.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // first-last: tokens; nil: refused
	}{
		{"lines", "a = 1\n\n# no\nb\n", []string{"1-1: a = 1", "4-4: b"}},
		{"no end", "a", []string{"1-1: a"}},
		{"brackets", "f(\n  a,  # )\n)\ng()", []string{"1-3: f ( a , )", "4-4: g ( )"}},
		{"a backslash", "a = \\\n  b\nc", []string{"1-2: a = b", "3-3: c"}},
		{"a string with brackets", "f(\"(\", '#')\nb", []string{`1-1: f ( "(" , '#' )`, "2-2: b"}},
		{"a string of several lines", "f(\"\"\"(\n'\n\"\"\")\nb", []string{"1-3: f ( \"\"\"(\n'\n\"\"\" )", "4-4: b"}},
		{"prefixes", `rb'\'' + F"{a!r:>{w}}{{"`, []string{`1-1: rb'\'' + F"{a!r:>{w}}{{"`}},
		{"strings in a string", `f"{d["#"]}"`, []string{`1-1: f"{d["#"]}"`}},
		{"numbers", "1e-3 + .5 - 0xE-1", []string{"1-1: 1e-3 + .5 - 0xE - 1"}},
		{"operators", "a:=b<<=c!=d", []string{"1-1: a := b <<= c != d"}},
		{"other letters", "größe = 1", []string{"1-1: größe = 1"}},
		{"CRLF", "a\r\nb(\r\n)\r\n", []string{"1-1: a", "2-3: b ( )"}},
		{"a mark at the beginning", "\ufeffa\n", []string{"1-1: a"}},
		{"a bracket too many", "a)", nil},
		{"a bracket too few", "f(a", nil},
		{"the wrong bracket", "f(a]", nil},
		{"an open string", "a = 'b\n", nil},
		{"a character of no meaning", "a ? b", nil},
		{"old line ends", "a\rb", nil},
	} {
		s, ok := parse(c.text)
		if ok != (c.want != nil) {
			t.Errorf("%s: understood: %v", c.name, ok)
			continue
		}
		var got []string
		for i := 0; ok && i < len(s.statements); i++ {
			o := s.statements[i]
			text := fmt.Sprintf("%d-%d:", o.first, o.last)
			for _, t := range o.tokens {
				text += " " + t.text
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whatever a script looks like and wherever a call is said to be: what is suggested can be
// applied, and leaves a script that can be split as before.
func FuzzFor(f *testing.F) {
	text, _ := places(strings.NewReplacer("MAKE", "optimizer = torch.optim.SGD(model.parameters(), maximize=True)", "LOSS", "loss = criterion(model(x), y)", "BACKWARD", "loss.backward()", "STEP", "optimizer.step()").Replace(program))
	f.Add(text, 7, 11, 33, 9)
	f.Add("with torch.no_grad():\n  out = net(x)", 2, 8, 14, 1)
	f.Add("a = f\"{x['\"']}\" + (b,\n)\n", 1, 0, 5, 2)
	f.Add("net = nn.Sequential(\n  nn.Linear(1, 2), nn.Softmax(1)\n)", 1, 6, 1, 2)
	f.Fuzz(func(t *testing.T, text string, line, column, end, other int) {
		facts := &record.Facts{
			Calls: &record.CallFacts{}, EvalTrained: &record.EvalTrainedFacts{}, Optimisers: make([]record.OptimiserFacts, 1),
			Network: &record.NetworkFacts{Modules: []record.ModuleFacts{{Path: "1", Type: "Softmax", Calls: 1}}},
			Graph:   &record.GraphFacts{Head: []string{"cross_entropy", "softmax", "linear"}},
			Loss:    &record.LossFacts{Module: "NLLLoss"},
		}
		shapes([]int64{4, 1}, []int64{4})(facts)
		for i, kind := range []string{backward, layer, loss, model, optimizer, step} {
			c := record.Call{Kind: kind, File: "train.py", Line: line, Extent: record.Extent{EndLine: line, Column: column, EndColumn: end, Times: 1}}
			if i%2 == 1 {
				c.Line, c.EndColumn = other, 0
			}
			if kind == layer {
				c.Name = "Softmax"
			}
			facts.Calls.List = append(facts.Calls.List, c)
		}
		facts.Evaluation = &record.EvaluationFacts{File: "train.py", Line: line, Extent: record.Extent{EndLine: line, Column: column, EndColumn: end, Times: 1}}
		for _, id := range Checks() {
			rule, check, _ := strings.Cut(id, "/")
			s := For(&record.Finding{Rule: rule, Check: check, Severity: record.Error}, facts, func(string) []byte { return []byte(text) })
			if s == nil {
				continue
			}
			after, err := apply(text, s.Diff)
			if err != nil {
				t.Fatalf("%s: %v:\n%s", id, err, s.Diff)
			}
			if after == text {
				t.Fatalf("%s: nothing changes:\n%s", id, s.Diff)
			}
			if _, ok := parse(after); !ok {
				t.Fatalf("%s: the script is none any more:\n%s", id, s.Diff)
			}
			s.Hunks()
		}
	})
}

// apply applies a unified diff, exactly.
func apply(text, diff string) (string, error) {
	old := strings.SplitAfter(text, "\n")
	var out strings.Builder
	at := 0
	lines := strings.SplitAfter(diff, "\n")
	for i := 2; i < len(lines) && lines[i] != ""; i++ {
		l := lines[i]
		if strings.HasPrefix(l, "@@ -") {
			from, _, _ := strings.Cut(l[4:], ",")
			n, err := strconv.Atoi(from)
			if err != nil {
				return "", err
			}
			for ; at < n-1; at++ {
				out.WriteString(old[at])
			}
			continue
		}
		content := l[1:]
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\`) {
			content = strings.TrimSuffix(content, "\n")
		}
		switch l[0] {
		case ' ', '-':
			if at >= len(old) || old[at] != content {
				return "", fmt.Errorf("line %d is not %q", at+1, content)
			}
			at++
			if l[0] == ' ' {
				out.WriteString(content)
			}
		case '+':
			out.WriteString(content)
		case '\\':
		default:
			return "", fmt.Errorf("%q in a diff", l)
		}
	}
	out.WriteString(strings.Join(old[at:], ""))
	return out.String(), nil
}
