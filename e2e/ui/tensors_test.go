package ui

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/tensors"
)

// tensorsRun is a dashboard over the run of package tensors.
func tensorsRun(t *testing.T) *dashboard {
	t.Helper()
	return over(t, "tensors", func(t *testing.T, root string) {
		t.Helper()
		tensors.Write(t, root, "run")
		tensors.WriteOther(t, root, "other")
	})
}

// tokens are colours of the light theme, by their names.
func tokens(t *testing.T) func(name string) [3]float64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testenv.Root(), "web", "app", "style", "tokens.css"))
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) (c [3]float64) {
		m := regexp.MustCompile(regexp.QuoteMeta(name) + `:\s*(?:light-dark\()?#([0-9a-f]{6})`).FindSubmatch(b)
		if m == nil {
			t.Fatalf("there is no colour %s", name)
		}
		n, _ := strconv.ParseUint(string(m[1]), 16, 32)
		return [3]float64{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}
	}
}

// Each cell of the heat map has the colour of its value, as the API has it.
func TestHeatMapByPixel(t *testing.T) {
	d := tensorsRun(t)
	token := tokens(t)
	var heat struct {
		Log  bool
		Rows []struct {
			Values []any
			Odd    []int
		}
	}
	d.get(t, "/runs/run/heat?stat=abs_max&collection=gradients&columns=600", &heat)
	if len(heat.Rows) != 1 || len(heat.Rows[0].Values) != tensors.Steps || !heat.Log || len(heat.Rows[0].Odd) == 0 {
		t.Fatalf("%+v", heat)
	}
	values, odd := heat.Rows[0].Values, map[int]bool{}
	for _, c := range heat.Rows[0].Odd {
		odd[c] = true
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if x, ok := v.(float64); ok && x > 0 {
			low, high = min(low, x), max(high, x)
		}
	}
	colour := func(c int) [3]float64 {
		x, finite := values[c].(float64)
		if odd[c] || !finite {
			return token("--odd")
		}
		at := math.Round(255*(math.Log10(x)-math.Log10(low))/(math.Log10(high)-math.Log10(low))) / 255 * 7
		k := min(6, int(at))
		a, b := token(fmt.Sprintf("--ramp-%d", k)), token(fmt.Sprintf("--ramp-%d", k+1))
		for i := range a {
			a[i] += (b[i] - a[i]) * (at - float64(k))
		}
		return a
	}
	b := open(t, d, "/runs/run/tensors?collection=gradients&stat=abs_max")
	b.wait(`document.querySelector(".heat-cells canvas")?.width > 100`)
	b.still(".heat-cells canvas")
	// The names of the rows take a third, at most 220 pixels; the cells begin 2 pixels below the top.
	pixels := strings.Split(b.value(fmt.Sprintf(`(() => { const c = document.querySelector(".heat-cells canvas"), r = c.width / c.clientWidth, left = Math.round(Math.min(c.clientWidth * 0.32, 220));
		const line = c.getContext("2d").getImageData(0, Math.round(10 * r), c.width, 1).data, at = (i) => 4 * Math.floor((left + (i + 0.5) / %[1]d * (c.clientWidth - left - 8)) * r);
		return Array.from({length: %[1]d}, (_, i) => [...line.slice(at(i), at(i) + 3)].join(" ")).join("|") })()`, tensors.Steps)), "|")
	for c, got := range pixels {
		var r, g, bl float64
		if _, err := fmt.Sscan(got, &r, &g, &bl); err != nil {
			t.Fatalf("column %d: %q", c, got)
		}
		want := colour(c)
		if math.Abs(r-want[0]) > 2 || math.Abs(g-want[1]) > 2 || math.Abs(bl-want[2]) > 2 {
			t.Errorf("column %d, value %v: colour %s, want %.0f", c, values[c], got, want)
		}
	}
}

// From a cell of the heat map to the tensor at its step, and what is there is
// what the API says; by the keyboard alone.
func TestTensorAtAStep(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?collection=gradients&stat=abs_max")
	b.wait(`document.querySelector(".heat-cells canvas")?.width > 100`)
	b.value(`document.querySelector(".heat .chart-body").focus()`)
	for _, key := range []string{kb.Home, kb.Home, kb.ArrowRight, kb.ArrowRight} { // the first one brings the cursor
		b.keys(key)
	}
	b.wait(`document.querySelector(".heat-tip")?.innerText.includes("step 2")`) // beside the cell
	b.keys(kb.Enter)
	b.wait(`location.search.includes("tensor=gradient") && location.search.includes("step=2")`)
	b.wait(`document.querySelector("#tensor-title")?.innerText === "gradient/conv1.weight"`)
	for _, step := range []int{2, 12, 50} {
		b.visit(fmt.Sprintf("/runs/run/tensors?tensor=gradient%%2Fconv1.weight&step=%d", step))
		b.shows(fmt.Sprintf("At step %d", step))
		var api struct{ Stats map[string]any }
		d.get(t, fmt.Sprintf("/runs/run/stats?tensor=gradient%%2Fconv1.weight&step=%d", step), &api)
		for shown, key := range map[string]string{"mean": "mean", "standard deviation": "std", "minimum": "min", "largest magnitude": "abs_max", "L2 norm": "l2", "elements": "count", "NaN": "nan", "infinite": "inf"} {
			text := strings.TrimSpace(b.value(`[...document.querySelectorAll(".tensors-numbers > div")].find(e => e.querySelector("dt").innerText === ` + quote(shown) + `).querySelector("dd").innerText`))
			number, err := strconv.ParseFloat(strings.NewReplacer("\u2212", "-", ",", "").Replace(text), 64)
			want, finite := api.Stats[key].(float64)
			if !finite && text != api.Stats[key] || finite && (err != nil || math.Abs(number-want) > 1e-5*math.Abs(want)) {
				t.Errorf("step %d: %s is %q on the page, %v by the API", step, shown, text, api.Stats[key])
			}
		}
	}
	b.shows("not finite")
	b.keys("u")
	b.wait(`!location.search.includes("tensor=")`)
	b.value(`history.back()`)
	b.wait(`location.search.includes("tensor=")`)
}

// The values of a matrix: the cursor reads them, nearer ones are read when they are
// looked at, and the address holds what is seen.
func TestValuesOfAMatrix(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?tensor=fc.weight&step=20&rows=100:140&columns=600:680")
	b.wait(`document.querySelector(".matrix-canvas")?.width > 100`)
	b.value(`document.querySelector(".matrix-body").focus()`)
	b.keys(kb.ArrowRight)
	b.shows("[120, 640]")
	var raw struct{ Values []float64 }
	d.get(t, "/runs/run/raw?tensor=fc.weight&step=20&rows=120:121&columns=640:641", &raw)
	b.wait(`document.querySelector(".matrix-now strong")`)
	text := strings.ReplaceAll(b.text(".matrix-now strong"), "\u2212", "-")
	if number, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(number-raw.Values[0]) > 1e-5*math.Abs(raw.Values[0]) {
		t.Errorf("the cell reads %q, the API %v", text, raw.Values[0])
	}
	b.keys("+")
	b.wait(`location.search.includes("rows=1") && !location.search.includes("rows=100")`)
	b.keys("t")
	b.wait(`document.querySelector(".matrix [role=grid], .matrix table, .matrix [role=table]")`)
	b.keys("t")
	b.keys("0")
	b.wait(`!location.search.includes("rows=")`)
	b.shows("every 2. row and every 2. column is read")
}

// mosaic is how many tiles of a height and width are next to each other on a canvas of
// so many pixels, how large a value is, and how far the tiles are apart: as large as may be.
func mosaic(tiles, height, width int, room [2]float64) (across int, cell float64, gap int) {
	if tiles > 1 {
		gap = max(1, int(math.Round(float64(max(height, width))/24)))
	}
	best := 0.0
	for a := 1; a <= tiles; a++ {
		columns, rows := float64(a*(width+gap)-gap), float64((tiles+a-1)/a*(height+gap)-gap)
		if size := min(40, room[0]/columns, room[1]/rows); size > best {
			best, across, cell = size, a, min(40, (room[0]-6)/columns, (room[1]-6)/rows)
		}
	}
	return across, cell, gap
}

// Each pixel of each image has the brightness of its value, as the API has it.
func TestImagesByPixel(t *testing.T) {
	d := tensorsRun(t)
	odd := tokens(t)("--odd")
	b := open(t, d, "/runs/run/tensors")
	for _, c := range []struct {
		page, api string
		low, high float64 // of fixed brightness
	}{
		{page: "tensor=images&step=20", api: "tensor=images&step=20"},
		{page: "tensor=images&step=40", api: "tensor=images&step=40"}, // NaN and infinite
		{page: "tensor=images&step=40&bright=tile", api: "tensor=images&step=40"},
		{page: "tensor=images&step=20&image=2&channel=1", api: "tensor=images&step=20&index=2&channel=1"},
		{page: "tensor=images&step=20&image=2&apart=true&bright=tile", api: "tensor=images&step=20&index=2&apart=true"},
		{page: "tensor=images&step=20&bright=fixed&low=-0.5&high=0.25", api: "tensor=images&step=20", low: -0.5, high: 0.25},
		{page: "tensor=photos&step=0", api: "tensor=photos&step=0"},
		{page: "tensor=photos&step=0&order=NCHW", api: "tensor=photos&step=0&order=NCHW"},
		{page: "tensor=maps&step=20", api: "tensor=maps&step=20"},
		{page: "tensor=conv1.weight&step=20&matrix=images", api: "tensor=conv1.weight&step=20"},
	} {
		var images struct {
			Height, Width, Planes, Stride int
			Index                         []int
			TileMin                       []any `json:"tile_min"`
			TileMax                       []any `json:"tile_max"`
			Values                        []any
			Min, Max                      any
		}
		d.get(t, "/runs/run/images?"+c.api, &images)
		b.visit("/runs/run/tensors?" + c.page)
		b.wait(`document.querySelector(".matrix-canvas")?.width > 100 && document.querySelector(".matrix-body").getAttribute("aria-roledescription") === "images"`)
		b.still(".matrix-canvas")
		var room [3]float64
		if _, err := fmt.Sscan(b.value(`(() => { const c = document.querySelector(".matrix-canvas"); return [c.clientWidth, c.clientHeight, c.width / c.clientWidth].join(" ") })()`), &room[0], &room[1], &room[2]); err != nil {
			t.Fatal(err)
		}
		across, cell, gap := mosaic(len(images.Index), images.Height, images.Width, [2]float64{room[0], 520})
		if _, again, _ := mosaic(len(images.Index), images.Height, images.Width, [2]float64{room[0], room[1]}); math.Abs(again-cell) > 0.1 || len(images.Values) == 0 || images.Stride != 1 {
			t.Errorf("%s: the canvas is %v, a value %g pixels large, %d values", c.page, room, again, len(images.Values))
		}
		plane := images.Height * images.Width
		var points []string
		for i := range images.Index {
			for k := range plane {
				x := 3 + (float64(i%across*(images.Width+gap)+k%images.Width)+0.5)*cell
				y := 3 + (float64(i/across*(images.Height+gap)+k/images.Width)+0.5)*cell
				points = append(points, fmt.Sprintf("[%.3f,%.3f]", x*room[2], y*room[2]))
			}
		}
		pixels := strings.Split(b.value(`(() => { const c = document.querySelector(".matrix-canvas"), all = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
			return [`+strings.Join(points, ",")+`].map(([x, y]) => { const at = 4 * (Math.floor(y) * c.width + Math.floor(x)); return [...all.slice(at, at + 3)].join(" ") }).join("|") })()`), "|")
		wrong := 0
		for i := range images.Index {
			low, high := c.low, c.high
			if low == high {
				low, _ = images.Min.(float64)
				high, _ = images.Max.(float64)
			}
			if strings.Contains(c.page, "bright=tile") {
				low, _ = images.TileMin[i].(float64)
				high, _ = images.TileMax[i].(float64)
			}
			for k := range plane {
				var want [3]float64
				for p := range 3 {
					v, finite := images.Values[(i*images.Planes+p%images.Planes)*plane+k].(float64)
					if !finite {
						want = odd
						break
					}
					want[p] = max(0, min(255, math.Round(255*(v-low)/(high-low))))
				}
				var got [3]float64
				if _, err := fmt.Sscan(pixels[i*plane+k], &got[0], &got[1], &got[2]); err != nil {
					t.Fatalf("%s: %q", c.page, pixels[i*plane+k])
				}
				if math.Abs(got[0]-want[0]) > 1 || math.Abs(got[1]-want[1]) > 1 || math.Abs(got[2]-want[2]) > 1 {
					if wrong++; wrong < 4 {
						t.Errorf("%s: image %d, row %d, column %d: colour %v, want %v", c.page, i, k/images.Width, k%images.Width, got, want)
					}
				}
			}
		}
	}
}

// Images: the cursor reads a value under its place in the tensor, one is shown alone,
// and without values there is a sentence.
func TestImagesOfATensor(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?tensor=images&step=20")
	b.shows("N \u00d7 C \u00d7 H \u00d7 W (assumed)")
	b.shows("4 images of 12 \u00d7 10.")
	b.value(`document.querySelector(".matrix-body").focus()`)
	for _, key := range []string{kb.ArrowRight, kb.ArrowRight, kb.ArrowDown} { // the first one brings the cursor
		b.keys(key)
	}
	b.shows("[0, :, 1, 1]")
	var raw struct{ Values []float64 }
	d.get(t, "/runs/run/raw?tensor=images&step=20&flat=true&rows=0:1", &raw)
	for i, text := range strings.Split(strings.ReplaceAll(b.text(".matrix-now strong"), "\u2212", "-"), ", ") {
		want := raw.Values[i*120+11]
		if number, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(number-want) > 1e-5*math.Abs(want) {
			t.Errorf("channel %d reads %q, the API says %v", i, text, want)
		}
	}
	for range 9 {
		b.keys(kb.ArrowRight) // over the gap
	}
	b.shows("[1, :, 1, 0]")
	b.keys(kb.Enter)
	b.wait(`location.search.includes("image=1")`)
	b.shows("1 image of 12 \u00d7 10.")
	b.keys("+")
	b.wait(`location.search.includes("rows=")`)
	b.keys("0")
	b.wait(`!location.search.includes("rows=")`)
	b.value(`history.back()`)
	b.shows("4 images of 12 \u00d7 10.")
	b.visit("/runs/run/tensors?tensor=images&step=40")
	b.shows("2 values of the tensor are NaN or infinite")
	b.visit("/runs/run/tensors?tensor=photos")
	b.shows("N \u00d7 H \u00d7 W \u00d7 C (assumed)")
	b.visit("/runs/run/tensors?tensor=conv1.weight") // small kernels are read as numbers
	b.shows("a matrix of the first dimension by all others")
	b.click("Images")
	b.shows("4 images of 5 \u00d7 5.")
	b.visit("/runs/other/tensors?tensor=conv1.weight")
	b.shows("The values themselves were not stored, only their statistics.")
	b.shows("vigil run --collect weights:raw,every=100 -- python train.py")
}

// A tensor next to one of another job: what is there is what the API says, and the
// address holds it.
func TestTensorsAreCompared(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?tensor=gradient%2Fconv1.weight&step=20")
	b.wait(`document.querySelector("#tensors-runs option[value=other]")`)
	b.value(`(() => { const field = document.querySelector("[list=tensors-runs]"); field.value = "other"; field.dispatchEvent(new Event("change", {bubbles: true})) })()`)
	b.wait(`location.search.includes("with=other")`)
	row := func(name string) string {
		return b.value(`[...document.querySelectorAll(".tensors-wide tbody tr")].find(e => e.querySelector("th").innerText === ` + quote(name) + `)?.innerText.replaceAll("\u2212", "-").replaceAll(/\s+/g, " ")`)
	}
	for _, c := range []struct {
		query string
		there int
	}{{"", 20}, {"&with_step=33", 33}} {
		b.visit("/runs/run/tensors?tensor=gradient%2Fconv1.weight&step=20&with=other" + c.query)
		b.wait(`document.querySelector(".tensors-wide tbody tr")`)
		for name, key := range map[string]string{"mean": "mean", "maximum": "max", "L2 norm": "l2"} {
			var here, there struct{ Stats map[string]float64 }
			d.get(t, "/runs/run/stats?tensor=gradient%2Fconv1.weight&step=20", &here)
			d.get(t, fmt.Sprintf("/runs/other/stats?tensor=gradient%%2Fconv1.weight&step=%d", c.there), &there)
			var got [3]float64
			text := row(name)
			if _, err := fmt.Sscan(strings.TrimPrefix(text, name), &got[0], &got[1], &got[2]); err != nil {
				t.Errorf("%s: %q", name, text)
			}
			for i, want := range []float64{here.Stats[key], there.Stats[key], here.Stats[key] - there.Stats[key]} {
				if math.Abs(got[i]-want) > 1e-5*math.Abs(want) {
					t.Errorf("step %d: %s: %q, want %g", c.there, name, text, want)
				}
			}
		}
	}
	b.shows("Both over steps")
	b.shows("Difference of the values")
	b.shows("2 histograms of")
	b.visit("/runs/run/tensors?tensor=fc.bias&step=20&with=other") // values that differ by the same, as far as rounding lets them
	b.shows("Difference of the values step 20 less step 20 of other")
	for query, sentence := range map[string]string{
		"tensor=mask&with=other":                  `Run "other" has no tensor "mask".`,
		"tensor=fc.weight&with=other":             `"fc.weight" has the shape [6 7] in run "other" and [600 700] here`,
		"tensor=conv1.weight&with=other":          `The values of "conv1.weight" were not stored in run "other", only their statistics.`,
		"tensor=loss&with=nosuch":                 `There is no run "nosuch" here`,
		"tensor=mask&with=other&with_tensor=none": `has the shape [0 7] in run "other" and [3] here`,
		"tensor=loss&step=3&with=run&with_step=1": "\u221250 %",
	} {
		b.visit("/runs/run/tensors?" + query)
		b.shows(sentence)
	}
	b.visit("/runs/run/tensors?tensor=loss&with=other")
	b.click("Compare no more")
	b.wait(`!location.search.includes("with")`)
}

// Strings are text, whatever is in them, and so is a name.
func TestStringsOfATensor(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?tensor=words")
	b.shows("<script>")
	b.shows("quick\u21b5")
	b.shows(`\u202efox`)
	b.visit("/runs/run/tensors?tensor=" + url.QueryEscape(tensors.Odd))
	b.wait(`document.querySelector("#tensor-title")?.textContent === ` + quote(tensors.Odd))
	b.visit("/runs/run/tensors?tensor=nosuch")
	b.shows("This run has no tensor nosuch.")
	b.visit("/runs/run/tensors?tensor=fc.bias&mode=EVAL&worker=worker_1")
	b.shows("worker_1")
}

// Whatever the page shows, axe-core finds nothing serious in it.
func TestTensorsAreAccessible(t *testing.T) {
	source := axe(t)
	d := tensorsRun(t)
	for i, path := range []string{"?collection=gradients", "?tree=collections&q=fc", "?tensor=fc.weight&step=20", "?tensor=gradient%2Fconv1.weight&spread=film&step=50", "?tensor=fc.bias&step=20", "?tensor=words", "?tensor=conv1.weight&step=20&matrix=last&at=1,2", "?tensor=images&step=40", "?tensor=maps&step=20&bright=fixed&low=-1", "?tensor=gradient%2Fconv1.weight&step=20&with=other&with_step=33"} {
		b := open(t, d, "/runs/run/tensors"+path)
		b.picture(fmt.Sprintf("tensors-%d", i+1))
		b.accessible(source)
		b.theme("dark") // colours change in a moment, so the page is drawn anew
		b.size(390, 844)
		b.visit("/runs/run/tensors" + path)
		b.picture(fmt.Sprintf("tensors-%d-narrow", i+1))
		b.accessible(source)
		if wide := b.value(`document.documentElement.scrollWidth`); wide != "390" {
			t.Errorf("%s: the page is %s pixels wide on a screen of 390", path, wide)
		}
	}
}
