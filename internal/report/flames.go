package report

import (
	"fmt"
	"html/template"

	"github.com/vigil-ml/vigil/internal/view"
)

// rowHeight is the height of a row of bars in pixels.
const rowHeight = 18

// placeBar is the style that puts a bar of a flame graph into its place.
func placeBar(b view.FlameBar) template.CSS {
	return template.CSS(fmt.Sprintf("left:%.3f%%;width:%.3f%%;top:%dpx", b.Left, b.Width, b.Row*rowHeight))
}
