package boosting

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Charts are SVG with classes for colours, so that the page's style gives them
// both themes. A name in them may be anything and is escaped.

const (
	chartWidth  = 860.0
	chartHeight = 300.0
	colours     = 10 // classes c0 to c9
)

// bar is a horizontal bar with what is written behind it.
type bar struct {
	name  string
	value float64
	text  string
}

// line is a curve over x.
type line struct {
	name   string
	x, y   []float64
	dashed bool
}

type chartOptions struct {
	x, y   string  // names of the axes
	zero   bool    // the y axis begins at 0
	top    float64 // where it ends; 0: by the values
	square bool
}

// svg is a drawing under way.
type svg struct{ strings.Builder }

func newSVG(width, height float64, label string) *svg {
	s := &svg{}
	fmt.Fprintf(s, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s" style="max-width:%gpx">`, width, height, template.HTMLEscapeString(label), width)
	return s
}

func (s *svg) text(x, y float64, class, text string) {
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, template.HTMLEscapeString(text))
}

func (s *svg) end() template.HTML {
	s.WriteString("</svg>")
	return template.HTML(s.String())
}

// cut keeps a name short enough for its place; the whole is in the title.
func cut(name string, n int) string {
	r := []rune(name)
	if len(r) <= n {
		return name
	}
	return string(r[:n-1]) + "…"
}

// barChart draws one bar below the other; negative values go to the left.
func barChart(bars []bar) template.HTML {
	const row, labels, room = 24.0, 230.0, 130.0
	low, high := 0.0, 0.0
	for _, b := range bars {
		if finite(b.value) {
			low, high = min(low, b.value), max(high, b.value)
		}
	}
	if high == low {
		high = 1
	}
	s := newSVG(chartWidth, row*float64(len(bars))+8, "bar chart")
	scale := (chartWidth - labels - room) / (high - low)
	zero := labels - low*scale
	for i, b := range bars {
		y := row*float64(i) + 4
		fmt.Fprintf(s, `<g><title>%s: %s</title>`, template.HTMLEscapeString(b.name), template.HTMLEscapeString(b.text))
		s.text(labels-10, y+15, "name", cut(b.name, 32))
		w := 0.0
		if finite(b.value) {
			w = b.value * scale
		}
		fmt.Fprintf(s, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2" class="bar"/>`, zero+min(w, 0), y, math.Abs(w), row-7)
		s.text(zero+max(w, 0)+8, y+15, "value", b.text)
		s.WriteString(`</g>`)
	}
	return s.end()
}

// frame is the plane of a chart with axes.
type frame struct {
	*svg
	left, top, width, height float64
	x0, x1, y0, y1           float64
}

func (f *frame) px(x float64) float64 { return f.left + (x-f.x0)/(f.x1-f.x0)*f.width }
func (f *frame) py(y float64) float64 { return f.top + f.height - (y-f.y0)/(f.y1-f.y0)*f.height }

// newFrame draws axes with ticks at round numbers.
func newFrame(width, height float64, x0, x1, y0, y1 float64, o chartOptions, label string) *frame {
	if !(x1 > x0) {
		x0, x1 = x0-0.5, x0+0.5
	}
	if !(y1 > y0) {
		d := max(math.Abs(y0)*0.1, 0.5)
		y0, y1 = y0-d, y0+d
	}
	f := &frame{svg: newSVG(width, height, label), left: 76, top: 12, width: width - 76 - 16, height: height - 12 - 46, x0: x0, x1: x1, y0: y0, y1: y1}
	for _, v := range ticks(y0, y1, 5) {
		y := f.py(v)
		fmt.Fprintf(f, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="grid"/>`, f.left, y, f.left+f.width, y)
		f.text(f.left-8, y+4, "tick y", short(v))
	}
	for _, v := range ticks(x0, x1, 8) {
		x := f.px(v)
		fmt.Fprintf(f, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="grid"/>`, x, f.top, x, f.top+f.height)
		f.text(x, f.top+f.height+18, "tick x", short(v))
	}
	f.text(f.left+f.width/2, height-6, "axis", o.x)
	fmt.Fprintf(f, `<text transform="translate(14 %.1f) rotate(-90)" class="axis">%s</text>`, f.top+f.height/2, template.HTMLEscapeString(o.y))
	return f
}

// ticks are round numbers from a to b, about n of them.
func ticks(a, b float64, n int) []float64 {
	span := b - a
	if !(span > 0) || math.IsInf(span, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/float64(n))))
	for _, m := range []float64{1, 2, 5, 10} {
		if span/(step*m) <= float64(n) {
			step *= m
			break
		}
	}
	var out []float64
	for v := math.Ceil(a/step) * step; v <= b+step*1e-9 && len(out) < 4*n; v += step {
		if math.Abs(v) < step*1e-9 {
			v = 0
		}
		out = append(out, v)
	}
	return out
}

// lineChart draws curves and names them below. Where a value is not finite the
// curve is broken.
func lineChart(lines []line, o chartOptions) template.HTML {
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for i := range l.x {
			if finite(l.x[i]) && finite(l.y[i]) {
				x0, x1, y0, y1 = min(x0, l.x[i]), max(x1, l.x[i]), min(y0, l.y[i]), max(y1, l.y[i])
			}
		}
	}
	if math.IsInf(x0, 0) {
		return ""
	}
	if o.zero {
		y0 = min(y0, 0)
	}
	if o.top != 0 {
		y1 = o.top
	}
	width, height := chartWidth, chartHeight
	if o.square {
		width, height = 460, 430
	}
	f := newFrame(width, height, x0, x1, y0, y1, o, "line chart of "+o.y)
	for i, l := range lines {
		class := fmt.Sprintf("line c%d", i%colours)
		if l.dashed {
			class = "line dashed"
		}
		var path strings.Builder
		pen := "M"
		xs, ys := reduced(l.x, l.y)
		for k := range xs {
			if !finite(ys[k]) {
				pen = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", pen, f.px(xs[k]), f.py(ys[k]))
			pen = "L"
		}
		fmt.Fprintf(f, `<path d="%s" class="%s"><title>%s</title></path>`, path.String(), class, template.HTMLEscapeString(l.name))
		if len(xs) <= 60 && !o.square {
			for k := range xs {
				if finite(ys[k]) {
					fmt.Fprintf(f, `<circle cx="%.1f" cy="%.1f" r="2.5" class="dot c%d"><title>%s, %s: %s</title></circle>`, f.px(xs[k]), f.py(ys[k]), i%colours, template.HTMLEscapeString(l.name), short(xs[k]), short(ys[k]))
				}
			}
		}
	}
	return f.end() + legend(lines)
}

// mostPoints is how many points of a curve are drawn.
const mostPoints = 600

// reduced keeps of each stretch of a long curve the least and the largest value.
func reduced(x, y []float64) (xs, ys []float64) {
	if len(x) <= mostPoints {
		return x, y
	}
	buckets := mostPoints / 2
	for b := range buckets {
		from, to := b*len(x)/buckets, (b+1)*len(x)/buckets
		low, high := from, from
		for i := from; i < to; i++ {
			if y[i] < y[low] || !finite(y[low]) {
				low = i
			}
			if y[i] > y[high] || !finite(y[high]) {
				high = i
			}
		}
		first, second := min(low, high), max(low, high)
		xs, ys = append(xs, x[first]), append(ys, y[first])
		if second != first {
			xs, ys = append(xs, x[second]), append(ys, y[second])
		}
	}
	return xs, ys
}

func legend(lines []line) template.HTML {
	var b strings.Builder
	b.WriteString(`<ul class="legend">`)
	for i, l := range lines {
		class := fmt.Sprintf("c%d", i%colours)
		if l.dashed {
			class = "dashed"
		}
		fmt.Fprintf(&b, `<li class="%s">%s</li>`, class, template.HTMLEscapeString(l.name))
	}
	b.WriteString(`</ul>`)
	return template.HTML(b.String())
}

// columnChart draws a histogram, and a curve over it when there is one.
func columnChart(edges []float64, counts []int, over line, x, y string) template.HTML {
	most := 0.0
	for _, n := range counts {
		most = max(most, float64(n))
	}
	for _, v := range over.y {
		most = max(most, v)
	}
	f := newFrame(chartWidth, chartHeight, edges[0], edges[len(edges)-1], 0, max(most, 1), chartOptions{x: x, y: y}, "histogram of "+x)
	for i, n := range counts {
		a, b := f.px(edges[i]), f.px(edges[i+1])
		top := f.py(float64(n))
		fmt.Fprintf(f, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="bar"><title>%s to %s: %d</title></rect>`,
			a+0.5, top, max(b-a-1, 0.5), f.top+f.height-top, short(edges[i]), short(edges[i+1]), n)
	}
	if len(over.x) > 0 {
		var path strings.Builder
		pen := "M"
		for i := range over.x {
			fmt.Fprintf(&path, "%s%.1f %.1f", pen, f.px(over.x[i]), f.py(over.y[i]))
			pen = "L"
		}
		fmt.Fprintf(f, `<path d="%s" class="line c1"/>`, path.String())
	}
	return f.end()
}

// swarmRow is one feature with its contributions to rows.
type swarmRow struct {
	name   string
	values []float64
}

// swarmChart draws a point for each value; points that would lie on each other
// spread upwards and downwards.
func swarmChart(rows []swarmRow) template.HTML {
	const row, labels, reach = 34.0, 230.0, 13.0
	low, high := 0.0, 0.0
	for _, r := range rows {
		for _, v := range r.values {
			if finite(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if high == low {
		high = low + 1
	}
	height := row*float64(len(rows)) + 40
	s := newSVG(chartWidth, height, "contributions to single rows")
	px := func(v float64) float64 { return labels + (v-low)/(high-low)*(chartWidth-labels-16) }
	for _, v := range ticks(low, high, 7) {
		fmt.Fprintf(s, `<line x1="%.1f" y1="0" x2="%.1f" y2="%.1f" class="grid"/>`, px(v), px(v), height-36)
		s.text(px(v), height-18, "tick x", short(v))
	}
	for i, r := range rows {
		y := row*float64(i) + row/2
		s.text(labels-10, y+4, "name", cut(r.name, 32))
		places := map[int]int{}
		for _, v := range r.values {
			if !finite(v) {
				continue
			}
			x := px(v)
			n := places[int(x/4)]
			places[int(x/4)]++
			offset := float64((n+1)/2) * 2.4
			if n%2 == 1 {
				offset = -offset
			}
			fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="1.9" class="point %s"/>`, x, y+max(-reach, min(reach, offset)), sign(v))
		}
	}
	return s.end()
}

func sign(v float64) string {
	if v < 0 {
		return "minus"
	}
	return "plus"
}
