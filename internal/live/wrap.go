package live

import "strings"

// wrap breaks lines between words so that none is wider than width columns;
// what continues a line is set in by two columns more than the line. Escape
// sequences take no room. A word that is wider than the line stays whole.
func wrap(text string, width int) string {
	if width < 20 {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimSuffix(line, "\n")
		indent := body[:len(body)-len(strings.TrimLeft(body, " "))]
		column := len(indent)
		out.WriteString(indent)
		for i, word := range strings.Split(body[len(indent):], " ") {
			w := columns(word)
			switch {
			case i == 0:
			case column+1+w > width && column > len(indent)+2:
				out.WriteString("\n" + indent + "  ")
				column = len(indent) + 2
			default:
				out.WriteByte(' ')
				column++
			}
			out.WriteString(word)
			column += w
		}
		if len(body) < len(line) {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// columns counts characters outside escape sequences, one column each.
func columns(text string) int {
	n, escape := 0, false
	for _, r := range text {
		switch {
		case escape:
			escape = !(r >= '@' && r <= '~' && r != '[')
		case r == '\x1b':
			escape = true
		default:
			n++
		}
	}
	return n
}
