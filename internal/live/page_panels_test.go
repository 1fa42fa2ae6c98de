package live

import (
	"math"
	"testing"
)

// Panels are on the scale of all: what ends early leaves room, what is not finite
// is a gap with a cross below.
func TestPanels(t *testing.T) {
	nan := math.NaN()
	series := func(name string, values ...float64) Panel {
		c := Panel{Name: name, Values: values}
		for i := range values {
			c.Steps = append(c.Steps, int64(i))
		}
		return c
	}
	for _, c := range []struct {
		name string
		page Page
		list []Panel
		want string
	}{
		{"side by side", Page{Width: 60, Style: Style{Unicode: true}}, []Panel{series("falls", 1, 0.75, 0.5, 0.25, 0), series("ends early", 0, 0.5)}, `loss
      falls                       ends early
   1  ⠑⠢⣀
         ⠑⠢⣀
            ⠑⠢⢄
               ⠉⠢⢄⡀
                  ⠈⠒⠤⣀                 ⡔⠁
                      ⠉⠒⠤⡀           ⡠⠊
                         ⠈⠑⠢⣀      ⢀⠔⠁
   0                         ⠑⠢⢄  ⡠⠃
step  0                        4  0                        4
`},
		{"one below the other, in letters", Page{Width: 40}, []Panel{series("rises", 0, 1), series("breaks", 1, nan, 1)}, `loss
      rises
   1                 **
                   **
                 **
              ***
            **
          **
        **
   0  **
step  0                                2
      breaks
   1  *                                *






   0
                      x
step  0                                2
`},
		{"one of them has none", Page{Width: 60}, []Panel{series("flat", 2, 2), {Name: "empty"}}, `loss
      flat                        empty




   2  **************************



step  0                        1  0                        1
`},
		{"nothing finite", Page{Width: 60}, []Panel{series("a", nan)}, "loss\n  no finite value in any of them\n"},
	} {
		if got := c.page.Panels("loss", c.list); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
