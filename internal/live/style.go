package live

import (
	"math"
	"os"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Style says how text may look: with colours, and with characters beyond ASCII.
type Style struct {
	Color   bool
	Unicode bool
}

// Unicode tells from the locale whether a terminal shows more than ASCII.
func Unicode(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}

// StyleFor is the style for a stream: colours only on a terminal that is not
// dumb, and never against --no-color or NO_COLOR.
func StyleFor(terminal, noColor bool) Style {
	color := terminal && !noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return Style{Color: color, Unicode: Unicode(os.Getenv)}
}

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Severity spells a severity in its colour.
func (s Style) Severity(v record.Severity, text string) string {
	switch v {
	case record.Error:
		return s.paint("1;31", text)
	case record.Warning:
		return s.paint("1;33", text)
	}
	return s.paint("1;36", text)
}

// Dim is for what is there but not read first.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Bold is for what is read first.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// mark is in front of a finding.
func (s Style) mark(v record.Severity) string {
	if !s.Unicode {
		return map[record.Severity]string{record.Error: "!!", record.Warning: "!"}[v]
	}
	if v == record.Error {
		return "✖"
	}
	if v == record.Warning {
		return "▲"
	}
	return "•"
}

// Sparkline draws values from left to right in at most width characters, each
// the mean of its share; values that are not finite are drawn as "×". It is
// empty where the terminal shows ASCII only.
func (s Style) Sparkline(values []float64, width int) string {
	if !s.Unicode || len(values) == 0 || width <= 0 {
		return ""
	}
	width = min(width, len(values))
	cells := make([]float64, width)
	for i := range cells {
		from, to := i*len(values)/width, (i+1)*len(values)/width
		sum := 0.0
		for _, v := range values[from:to] {
			sum += v
		}
		cells[i] = sum / float64(to-from)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range cells {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	const bars = "▁▂▃▄▅▆▇█"
	runes := []rune(bars)
	var b strings.Builder
	for _, v := range cells {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			b.WriteRune('×')
		case high <= low:
			b.WriteRune(runes[0])
		default:
			// Halving first keeps the difference finite.
			share := (v/2 - low/2) / (high/2 - low/2)
			b.WriteRune(runes[min(len(runes)-1, int(share*float64(len(runes))))])
		}
	}
	return b.String()
}
