package screen

import (
	"fmt"
	"html"
	"strings"

	"github.com/hinshun/vt10x"
)

// The picture's measures, in pixels.
const (
	cellWidth, rowHeight = 8.4, 20
	margin               = 18
)

// colours are those of a terminal, the bright ones after the others.
var colours = []string{
	"#1c2330", "#e5534b", "#57ab5a", "#c69026", "#6cb6ff", "#b083f0", "#39c5cf", "#cdd9e5",
	"#768390", "#ff938a", "#8ddb8c", "#daaa3f", "#96d0ff", "#dcbdfb", "#76e3ea", "#ffffff",
}

const paper, ink = "#22272e", "#adbac7"

// bold is the bit of it in a glyph's mode.
const bold = 1 << 2

// Picture is an SVG image of a terminal of so many columns, as high as what was
// written to it needs. Text in it can be searched and copied.
func Picture(columns int, written string) string {
	rows := strings.Count(written, "\n") + len(written)/columns + 2
	s := New(columns, rows)
	// The emulator knows no dim text: a grey one stands for it.
	_, _ = s.Write([]byte(strings.ReplaceAll(written, "\x1b[2m", "\x1b[90m")))
	rows = len(trim(s.rows()))
	width, height := float64(columns)*cellWidth+2*margin, rows*rowHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	for y := range rows {
		for x := 0; x < columns; {
			from := s.vt.Cell(x, y)
			text := []rune{max(from.Char, ' ')}
			for x+len(text) < columns {
				next := s.vt.Cell(x+len(text), y)
				if next.FG != from.FG || next.Mode&bold != from.Mode&bold {
					break
				}
				text = append(text, max(next.Char, ' '))
			}
			run(&b, x, y, from, string(text))
			x += len(text)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run draws a text of one look.
func run(b *strings.Builder, x, y int, look vt10x.Glyph, text string) {
	lead := len(text) - len(strings.TrimLeft(text, " "))
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	color, weight := ink, ""
	switch {
	case int(look.FG) < len(colours):
		color = colours[look.FG]
	case look.Mode&bold != 0:
		color = colours[len(colours)-1]
	}
	if look.Mode&bold != 0 {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s style="white-space:pre">%s</text>`+"\n",
		margin+float64(x+lead)*cellWidth, margin+y*rowHeight+15, float64(len([]rune(text)))*cellWidth, color, weight, html.EscapeString(text))
}
