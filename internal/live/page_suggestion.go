package live

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// suggestion is the edit that fixes what a finding is about, as a diff: what goes is red,
// what comes green. A line that is too long goes on below itself.
func (p Page) suggestion(s *record.Suggestion) []string {
	hunks := s.Hunks()
	if len(hunks) == 0 {
		return nil
	}
	lines := []string{p.Item("edit", clean(s.In(near(s.File))))}
	indent := strings.Repeat(" ", len("  ")+labels+1)
	for i, h := range hunks {
		if i > 0 {
			lines = append(lines, indent+p.Dim(fmt.Sprintf("line %d", h.Line)))
		}
		for _, l := range h.Lines {
			sign, text := l[:1], clean(strings.ReplaceAll(l[1:], "\t", "    "))
			set := leading(text)
			text = p.Hang(indent+sign+" "+text[:set], text[set:])
			for _, one := range strings.Split(text, "\n") {
				at := leading(one)
				lines = append(lines, one[:at]+p.changed(sign, one[at:]))
			}
		}
	}
	return lines
}

// changed is a line of a diff in the colour of its sign.
func (s Style) changed(sign, text string) string {
	switch sign {
	case "+":
		return s.paint("32", text)
	case "-":
		return s.paint("31", text)
	}
	return s.Dim(text)
}
