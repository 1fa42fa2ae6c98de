package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/vigil-ml/vigil/internal/view"
)

// The size of the drawing of the lengths of steps, in its own units.
const (
	lengthsWidth  = 1000
	lengthsHeight = 180
)

// linePoints are the points of a line for SVG.
func linePoints(line [][2]float64) string {
	var b strings.Builder
	for _, p := range line {
		fmt.Fprintf(&b, "%.1f,%.1f ", p[0]*lengthsWidth, (1-p[1])*lengthsHeight)
	}
	return strings.TrimSpace(b.String())
}

// acrossSVG and upSVG are places from 0 to 1 in the units of the drawing.
func acrossSVG(x float64) string { return fmt.Sprintf("%.1f", x*lengthsWidth) }
func upSVG(y float64) string     { return fmt.Sprintf("%.1f", (1-y)*lengthsHeight) }

// placePhase is the style that puts a phase into its place.
func placePhase(p view.SpentPhase) template.CSS {
	return template.CSS(fmt.Sprintf("left:%.3f%%;width:%.3f%%", p.Left, p.Width))
}
